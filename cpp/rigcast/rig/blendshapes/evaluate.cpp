#include <algorithm>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/rig/blendshapes/batch_memory.h"
#include "rigcast/rig/blendshapes/kernels.h"
#include "rigcast/rig/blendshapes/transpose_frames.h"

namespace rigcast::rig {
namespace {

/// Vertices of more bytes than this are stored past the caches: they would be evicted before anybody reads them. Chosen
/// near the size of a last-level cache, not tuned.
constexpr std::int64_t max_cached_bytes = 16 << 20;

/// More frames reuse the offsets of a group more often. At 128 the sums of a window, 3 * 512 * 128 floats or 768 KB,
/// still fit the L2 cache.
constexpr std::int64_t frames_per_part = 128;

/// More parts balance the threads better and repeat the activations of their frames more often. Chosen, not tuned.
constexpr std::int64_t parts_per_thread = 4;

}  // namespace

void copy_unmoved(std::span<const GroupedColumns::VertexRange> unmoved, const float* neutral, float* vertices) {
    for (const GroupedColumns::VertexRange& range : unmoved) {
        for (std::int64_t i = 3 * range.first; i < 3 * (std::int64_t{range.first} + range.count); ++i) {
            vertices[i] = neutral[i] + 0.0f;
        }
    }
}

void BlendshapeRig::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    evaluate_batch({poses, character().rest_vertices.data()}, vertices, threads);
}

void BlendshapeRig::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                           int threads) const {
    const std::vector<float> zero(static_cast<std::size_t>(3 * character().num_vertices()));
    evaluate_batch({poses, zero.data(), nullptr, &tangents}, derivatives, threads);
}

void BlendshapeRig::evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                                    int threads) const {
    check_arguments("evaluate", "out", weights, vertices);
    check_prefix("evaluate", prefix, num_shapes(), weights.extent(0));
    evaluate_batch({weights, character().rest_vertices.data(), &prefix}, vertices, threads);
}

/// Cuts frames, and windows if the frames make too few parts for the threads. The cut changes no bytes.
void BlendshapeRig::evaluate_batch(const Batch& batch, View<float, 3> vertices, int threads) const {
    const std::int64_t frames = batch.weights.extent(0);
    const std::int64_t windows = grouped_.num_windows();
    if (frames == 0) return;
    if (threads <= 0) threads = num_processors();
    const std::int64_t frame_parts = (frames + frames_per_part - 1) / frames_per_part;
    const std::int64_t cuts = threads == 1 ? 1 : (parts_per_thread * threads + frame_parts - 1) / frame_parts;
    const std::int64_t windows_per_part = (windows + cuts - 1) / cuts;
    const std::int64_t window_parts = (windows + windows_per_part - 1) / windows_per_part;
    const std::int64_t bytes = frames * 3 * character().num_vertices() * static_cast<std::int64_t>(sizeof(float));
    parallel_for(frame_parts * window_parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t frame = i / window_parts * frames_per_part;
            const std::int64_t window = i % window_parts * windows_per_part;
            const Part part{frame, std::min(frames_per_part, frames - frame), window,
                            std::min(window + windows_per_part, windows), bytes > max_cached_bytes};
            // Less than half a vector of frames is faster serially. Measured with 16 lanes: both are equal at 6 frames.
            if (2 * part.num_frames >= blendshape_kernels().lanes) {
                evaluate_in_lanes(batch, part, vertices);
            } else {
                evaluate_serially(batch, part, vertices);
            }
        }
    });
}

/// Writes the activations (N) of a frame, times the scales of the columns, and adds the columns whose activation is not
/// 0 to the set `used`.
void BlendshapeRig::activate(const Batch& batch, std::int64_t frame, const std::int32_t* rank, float* activations,
                             std::uint32_t* used) const {
    const float* weights = batch.weights.row(frame);
    if (batch.tangents == nullptr) {
        this->activations({weights, {num_shapes()}}, {activations, {num_columns()}});
    } else {
        const float* tangents = batch.tangents->row(frame);
        std::copy_n(tangents, num_shapes(), activations);
        for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
            activations[num_shapes() + c] = drivers_.activation_tangent(c, weights, tangents);
        }
    }
    if (batch.prefix) clear_unused(rank, batch.prefix->length(frame), activations);
    for (std::int64_t n = 0; n < num_columns(); ++n) {
        if (activations[n] == 0.0f) continue;
        activations[n] *= grouped_.scale(n);
        used[n / 32] |= std::uint32_t{1} << (n % 32);
    }
}

