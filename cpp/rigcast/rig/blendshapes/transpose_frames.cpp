#include "rigcast/rig/blendshapes/transpose_frames.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/rig/blendshapes/transpose_frames.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::rig::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Writes the coordinates [first, last) of one frame, one by one.
HWY_INLINE void write_scalars(const float* sums, std::int64_t stride, std::int64_t first, std::int64_t last,
                              float* frame) {
    for (std::int64_t i = first; i < last; ++i) frame[i] = sums[i * stride] + 0.0f;
}

#if HWY_TARGET == HWY_SCALAR
void transpose(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t frames, float* vertices,
               std::int64_t frame_stride, bool) {
    for (std::int64_t t = 0; t < frames; ++t)
        write_scalars(sums + t, stride, 0, coordinates, vertices + t * frame_stride);
}

void repeat(const float* values, std::int64_t count, std::int64_t frames, float* vertices, std::int64_t frame_stride,
            bool) {
    for (std::int64_t t = 0; t < frames; ++t) write_scalars(values, 1, 0, count, vertices + t * frame_stride);
}
#else
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
using Wide = hn::Repartition<std::uint64_t, D>;
constexpr D d;
constexpr Wide wide;
constexpr std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
/// Coordinates per pass over the frames. Sums come in cache lines of 16 frames: 256 lines (16 KB) stay in the L1 cache
/// while these frames are written in groups of four. Chosen to fill half of a 32 KB cache, not tuned.
constexpr std::int64_t coordinates_per_pass = 256;

/// Loads four frames of the coordinates 0, 4, 8, ... from `from` on, one coordinate per 128-bit block.
template <class T>
HWY_INLINE hn::Vec<T> load_four_frames(T tag, const float* from, std::int64_t stride) {
    if constexpr (hn::MaxLanes(tag) == 4) {
        return hn::Load(tag, from);
    } else {
        const hn::Half<T> half;
        constexpr std::int64_t coordinates = static_cast<std::int64_t>(hn::MaxLanes(half));
        return hn::Combine(tag, load_four_frames(half, from + coordinates * stride, stride),
                           load_four_frames(half, from, stride));
    }
}

HWY_INLINE V lower_pairs(V a, V b) {
    return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}

HWY_INLINE V upper_pairs(V a, V b) {
    return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}

/// Transposes `lanes` coordinates of four frames: frame[t] receives the coordinates of frame t.
HWY_INLINE void transpose_four(const float* sums, std::int64_t stride, V frame[4]) {
    V row[4];
    for (int i = 0; i < 4; ++i) row[i] = hn::Add(load_four_frames(d, sums + i * stride, stride), hn::Zero(d));
    const V low01 = hn::InterleaveLower(d, row[0], row[1]);
    const V low23 = hn::InterleaveLower(d, row[2], row[3]);
    const V high01 = hn::InterleaveUpper(d, row[0], row[1]);
    const V high23 = hn::InterleaveUpper(d, row[2], row[3]);
    frame[0] = lower_pairs(low01, low23);
    frame[1] = upper_pairs(low01, low23);
    frame[2] = lower_pairs(high01, high23);
    frame[3] = upper_pairs(high01, high23);
}

/// Number of floats before the first vector-aligned one at or after `frame`.
HWY_INLINE std::int64_t floats_to_alignment(const float* frame) {
    const std::uintptr_t misaligned = reinterpret_cast<std::uintptr_t>(frame) / sizeof(float) % lanes;
    return static_cast<std::int64_t>((lanes - misaligned) % lanes);
}

HWY_INLINE void store_aligned(V vector, float* out, bool non_temporal) {
    if (non_temporal) {
        hn::Stream(vector, d, out);
    } else {
        hn::Store(vector, d, out);
    }
}

