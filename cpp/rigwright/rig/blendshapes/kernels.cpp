#include "rigwright/rig/blendshapes/kernels.h"

#include <algorithm>

#include "rigwright/core/dispatch.h"
#include "rigwright/rig/blendshapes/grouped_columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/rig/blendshapes/kernels.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::rig::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using One = hn::CappedTag<float, 1>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
/// Vectors of heads and vertices whose sums are kept in registers together: 24 of 32 registers, or 12 of 16.
constexpr int most_vectors = lanes == 16 ? 4 : 2;
constexpr int members_at_once = 2;
constexpr std::int64_t ahead = 16;  // numbers: a cache line
constexpr std::int64_t most_numbers = 3 * GroupedColumns::window;

/// Lists all rows of a word: successive ones, the first of which begins at `begin`.
HWY_INLINE void list_all(std::uint32_t bits, std::int32_t first_column, std::int64_t begin, std::int64_t size,
                         std::int64_t* first, std::int32_t* column) {
#if HWY_TARGET <= HWY_AVX3  // bits are masks: no branch on them, which nothing foresees
    const hn::Rebind<std::int32_t, D> whole;
    const hn::CappedTag<std::int64_t, 8> half;
    const auto columns = hn::Iota(whole, 0);
    const auto begins = hn::Mul(hn::Iota(half, 0), hn::Set(half, size));
    for (int i = 0; i < 32; i += lanes) {
        const std::uint64_t part = bits >> i & 0xffff;
        const auto mask = hn::LoadMaskBits(whole, reinterpret_cast<const std::uint8_t*>(&part));
        hn::StoreU(hn::Compress(hn::Add(columns, hn::Set(whole, first_column + i)), mask), whole, column);
        hn::StoreU(hn::Add(begins, hn::Set(half, begin)), half, first);
        hn::StoreU(hn::Add(begins, hn::Set(half, begin + 8 * size)), half, first + 8);
        const auto count = static_cast<std::int64_t>(hwy::PopCount(part));
        begin += count * size;
        first += count;
        column += count;
    }
#else
    for (; bits != 0; bits &= bits - 1, begin += size) {
        *first++ = begin;
        *column++ = first_column + static_cast<std::int32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
    }
#endif
}

std::int64_t list(const std::int32_t* columns, const std::uint32_t* chosen, std::int64_t words, std::int64_t size,
                  std::int64_t* first, std::int32_t* column) {
    std::int64_t count = 0, before = 0;  // rows listed, and those of the words before
    for (std::int64_t word = 0; word < words; ++word) {
        const auto bits = static_cast<std::uint32_t>(columns[word]);
        const std::uint32_t listed = bits & chosen[word];
        if (listed == bits && bits != 0) {
            list_all(bits, static_cast<std::int32_t>(32 * word), size * before, size, first + count, column + count);
            count += static_cast<std::int64_t>(hwy::PopCount(bits));
        } else {
            for (std::uint32_t left = listed; left != 0; left &= left - 1) {
                const std::uint32_t below = (left & (~left + 1)) - 1;  // the bits before the lowest one
                first[count] = size * (before + static_cast<std::int64_t>(hwy::PopCount(bits & below)));
                column[count++] =
                    static_cast<std::int32_t>(32 * word + static_cast<std::int64_t>(hwy::PopCount(below)));
            }
        }
        before += static_cast<std::int64_t>(hwy::PopCount(bits));
    }
    return count;
}

template <class T>
HWY_INLINE hn::Vec<T> load_numbers(T tag, const float* from) {
    return hn::LoadU(tag, from);
}
template <class T>
HWY_INLINE hn::Vec<T> load_numbers(T tag, const std::int16_t* from) {
    const hn::Rebind<std::int16_t, T> half;
    const hn::Rebind<std::int32_t, T> whole;
    return hn::ConvertTo(tag, hn::PromoteTo(whole, hn::LoadU(half, from)));
}

