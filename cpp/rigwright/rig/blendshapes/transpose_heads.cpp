#include "rigwright/rig/blendshapes/transpose_heads.h"

#include <algorithm>

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/rig/blendshapes/transpose_heads.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::rig::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Numbers [first, last) of one row.
HWY_INLINE void write_single(const float* sums, std::int64_t stride, std::int64_t first, std::int64_t last,
                             float* row) {
    for (std::int64_t i = first; i < last; ++i) row[i] = sums[i * stride] + 0.0f;
}

#if HWY_TARGET == HWY_SCALAR
void write(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t heads, float* rows,
           std::int64_t distance, bool) {
    for (std::int64_t h = 0; h < heads; ++h) write_single(sums + h, stride, 0, coordinates, rows + h * distance);
}

void write_equal(const float* numbers, std::int64_t count, std::int64_t heads, float* rows, std::int64_t distance,
                 bool) {
    for (std::int64_t h = 0; h < heads; ++h) write_single(numbers, 1, 0, count, rows + h * distance);
}
#else
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using Wide = hn::Repartition<std::uint64_t, D>;
constexpr D d;
constexpr Wide wide;
constexpr std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
/// Coordinates whose sums stay in the first cache while the heads of a line of it are written, four after four.
constexpr std::int64_t together = 256;

/// Four numbers of every fourth row, side by side.
template <class T>
HWY_INLINE hn::Vec<T> load_fours(T tag, const float* from, std::int64_t stride) {
    if constexpr (hn::MaxLanes(tag) == 4) {
        return hn::Load(tag, from);
    } else {
        const hn::Half<T> half;
        constexpr std::int64_t rows = static_cast<std::int64_t>(hn::MaxLanes(half));
        return hn::Combine(tag, load_fours(half, from + rows * stride, stride), load_fours(half, from, stride));
    }
}

HWY_INLINE V lower_pairs(V a, V b) {
    return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}

HWY_INLINE V upper_pairs(V a, V b) {
    return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}

/// As many coordinates as a vector has lanes, of four heads: a vector a head.
HWY_INLINE void turn_four(const float* sums, std::int64_t stride, V column[4]) {
    V row[4];
    for (int i = 0; i < 4; ++i) row[i] = hn::Add(load_fours(d, sums + i * stride, stride), hn::Zero(d));
    const V low01 = hn::InterleaveLower(d, row[0], row[1]), low23 = hn::InterleaveLower(d, row[2], row[3]);
    const V high01 = hn::InterleaveUpper(d, row[0], row[1]), high23 = hn::InterleaveUpper(d, row[2], row[3]);
    column[0] = lower_pairs(low01, low23);
    column[1] = upper_pairs(low01, low23);
    column[2] = lower_pairs(high01, high23);
    column[3] = upper_pairs(high01, high23);
}

/// Numbers before the first one of a row that lies where aligned vectors do.
HWY_INLINE std::int64_t before_aligned(const float* row) {
    const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(row) / sizeof(float) % lanes;
    return static_cast<std::int64_t>((lanes - past) % lanes);
}

HWY_INLINE void store_aligned(V vector, float* out, bool past_caches) {
    if (past_caches) {
        hn::Stream(vector, d, out);
    } else {
        hn::Store(vector, d, out);
    }
}

/// Of up to four heads the aligned vectors that begin in [first - lanes, last - lanes): each is made of two vectors as
/// turned, the end of one and the beginning of the next. Rows are aligned differently, each head's in its own way.
HWY_INLINE void write_aligned(const float* sums, std::int64_t stride, std::int64_t first, std::int64_t last,
                              std::int64_t heads, float* rows, std::int64_t distance, bool past_caches) {
    const hn::Rebind<std::int32_t, D> di;
    const auto places = hn::Iota(di, 0);
    decltype(hn::IndicesFromVec(d, hn::Zero(di))) rotation[4];
    hn::Mask<D> is_end[4];
    float* out[4];
    V end[4], column[4];
    turn_four(sums + (first - lanes) * stride, stride, column);
    for (int h = 0; h < 4; ++h) {
        out[h] = rows + std::min<std::int64_t>(h, heads - 1) * distance;
        const std::int64_t shift = before_aligned(out[h]);
        out[h] += shift - lanes;
        const auto place =
            hn::And(hn::Add(places, hn::Set(di, static_cast<std::int32_t>(shift))), hn::Set(di, lanes - 1));
        rotation[h] = hn::IndicesFromVec(d, place);
        is_end[h] = hn::FirstN(d, static_cast<std::size_t>(lanes - shift));
        end[h] = hn::TableLookupLanes(column[h], rotation[h]);
    }
    for (std::int64_t i = first; i < last; i += lanes) {
        turn_four(sums + i * stride, stride, column);
        for (int h = 0; h < 4; ++h) {
            const V turned = hn::TableLookupLanes(column[h], rotation[h]);
            const V whole = hn::IfThenElse(is_end[h], end[h], turned);
            end[h] = turned;
            if (h >= heads) continue;
            store_aligned(whole, out[h] + i, past_caches);
        }
    }
}

void write(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t heads, float* rows,
           std::int64_t distance, bool past_caches) {
    const std::int64_t turned = coordinates / lanes * lanes;
    for (std::int64_t first = lanes; first < turned; first += together) {
        for (std::int64_t h = 0; h < heads; h += 4) {
            write_aligned(sums + h, stride, first, std::min(first + together, turned),
                          std::min<std::int64_t>(4, heads - h), rows + h * distance, distance, past_caches);
        }
    }
    for (std::int64_t h = 0; h < heads; ++h) {
        float* row = rows + h * distance;
        const std::int64_t first = std::min(before_aligned(row), coordinates);
        write_single(sums + h, stride, 0, first, row);
        write_single(sums + h, stride, first + std::max<std::int64_t>(turned - lanes, 0), coordinates, row);
    }
    if (past_caches) hwy::FlushStream();
}

void write_equal(const float* numbers, std::int64_t count, std::int64_t heads, float* rows, std::int64_t distance,
                 bool past_caches) {
    for (std::int64_t h = 0; h < heads; ++h) {
        float* row = rows + h * distance;
        const std::int64_t first = std::min(before_aligned(row), count), last = first + (count - first) / lanes * lanes;
        write_single(numbers, 1, 0, first, row);
        for (std::int64_t i = first; i < last; i += lanes) {
            store_aligned(hn::Add(hn::LoadU(d, numbers + i), hn::Zero(d)), row + i, past_caches);
        }
        write_single(numbers, 1, last, count, row);
    }
    if (past_caches) hwy::FlushStream();
}
#endif

}  // namespace rigwright::rig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::rig {

HWY_EXPORT(write);
HWY_EXPORT(write_equal);

void write_head_rows(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t heads, float* rows,
                     std::int64_t distance, bool past_caches) {
    RIGWRIGHT_DISPATCH(write)(sums, stride, coordinates, heads, rows, distance, past_caches);
}

void write_equal_rows(const float* numbers, std::int64_t count, std::int64_t heads, float* rows, std::int64_t distance,
                      bool past_caches) {
    RIGWRIGHT_DISPATCH(write_equal)(numbers, count, heads, rows, distance, past_caches);
}

}  // namespace rigwright::rig
#endif
