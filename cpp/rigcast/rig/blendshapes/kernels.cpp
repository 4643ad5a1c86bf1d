#include "rigcast/rig/blendshapes/kernels.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"
#include "rigcast/rig/blendshapes/grouped_columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/rig/blendshapes/kernels.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::rig::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using One = hn::CappedTag<float, 1>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
/// Register tile: the sums of 2 vertices in 4 (or 2) vectors of frames, 3 coordinates each, take 24 of 32 vector
/// registers (AVX-512), or 12 of 16.
constexpr int max_vectors_per_tile = lanes == 16 ? 4 : 2;
constexpr int vertices_per_tile = 2;
constexpr std::int64_t floats_per_line = 16;  // of the cache
constexpr std::int64_t max_values_per_row = 3 * GroupedColumns::vertices_per_window;

/// Lists the rows of all set bits: successive ones, the first of which has its first value at `first_value`.
HWY_INLINE void list_all(std::uint32_t bits, std::int32_t first_column, std::int64_t first_value, std::int64_t row_size,
                         std::int64_t* begin, std::int32_t* column) {
#if HWY_TARGET <= HWY_AVX3  // compress by mask: a branch per bit would mispredict
    const hn::Rebind<std::int32_t, D> whole;
    const hn::CappedTag<std::int64_t, 8> half;
    const auto columns = hn::Iota(whole, 0);
    const auto begins = hn::Mul(hn::Iota(half, 0), hn::Set(half, row_size));
    for (int i = 0; i < 32; i += lanes) {
        const std::uint64_t sixteen = bits >> i & 0xffff;
        const auto mask = hn::LoadMaskBits(whole, reinterpret_cast<const std::uint8_t*>(&sixteen));
        hn::StoreU(hn::Compress(hn::Add(columns, hn::Set(whole, first_column + i)), mask), whole, column);
        hn::StoreU(hn::Add(begins, hn::Set(half, first_value)), half, begin);
        hn::StoreU(hn::Add(begins, hn::Set(half, first_value + 8 * row_size)), half, begin + 8);
        const auto count = static_cast<std::int64_t>(hwy::PopCount(sixteen));
        first_value += count * row_size;
        begin += count;
        column += count;
    }
#else
    for (; bits != 0; bits &= bits - 1, first_value += row_size) {
        *begin++ = first_value;
        *column++ = first_column + static_cast<std::int32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
    }
#endif
}

std::int64_t list_rows(const std::int32_t* columns, const std::uint32_t* chosen, std::int64_t words,
                       std::int64_t row_size, std::int64_t* begin, std::int32_t* column) {
    std::int64_t listed = 0;
    std::int64_t rows_before = 0;  // the group's rows in the words before
    for (std::int64_t word = 0; word < words; ++word) {
        const auto bits = static_cast<std::uint32_t>(columns[word]);
        const std::uint32_t common = bits & chosen[word];
        if (common == bits && bits != 0) {
            list_all(bits, static_cast<std::int32_t>(32 * word), row_size * rows_before, row_size, begin + listed,
                     column + listed);
            listed += static_cast<std::int64_t>(hwy::PopCount(bits));
        } else {
            for (std::uint32_t left = common; left != 0; left &= left - 1) {
                const std::uint32_t below = (left & (~left + 1)) - 1;  // all bits below the lowest set one
                begin[listed] = row_size * (rows_before + static_cast<std::int64_t>(hwy::PopCount(bits & below)));
                column[listed++] =
                    static_cast<std::int32_t>(32 * word + static_cast<std::int64_t>(hwy::PopCount(below)));
            }
        }
        rows_before += static_cast<std::int64_t>(hwy::PopCount(bits));
    }
    return listed;
}

template <class T>
HWY_INLINE hn::Vec<T> load_values(T tag, const float* from) {
    return hn::LoadU(tag, from);
}
template <class T>
HWY_INLINE hn::Vec<T> load_values(T tag, const std::int16_t* from) {
    const hn::Rebind<std::int16_t, T> half;
    const hn::Rebind<std::int32_t, T> whole;
    return hn::ConvertTo(tag, hn::PromoteTo(whole, hn::LoadU(half, from)));
}

