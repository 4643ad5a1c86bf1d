#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/products/kernels.h"

/// The derivatives of the kernels in kernels.h. Rows are tangents; each belongs to a frame.
namespace rigcast::cuda {

/// The frames of a batch of tangents: `per_frame` successive tangents belong to one frame, and the batch starts with
/// tangent number `first`.
struct TangentFrames {
    std::int64_t first = 0;
    std::int64_t per_frame = 1;

    RIGCAST_DEVICE std::int64_t frame(std::int64_t tangent) const { return (first + tangent) / per_frame; }
};

/// Unit tangents (R, C): tangent r is the direction of pose column (first + r) % C.
struct UnitTangents {
    std::int64_t first;
    std::int64_t width;  // C
    float* tangents;

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t column) const {
        tangents[r * width + column] = column == (first + r) % width ? 1.0f : 0.0f;
    }
};

/// Jacobians (T, 3 V, C) from derivatives (R, 3 V) along the UnitTangents that start with number `first`.
struct JacobianColumns {
    const float* derivatives;
    std::int64_t num_coordinates;  // 3 V
    std::int64_t first;
    std::int64_t width;  // C
    float* jacobians;

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t coordinate) const {
        const std::int64_t frame = (first + r) / width;
        const std::int64_t column = (first + r) % width;
        jacobians[(frame * num_coordinates + coordinate) * width + column] =
            derivatives[r * num_coordinates + coordinate];
    }
};

/// The derivative of GlobalTransforms: from the joint to its root, d(P G) = dP G + P dG.
struct GlobalTransformTangents {
    const float* poses;  // (T, width)
    std::int64_t width;
    const std::int32_t* parents;
    const std::int32_t* joints;  // (count)
    std::int64_t count;
    const float* tangents;  // (R, width)
    TangentFrames frames;
    float* transform_tangents;  // (R, count, 12)

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t i) const {
        const float* pose = poses + frames.frame(r) * width;
        const float* tangent = tangents + r * width;
        std::int32_t joint = joints[i];
        float global[12];
        float change[12];
        for (int e = 0; e < 12; ++e) global[e] = pose[12 * joint + e];
        for (int e = 0; e < 12; ++e) change[e] = tangent[12 * joint + e];
        for (joint = parents[joint]; joint >= 0; joint = parents[joint]) {
            prepend(pose + 12 * joint, tangent + 12 * joint, global, change);
            GlobalTransforms::prepend(pose + 12 * joint, global);
        }
        for (int e = 0; e < 12; ++e) transform_tangents[(r * count + i) * 12 + e] = change[e];
    }

    /// change = parent * change + parent_change * global.
    RIGCAST_DEVICE static void prepend(const float* parent, const float* parent_change, const float* global,
                                       float* change) {
        for (int column = 0; column < 4; ++column) {
            const float x = change[column];
            const float y = change[4 + column];
            const float z = change[8 + column];
            for (int r = 0; r < 3; ++r) {
                const float* p = parent + 4 * r;
                const float* d = parent_change + 4 * r;
                const float shift = column == 3 ? d[3] : 0.0f;
                change[4 * r + column] = shift + p[0] * x + p[1] * y + p[2] * z + d[0] * global[column] +
                                         d[1] * global[4 + column] + d[2] * global[8 + column];
            }
        }
    }
};

/// The derivative of Blend: dv_k = sum_e weight_e (dX_e p_e + dt_e + X_e dp_e).
struct BlendTangents {
    const float* points;          // (T, M, 3)
    const float* point_tangents;  // (R, M, 3)
    std::int64_t num_points;
    const float* transforms;          // (T, S, 12)
    const float* transform_tangents;  // (R, S, 12)
    std::int64_t num_transforms;
    TangentFrames frames;
    const std::int32_t* offset;     // (V + 1) into the entries
    const std::int32_t* point;      // (E)
    const std::int32_t* transform;  // (E)
    const float* weight;            // (E)
    std::int64_t num_vertices;
    float* derivatives;  // (R, V, 3)

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t k) const {
        const std::int64_t frame = frames.frame(r);
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (std::int32_t e = offset[k]; e < offset[k + 1]; ++e) {
            const float* p = points + (frame * num_points + point[e]) * 3;
            const float* dp = point_tangents + (r * num_points + point[e]) * 3;
            const float* x = transforms + (frame * num_transforms + transform[e]) * 12;
            const float* dx = transform_tangents + (r * num_transforms + transform[e]) * 12;
            for (int axis = 0; axis < 3; ++axis) {
                float change = dx[4 * axis + 3];
                for (int c = 0; c < 3; ++c) change += dx[4 * axis + c] * p[c] + x[4 * axis + c] * dp[c];
                sum[axis] += weight[e] * change;
            }
        }
        for (int axis = 0; axis < 3; ++axis) derivatives[(r * num_vertices + k) * 3 + axis] = sum[axis];
    }
};

}  // namespace rigcast::cuda