/// sums[i] += activation times row[i] for `Vectors` vectors from the place `i` on.
template <int Vectors, class T, class Number>
HWY_INLINE void add_rows(T tag, const GroupRows& rows, const Number* numbers, const float* activations, std::int64_t i,
                         float* sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    hn::Vec<T> sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = hn::LoadU(tag, sums + i + v * width);
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const hn::Vec<T> a = hn::Set(tag, activations[rows.column[r]]);
        const Number* row = numbers + rows.first[r] + i;
        for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(load_numbers(tag, row + v * width), a, sum[v]);
    }
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[v], tag, sums + i + v * width);
}

/// The last vector of a row may reach over its end, into room that `sums` has and numbers that the file has.
template <class T, class Number>
HWY_INLINE void add_all(T tag, const GroupRows& rows, const Number* numbers, const float* activations, float* sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    const std::int64_t count = 3 * rows.size;
    std::int64_t i = 0;
    for (; i + 3 * width < count; i += 4 * width) add_rows<4>(tag, rows, numbers, activations, i, sums);
    for (; i + width < count; i += 2 * width) add_rows<2>(tag, rows, numbers, activations, i, sums);
    for (; i < count; i += width) add_rows<1>(tag, rows, numbers, activations, i, sums);
}

/// Numbers that reading whole vectors of all rows touches, those of other rows behind the last one included.
HWY_INLINE bool vectors_fit(const GroupRows& rows, std::int64_t left) {
    return rows.count == 0 || rows.first[rows.count - 1] + 3 * rows.size + lanes <= left;
}

template <class Number>
HWY_INLINE void one_head(const GroupRows& rows, Numbers<Number> numbers, const float* neutral, const float* activations,
                         float* vertices) {
    HWY_ALIGN float sums[most_numbers + lanes];
    for (std::int64_t m = 0; m < rows.size; ++m) std::copy_n(neutral + 3 * rows.vertex[m], 3, sums + 3 * m);
    std::fill_n(sums + 3 * rows.size, lanes, 0.0f);
    if (vectors_fit(rows, numbers.left)) {
        add_all(d, rows, numbers.data, activations, sums);
    } else {
        add_all(One(), rows, numbers.data, activations, sums);
    }
    for (std::int64_t m = 0; m < rows.size; ++m) {
        float* out = vertices + 3 * rows.vertex[m];
        for (int c = 0; c < 3; ++c) out[c] = sums[3 * m + c] + 0.0f;
    }
}

void one(const GroupRows& rows, Numbers<float> numbers, const float* neutral, const float* activations,
         float* vertices) {
    one_head(rows, numbers, neutral, activations, vertices);
}

void one_half(const GroupRows& rows, Numbers<std::int16_t> numbers, const float* neutral, const float* activations,
              float* vertices) {
    one_head(rows, numbers, neutral, activations, vertices);
}

/// `Members` vertices of a group from its member `m` on, for `Vectors` vectors of heads.
template <int Vectors, int Members>
HWY_INLINE void tile(const GroupRows& rows, const float* numbers, const float* neutral, const float* activations,
                     std::int64_t m, std::int64_t start, float* sums) {
    constexpr std::int64_t stride = Vectors * lanes;
    V sum[Members][3][Vectors];
    for (int k = 0; k < Members; ++k) {
        for (int c = 0; c < 3; ++c) {
            const V rest = hn::Set(d, neutral[3 * rows.vertex[m + k] + c]);
            for (int v = 0; v < Vectors; ++v) sum[k][c][v] = rest;
        }
    }
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const float* activation = activations + rows.column[r] * stride;
        const float* number = numbers + rows.first[r] + 3 * m;
        hwy::Prefetch(number + ahead);  // rows of many members lie too far apart for the processor to foresee them
        V a[Vectors];
        for (int v = 0; v < Vectors; ++v) a[v] = hn::Load(d, activation + v * lanes);
        for (int k = 0; k < Members; ++k) {
            for (int c = 0; c < 3; ++c) {
                const V offset = hn::Set(d, number[3 * k + c]);
                for (int v = 0; v < Vectors; ++v) sum[k][c][v] = hn::MulAdd(offset, a[v], sum[k][c][v]);
            }
        }
    }
    for (int k = 0; k < Members; ++k) {
        float* out = sums + 3 * (rows.vertex[m + k] - start) * stride;
        for (int c = 0; c < 3; ++c) {
            for (int v = 0; v < Vectors; ++v) hn::Store(sum[k][c][v], d, out + c * stride + v * lanes);
        }
    }
}