/// Writes the aligned vectors of up to four frames that begin in [first - lanes, last - lanes). Frames differ in their
/// alignment, so each stored vector joins the end of one transposed vector with the beginning of the next one.
HWY_INLINE void write_aligned(const float* sums, std::int64_t stride, std::int64_t first, std::int64_t last,
                              std::int64_t frames, float* vertices, std::int64_t frame_stride, bool non_temporal) {
    const hn::Rebind<std::int32_t, D> di;
    const auto lane = hn::Iota(di, 0);
    decltype(hn::IndicesFromVec(d, hn::Zero(di))) rotation[4];
    hn::Mask<D> is_end[4];
    float* out[4];
    V end[4];
    V transposed[4];
    transpose_four(sums + (first - lanes) * stride, stride, transposed);
    for (int t = 0; t < 4; ++t) {
        out[t] = vertices + std::min<std::int64_t>(t, frames - 1) * frame_stride;
        const std::int64_t shift = floats_to_alignment(out[t]);
        out[t] += shift;
        const auto source =
            hn::And(hn::Add(lane, hn::Set(di, static_cast<std::int32_t>(shift))), hn::Set(di, lanes - 1));
        rotation[t] = hn::IndicesFromVec(d, source);
        is_end[t] = hn::FirstN(d, static_cast<std::size_t>(lanes - shift));
        end[t] = hn::TableLookupLanes(transposed[t], rotation[t]);
    }
    for (std::int64_t i = first; i < last; i += lanes) {
        transpose_four(sums + i * stride, stride, transposed);
        for (int t = 0; t < 4; ++t) {
            const V rotated = hn::TableLookupLanes(transposed[t], rotation[t]);
            const V joined = hn::IfThenElse(is_end[t], end[t], rotated);
            end[t] = rotated;
            if (t >= frames) continue;
            store_aligned(joined, out[t] + (i - lanes), non_temporal);
        }
    }
}

void transpose(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t frames, float* vertices,
               std::int64_t frame_stride, bool non_temporal) {
    const std::int64_t in_vectors = coordinates / lanes * lanes;
    for (std::int64_t first = lanes; first < in_vectors; first += coordinates_per_pass) {
        for (std::int64_t t = 0; t < frames; t += 4) {
            write_aligned(sums + t, stride, first, std::min(first + coordinates_per_pass, in_vectors),
                          std::min<std::int64_t>(4, frames - t), vertices + t * frame_stride, frame_stride,
                          non_temporal);
        }
    }
    for (std::int64_t t = 0; t < frames; ++t) {  // the coordinates before and after the aligned vectors
        float* frame = vertices + t * frame_stride;
        const std::int64_t first = std::min(floats_to_alignment(frame), coordinates);
        write_scalars(sums + t, stride, 0, first, frame);
        write_scalars(sums + t, stride, first + std::max<std::int64_t>(in_vectors - lanes, 0), coordinates, frame);
    }
    if (non_temporal) hwy::FlushStream();
}

void repeat(const float* values, std::int64_t count, std::int64_t frames, float* vertices, std::int64_t frame_stride,
            bool non_temporal) {
    for (std::int64_t t = 0; t < frames; ++t) {
        float* frame = vertices + t * frame_stride;
        const std::int64_t first = std::min(floats_to_alignment(frame), count);
        const std::int64_t last = first + (count - first) / lanes * lanes;
        write_scalars(values, 1, 0, first, frame);
        for (std::int64_t i = first; i < last; i += lanes) {
            store_aligned(hn::Add(hn::LoadU(d, values + i), hn::Zero(d)), frame + i, non_temporal);
        }
        write_scalars(values, 1, last, count, frame);
    }
    if (non_temporal) hwy::FlushStream();
}
#endif

}  // namespace rigcast::rig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::rig {

RIGCAST_EXPORT(transpose);
RIGCAST_EXPORT(repeat);

void transpose_frames(const float* sums, std::int64_t sums_stride, std::int64_t coordinates, std::int64_t frames,
                      float* vertices, std::int64_t frame_stride, bool non_temporal) {
    RIGCAST_DISPATCH(transpose)(sums, sums_stride, coordinates, frames, vertices, frame_stride, non_temporal);
}

void repeat_frame(const float* values, std::int64_t count, std::int64_t frames, float* vertices,
                  std::int64_t frame_stride, bool non_temporal) {
    RIGCAST_DISPATCH(repeat)(values, count, frames, vertices, frame_stride, non_temporal);
}

}  // namespace rigcast::rig
#endif