/// sums[i] += activation * row[i] over all rows, for `Vectors` vectors of coordinates from coordinate i on.
template <int Vectors, class T, class Value>
HWY_INLINE void add_rows(T tag, const GroupRows& rows, const Value* values, const float* activations, std::int64_t i,
                         float* sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    hn::Vec<T> sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = hn::LoadU(tag, sums + i + v * width);
    for (std::int64_t r = 0; r < rows.num_rows; ++r) {
        const hn::Vec<T> a = hn::Set(tag, activations[rows.column[r]]);
        const Value* row = values + rows.begin[r] + i;
        for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(load_values(tag, row + v * width), a, sum[v]);
    }
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[v], tag, sums + i + v * width);
}

/// Adds whole rows. The last vector of a row may read and add past its end: `sums` has room for it.
template <class T, class Value>
HWY_INLINE void add_whole_rows(T tag, const GroupRows& rows, const Value* values, const float* activations,
                               float* sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    const std::int64_t count = 3 * rows.num_vertices;
    std::int64_t i = 0;
    for (; i + 3 * width < count; i += 4 * width) add_rows<4>(tag, rows, values, activations, i, sums);
    for (; i + width < count; i += 2 * width) add_rows<2>(tag, rows, values, activations, i, sums);
    for (; i < count; i += width) add_rows<1>(tag, rows, values, activations, i, sums);
}

/// Returns true if reading all rows in whole vectors stays inside the rig's values.
HWY_INLINE bool vectors_fit(const GroupRows& rows, std::int64_t readable) {
    return rows.num_rows == 0 || rows.begin[rows.num_rows - 1] + 3 * rows.num_vertices + lanes <= readable;
}

template <class Value>
HWY_INLINE void evaluate_group(const GroupRows& rows, ValuesFrom<Value> values, const float* neutral,
                               const float* activations, float* vertices) {
    HWY_ALIGN float sums[max_values_per_row + lanes];
    for (std::int64_t m = 0; m < rows.num_vertices; ++m) std::copy_n(neutral + 3 * rows.vertex[m], 3, sums + 3 * m);
    std::fill_n(sums + 3 * rows.num_vertices, lanes, 0.0f);
    if (vectors_fit(rows, values.readable)) {
        add_whole_rows(d, rows, values.data, activations, sums);
    } else {
        add_whole_rows(One(), rows, values.data, activations, sums);
    }
    for (std::int64_t m = 0; m < rows.num_vertices; ++m) {
        float* out = vertices + 3 * rows.vertex[m];
        for (int c = 0; c < 3; ++c) out[c] = sums[3 * m + c] + 0.0f;
    }
}

void evaluate_frame(const GroupRows& rows, ValuesFrom<float> values, const float* neutral, const float* activations,
                    float* vertices) {
    evaluate_group(rows, values, neutral, activations, vertices);
}

void evaluate_frame_int16(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* neutral,
                          const float* activations, float* vertices) {
    evaluate_group(rows, values, neutral, activations, vertices);
}

/// The sums of `Vertices` vertices of a group from its vertex m on, for `Vectors` vectors of frames.
template <int Vectors, int Vertices>
HWY_INLINE void evaluate_tile(const GroupRows& rows, const float* values, const float* neutral,
                              const float* activations, std::int64_t m, std::int64_t first_vertex, float* sums) {
    constexpr std::int64_t frames = Vectors * lanes;
    V sum[Vertices][3][Vectors];
    for (int k = 0; k < Vertices; ++k) {
        for (int c = 0; c < 3; ++c) {
            const V rest = hn::Set(d, neutral[3 * rows.vertex[m + k] + c]);
            for (int v = 0; v < Vectors; ++v) sum[k][c][v] = rest;
        }
    }
    for (std::int64_t r = 0; r < rows.num_rows; ++r) {
        const float* activation = activations + rows.column[r] * frames;
        const float* value = values + rows.begin[r] + 3 * m;
        hwy::Prefetch(value + floats_per_line);  // rows of large groups are too far apart for the hardware prefetcher
        V a[Vectors];
        for (int v = 0; v < Vectors; ++v) a[v] = hn::Load(d, activation + v * lanes);
        for (int k = 0; k < Vertices; ++k) {
            for (int c = 0; c < 3; ++c) {
                const V offset = hn::Set(d, value[3 * k + c]);
                for (int v = 0; v < Vectors; ++v) sum[k][c][v] = hn::MulAdd(offset, a[v], sum[k][c][v]);
            }
        }
    }
    for (int k = 0; k < Vertices; ++k) {
        float* out = sums + 3 * (rows.vertex[m + k] - first_vertex) * frames;
        for (int c = 0; c < 3; ++c) {
            for (int v = 0; v < Vectors; ++v) hn::Store(sum[k][c][v], d, out + c * frames + v * lanes);
        }
    }
}

