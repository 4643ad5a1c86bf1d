#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/cuda/products/kernels.h"

/// The derivatives of the kernels in kernels.h: a row is a tangent of a pose.
namespace rigwright::cuda {

/// Which pose a tangent belongs to: `per_pose` successive tangents share one, and row 0 is tangent `first` of all.
struct TangentRows {
    std::int64_t first = 0, per_pose = 1;

    RIGWRIGHT_DEVICE std::int64_t pose(std::int64_t row) const { return (first + row) / per_pose; }
};

/// tangents (R, C): row r is the direction of column (first + r) % C.
struct UnitTangents {
    std::int64_t first, width;
    float* tangents;

    RIGWRIGHT_DEVICE void operator()(std::int64_t row, std::int64_t column) const {
        tangents[row * width + column] = column == (first + row) % width ? 1.0f : 0.0f;
    }
};

/// Jacobians (T, 3 V, C) from their columns: derivatives (R, 3 V) of unit tangents.
struct JacobianColumns {
    const float* derivatives;
    std::int64_t coordinates;
    std::int64_t first, width;
    float* jacobians;

    RIGWRIGHT_DEVICE void operator()(std::int64_t row, std::int64_t coordinate) const {
        const std::int64_t pose = (first + row) / width, column = (first + row) % width;
        jacobians[(pose * coordinates + coordinate) * width + column] = derivatives[row * coordinates + coordinate];
    }
};

/// The derivative of GlobalTransforms: from joint to root, d(P G) = dP G + P dG.
struct GlobalTransformTangents {
    const float* poses;  // (T, width)
    std::int64_t width;
    const std::int32_t* parents;
    const std::int32_t* joints;  // (count)
    std::int64_t count;
    const float* tangents;  // (R, width)
    TangentRows rows;
    float* transform_tangents;  // (R, count, 12)

    RIGWRIGHT_DEVICE void operator()(std::int64_t row, std::int64_t column) const {
        const float* pose = poses + rows.pose(row) * width;
        const float* tangent = tangents + row * width;
        std::int32_t joint = joints[column];
        float global[12], change[12];
        for (int e = 0; e < 12; ++e) global[e] = pose[12 * joint + e];
        for (int e = 0; e < 12; ++e) change[e] = tangent[12 * joint + e];
        for (joint = parents[joint]; joint >= 0; joint = parents[joint]) {
            prepend(pose + 12 * joint, tangent + 12 * joint, global, change);
            GlobalTransforms::prepend(pose + 12 * joint, global);
        }
        for (int e = 0; e < 12; ++e) transform_tangents[(row * count + column) * 12 + e] = change[e];
    }

    /// change = parent * change + parent_change * global.
    RIGWRIGHT_DEVICE static void prepend(const float* parent, const float* parent_change, const float* global,
                                         float* change) {
        for (int column = 0; column < 4; ++column) {
            const float x = change[column], y = change[4 + column], z = change[8 + column];
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
    TangentRows rows;
    const std::int32_t* offset;     // (V + 1) into the entries
    const std::int32_t* point;      // (E)
    const std::int32_t* transform;  // (E)
    const float* weight;            // (E)
    std::int64_t num_vertices;
    float* derivatives;  // (R, V, 3)

    RIGWRIGHT_DEVICE void operator()(std::int64_t row, std::int64_t k) const {
        const std::int64_t pose = rows.pose(row);
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (std::int32_t e = offset[k]; e < offset[k + 1]; ++e) {
            const float* p = points + (pose * num_points + point[e]) * 3;
            const float* dp = point_tangents + (row * num_points + point[e]) * 3;
            const float* x = transforms + (pose * num_transforms + transform[e]) * 12;
            const float* dx = transform_tangents + (row * num_transforms + transform[e]) * 12;
            for (int r = 0; r < 3; ++r) {
                float change = dx[4 * r + 3];
                for (int c = 0; c < 3; ++c) change += dx[4 * r + c] * p[c] + x[4 * r + c] * dp[c];
                sum[r] += weight[e] * change;
            }
        }
        for (int r = 0; r < 3; ++r) derivatives[(row * num_vertices + k) * 3 + r] = sum[r];
    }
};

}  // namespace rigwright::cuda