template <int Vectors>
HWY_INLINE void tiles(const GroupRows& rows, const float* numbers, const float* neutral, const float* activations,
                      std::int64_t start, float* sums) {
    std::int64_t m = 0;
    for (; m + members_at_once <= rows.size; m += members_at_once) {
        tile<Vectors, members_at_once>(rows, numbers, neutral, activations, m, start, sums);
    }
    for (; m < rows.size; ++m) tile<Vectors, 1>(rows, numbers, neutral, activations, m, start, sums);
}

void many(const GroupRows& rows, const float* numbers, const float* neutral, const float* activations,
          std::int64_t stride, std::int64_t start, float* sums) {
    const std::int64_t vectors = stride / lanes;
    if (vectors == 1) return tiles<1>(rows, numbers, neutral, activations, start, sums);
    if (vectors == 2) return tiles<2>(rows, numbers, neutral, activations, start, sums);
    if constexpr (most_vectors == 4) {
        if (vectors == 3) return tiles<3>(rows, numbers, neutral, activations, start, sums);
        tiles<4>(rows, numbers, neutral, activations, start, sums);
    }
}

void widen(const std::int16_t* numbers, std::int64_t count, float* out) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(load_numbers(d, numbers + i), d, out + i);
    for (; i < count; ++i) out[i] = static_cast<float>(numbers[i]);
}

template <class T, class Number>
HWY_INLINE void add_products(T tag, const GroupRows& rows, const Number* numbers, const float* cotangents,
                             float* sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    for (std::int64_t r = 0; r < rows.count; ++r) {
        const Number* row = numbers + rows.first[r];
        float* own = sums + rows.column[r] * lanes;
        for (std::int64_t i = 0; i < 3 * rows.size; i += width) {
            float* at = own + i % lanes;
            const hn::Vec<T> product = hn::LoadU(tag, cotangents + i);
            hn::StoreU(hn::MulAdd(load_numbers(tag, row + i), product, hn::LoadU(tag, at)), tag, at);
        }
    }
}

template <class Number>
HWY_INLINE void add_gradient(const GroupRows& rows, Numbers<Number> numbers, const float* cotangents, float* sums) {
    HWY_ALIGN float own[most_numbers + lanes];
    for (std::int64_t m = 0; m < rows.size; ++m) std::copy_n(cotangents + 3 * rows.vertex[m], 3, own + 3 * m);
    std::fill_n(own + 3 * rows.size, lanes, 0.0f);
    if (vectors_fit(rows, numbers.left)) {
        add_products(d, rows, numbers.data, own, sums);
    } else {
        add_products(One(), rows, numbers.data, own, sums);
    }
}

void gradient(const GroupRows& rows, Numbers<float> numbers, const float* cotangents, float* sums) {
    add_gradient(rows, numbers, cotangents, sums);
}

void gradient_half(const GroupRows& rows, Numbers<std::int16_t> numbers, const float* cotangents, float* sums) {
    add_gradient(rows, numbers, cotangents, sums);
}

float total(const float* sums) {
    return hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums)));
}

const BlendshapeKernels* table() {
    static constexpr BlendshapeKernels kernels{lanes,     most_vectors * lanes, &list, &one, &one_half, &many, &widen,
                                               &gradient, &gradient_half,       &total};
    return &kernels;
}

}  // namespace rigwright::rig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::rig {

HWY_EXPORT(table);

RIGWRIGHT_KERNEL_TABLE(BlendshapeKernels, blendshape_kernels, table)

}  // namespace rigwright::rig
#endif
