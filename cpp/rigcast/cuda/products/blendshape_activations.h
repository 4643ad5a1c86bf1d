#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/core/tent.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {

/// The drivers of the combinations (rig::Driver), as BlendshapePlan lists them. Combination c has the drivers offset[c]
/// to before offset[c + 1].
struct DriverLists {
    const std::int32_t* offset;  // (C + 1)
    const std::int32_t* shape;   // (M)
    const float* tent;           // (M, 3), zeros for a plain weight

    RIGCAST_DEVICE bool is_plain(std::int32_t d) const {
        return tent[3 * d] == 0.0f && tent[3 * d + 1] == 0.0f && tent[3 * d + 2] == 0.0f;
    }
    RIGCAST_DEVICE Tent<float> tent_of(std::int32_t d) const { return {tent[3 * d], tent[3 * d + 1], tent[3 * d + 2]}; }
    RIGCAST_DEVICE float value(std::int32_t d, const float* weights) const {
        const float w = weights[shape[d]];
        return is_plain(d) ? w : tent_of(d).value(w);
    }
    /// The derivative of `value`; at a corner of the tent, that toward larger weights.
    RIGCAST_DEVICE float slope(std::int32_t d, const float* weights) const {
        return is_plain(d) ? 1.0f : tent_of(d).slope(weights[shape[d]], 1);
    }
};

/// The frames of a batch in the order of descending prefix lengths.
struct SortedFrames {
    const std::int32_t* length;  // (T) shapes in each frame's prefix, or null: all shapes
    const std::int32_t* row;     // (T) of the weights and of the vertices, or null: in their order

    RIGCAST_DEVICE bool contains(std::int64_t frame, std::int32_t rank) const {
        return length == nullptr || rank < length[frame];
    }
    RIGCAST_DEVICE std::int64_t row_of(std::int64_t frame) const { return row == nullptr ? frame : row[frame]; }
};

/// Activations of blendshape columns, times the columns' scales. An activation is the weight of a shape or a product of
/// drivers; it is 0 if one of its shapes is not in the frame's prefix. There is no addition after a product, which one
/// kernel could fuse and another not: an activation has the same bytes wherever it is computed.
struct BlendshapeActivations {
    const float* weights;  // (T, K)
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;              // (N)
    const std::int32_t* shape_rank;  // (K) position of each shape in the order
    SortedFrames frames;

    RIGCAST_DEVICE float value(std::int64_t n, std::int64_t frame) const {
        const float* w = weights + frames.row_of(frame) * num_shapes;
        float product = 1.0f;
        bool inside = true;
        if (n < num_shapes) {
            product = w[n];
            inside = frames.contains(frame, shape_rank[n]);
        } else {
            for (std::int32_t d = drivers.offset[n - num_shapes]; d < drivers.offset[n - num_shapes + 1]; ++d) {
                product *= drivers.value(d, w);
                inside = inside && frames.contains(frame, shape_rank[drivers.shape[d]]);
            }
        }
        return inside ? product * scale[n] : 0.0f;
    }
};

/// The derivatives of the activations, without prefixes, along tangents of the weights.
struct BlendshapeActivationTangents {
    const float* weights;   // (T, K)
    const float* tangents;  // (R, K)
    TangentFrames frames;
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;  // (N)

    RIGCAST_DEVICE float value(std::int64_t n, std::int64_t r) const {
        const float* w = weights + frames.frame(r) * num_shapes;
        const float* dw = tangents + r * num_shapes;
        float sum = 0.0f;
        if (n < num_shapes) {
            sum = dw[n];
        } else {
            const std::int32_t begin = drivers.offset[n - num_shapes];
            const std::int32_t end = drivers.offset[n - num_shapes + 1];
            for (std::int32_t d = begin; d < end; ++d) {
                float product = dw[drivers.shape[d]] * drivers.slope(d, w);
                for (std::int32_t other = begin; other < end; ++other) {
                    if (other != d) product *= drivers.value(other, w);
                }
                sum += product;
            }
        }
        return sum * scale[n];
    }
};

/// The frames of a batch as groups, one per team of BlendshapeProduct, and where the activations of a group lie. Frame
/// 8 j + c of a group is column c of the j-th tile of the matrix units; a lane reads a rig column's activations in all
/// tiles at once.
struct FrameGroups {
    std::int64_t num_frames;
    std::int64_t num_groups;
    std::int32_t frames_per_group;
    std::int32_t slots;  // numbers that a lane reads at once, at least the tiles of a group

    /// Numbers per group and rig column.
    RIGCAST_DEVICE std::int32_t pitch() const { return FloatTile::columns * slots; }
    RIGCAST_DEVICE std::int64_t first_frame(std::int64_t group) const { return group * frames_per_group; }
    RIGCAST_DEVICE std::int32_t frames_of(std::int64_t group) const {
        const std::int64_t left = num_frames - first_frame(group);
        return left < frames_per_group ? static_cast<std::int32_t>(left) : frames_per_group;
    }
    /// The activation of column n at a place below pitch(); 0 where there is no frame.
    template <class Source>
    RIGCAST_DEVICE float value(const Source& source, std::int64_t group, std::int64_t n, std::int32_t place) const {
        const std::int32_t frame = FloatTile::columns * (place % slots) + place / slots;
        return frame < frames_of(group) ? source.value(n, first_frame(group) + frame) : 0.0f;
    }
};

/// Activations that were computed before the product.
struct StoredActivations {
    const float* numbers;  // (groups, N, pitch)
    std::int64_t num_columns;

    /// The activations (N, pitch) of a group.
    template <class Team>
    RIGCAST_TEAM const float* of_group(const Team&, const FrameGroups& groups, std::int64_t group, float*) const {
        return numbers + group * num_columns * groups.pitch();
    }
};

/// Activations that each team computes, which saves a launch.
struct OwnActivations {
    BlendshapeActivations source;
    std::int64_t num_columns;

    /// The activations (N, pitch) of a group, in memory of the team.
    template <class Team>
    RIGCAST_TEAM const float* of_group(const Team& team, const FrameGroups& groups, std::int64_t group,
                                       float* memory) const {
        const std::int32_t pitch = groups.pitch();
        team.each(static_cast<int>(num_columns) * pitch,
                  [&](int i) { memory[i] = groups.value(source, group, i / pitch, i % pitch); });
        return memory;
    }
};

/// Computes stored activations: row n, column group * pitch + place.
template <class Source>
struct StoreActivations {
    Source source;
    FrameGroups groups;
    std::int64_t num_columns;
    float* numbers;  // (groups, N, pitch)

    RIGCAST_DEVICE void operator()(std::int64_t n, std::int64_t column) const {
        const std::int64_t group = column / groups.pitch();
        const auto place = static_cast<std::int32_t>(column % groups.pitch());
        numbers[(group * num_columns + n) * groups.pitch() + place] = groups.value(source, group, n, place);
    }
};

}  // namespace rigcast::cuda