template <int Vectors>
HWY_INLINE void evaluate_tiles(const GroupRows& rows, const float* values, const float* neutral,
                               const float* activations, std::int64_t first_vertex, float* sums) {
    std::int64_t m = 0;
    for (; m + vertices_per_tile <= rows.num_vertices; m += vertices_per_tile) {
        evaluate_tile<Vectors, vertices_per_tile>(rows, values, neutral, activations, m, first_vertex, sums);
    }
    for (; m < rows.num_vertices; ++m)
        evaluate_tile<Vectors, 1>(rows, values, neutral, activations, m, first_vertex, sums);
}

void evaluate_frames(const GroupRows& rows, const float* values, const float* neutral, const float* activations,
                     std::int64_t frames, std::int64_t first_vertex, float* sums) {
    const std::int64_t vectors = frames / lanes;
    if (vectors == 1) return evaluate_tiles<1>(rows, values, neutral, activations, first_vertex, sums);
    if (vectors == 2) return evaluate_tiles<2>(rows, values, neutral, activations, first_vertex, sums);
    if constexpr (max_vectors_per_tile == 4) {
        if (vectors == 3) return evaluate_tiles<3>(rows, values, neutral, activations, first_vertex, sums);
        evaluate_tiles<4>(rows, values, neutral, activations, first_vertex, sums);
    }
}

void convert_int16(const std::int16_t* values, std::int64_t count, float* out) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(load_values(d, values + i), d, out + i);
    for (; i < count; ++i) out[i] = static_cast<float>(values[i]);
}

template <class T, class Value>
HWY_INLINE void add_products(T tag, const GroupRows& rows, const Value* values, const float* cotangents,
                             float* partial_sums) {
    constexpr std::int64_t width = static_cast<std::int64_t>(hn::MaxLanes(tag));
    for (std::int64_t r = 0; r < rows.num_rows; ++r) {
        const Value* row = values + rows.begin[r];
        float* column_sums = partial_sums + rows.column[r] * lanes;
        for (std::int64_t i = 0; i < 3 * rows.num_vertices; i += width) {
            float* at = column_sums + i % lanes;
            const hn::Vec<T> cotangent = hn::LoadU(tag, cotangents + i);
            hn::StoreU(hn::MulAdd(load_values(tag, row + i), cotangent, hn::LoadU(tag, at)), tag, at);
        }
    }
}

template <class Value>
HWY_INLINE void add_group_gradient(const GroupRows& rows, ValuesFrom<Value> values, const float* cotangents,
                                   float* partial_sums) {
    HWY_ALIGN float gathered[max_values_per_row + lanes];
    for (std::int64_t m = 0; m < rows.num_vertices; ++m)
        std::copy_n(cotangents + 3 * rows.vertex[m], 3, gathered + 3 * m);
    std::fill_n(gathered + 3 * rows.num_vertices, lanes, 0.0f);
    if (vectors_fit(rows, values.readable)) {
        add_products(d, rows, values.data, gathered, partial_sums);
    } else {
        add_products(One(), rows, values.data, gathered, partial_sums);
    }
}

void add_gradient(const GroupRows& rows, ValuesFrom<float> values, const float* cotangents, float* partial_sums) {
    add_group_gradient(rows, values, cotangents, partial_sums);
}

void add_gradient_int16(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* cotangents,
                        float* partial_sums) {
    add_group_gradient(rows, values, cotangents, partial_sums);
}

float sum_lanes(const float* partial_sums) {
    return hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, partial_sums)));
}

const BlendshapeKernels* table() {
    static constexpr BlendshapeKernels kernels{lanes,
                                               max_vectors_per_tile * lanes,
                                               &list_rows,
                                               &evaluate_frame,
                                               &evaluate_frame_int16,
                                               &evaluate_frames,
                                               &convert_int16,
                                               &add_gradient,
                                               &add_gradient_int16,
                                               &sum_lanes};
    return &kernels;
}

}  // namespace rigcast::rig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::rig {

RIGCAST_EXPORT(table);

RIGCAST_KERNEL_TABLE(BlendshapeKernels, blendshape_kernels, table)

}  // namespace rigcast::rig
#endif