/// Sets the activations of columns outside a prefix to 0.
void BlendshapeRig::clear_unused(const std::int32_t* rank, std::int32_t length, float* activations) const {
    const std::int64_t shapes = num_shapes();
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (rank[k] >= length) activations[k] = 0.0f;
    }
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        const auto drivers = drivers_.of(c);
        const auto is_outside = [&](const Driver& driver) { return rank[driver.shape] >= length; };
        if (std::any_of(drivers.begin(), drivers.end(), is_outside)) activations[shapes + c] = 0.0f;
    }
}

/// One frame per vector lane: the offsets of a group are read once for all frames.
void BlendshapeRig::evaluate_in_lanes(const Batch& batch, const Part& part, View<float, 3> vertices) const {
    const LaneMemory memory(*this, batch, part.num_frames);
    for (std::int64_t t = 0; t < part.num_frames; ++t) {
        activate(batch, part.first_frame + t, memory.lists.rank, memory.frame_activations, memory.used);
        memory.store_frame(t);
    }
    for (std::int64_t w = part.first_window; w < part.last_window; ++w) {
        evaluate_window(batch, part, w, memory, vertices.row(part.first_frame));
    }
}

void BlendshapeRig::evaluate_window(const Batch& batch, const Part& part, std::int64_t window, const LaneMemory& memory,
                                    float* vertices) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    const std::int64_t first_vertex = window * GroupedColumns::vertices_per_window;
    const std::int64_t frame_stride = 3 * character().num_vertices();
    const std::int64_t coordinates = std::min(coordinates_per_window, frame_stride - 3 * first_vertex);
    float* window_vertices = vertices + 3 * first_vertex;
    if (grouped_.first_group(window) == grouped_.first_group(window + 1)) {
        repeat_frame(batch.base + 3 * first_vertex, coordinates, part.num_frames, window_vertices, frame_stride,
                     part.non_temporal);
        return;
    }
    memory.for_calls([&](std::int64_t, std::int64_t frames, const float*, float* sums) {
        for (const GroupedColumns::VertexRange& range : grouped_.unmoved(window)) {
            for (std::int64_t i = 3 * range.first; i < 3 * (std::int64_t{range.first} + range.count); ++i) {
                std::fill_n(sums + (i - 3 * first_vertex) * frames, frames, batch.base[i]);
            }
        }
    });
    for (std::int64_t g = grouped_.first_group(window); g < grouped_.first_group(window + 1); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        const GroupRows rows = grouped_.rows(group, memory.used, memory.lists.row_begin, memory.lists.row_column);
        const float* values = memory.values;
        if (!grouped_.is_int16()) {
            values = grouped_.float_values() + group.data;
        } else if (rows.num_rows > 0) {
            kernels.convert_int16(grouped_.int16_values() + group.data, grouped_.num_values(g), memory.values);
        }
        memory.for_calls([&](std::int64_t, std::int64_t frames, const float* activations, float* sums) {
            kernels.evaluate_frames(rows, values, batch.base, activations, frames, first_vertex, sums);
        });
    }
    memory.for_calls([&](std::int64_t first, std::int64_t frames, const float*, const float* sums) {
        transpose_frames(sums, frames, coordinates, std::min(frames, part.num_frames - first),
                         window_vertices + first * frame_stride, frame_stride, part.non_temporal);
    });
}

/// One frame after another: vectors run along the coordinates of a group.
void BlendshapeRig::evaluate_serially(const Batch& batch, const Part& part, View<float, 3> vertices) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    const SerialMemory memory(*this, batch, part.num_frames);
    const std::int64_t words = grouped_.num_words();
    for (std::int64_t t = 0; t < part.num_frames; ++t) {
        activate(batch, part.first_frame + t, memory.lists.rank, memory.activations + t * num_columns(),
                 memory.used + t * words);
    }
    for (std::int64_t w = part.first_window; w < part.last_window; ++w) {
        for (std::int64_t t = 0; t < part.num_frames; ++t) {
            const float* activations = memory.activations + t * num_columns();
            float* frame = vertices.row(part.first_frame + t);
            copy_unmoved(grouped_.unmoved(w), batch.base, frame);
            for (std::int64_t g = grouped_.first_group(w); g < grouped_.first_group(w + 1); ++g) {
                const GroupedColumns::Group group = grouped_.group(g);
                const GroupRows rows =
                    grouped_.rows(group, memory.used + t * words, memory.lists.row_begin, memory.lists.row_column);
                if (grouped_.is_int16()) {
                    kernels.evaluate_frame_int16(rows, grouped_.int16_values_from(group), batch.base, activations,
                                                 frame);
                } else {
                    kernels.evaluate_frame(rows, grouped_.float_values_from(group), batch.base, activations, frame);
                }
            }
        }
    }
}

}  // namespace rigcast::rig
