#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

/// Element kernels: values whose call operator (row, column) computes one result, without cooperation of threads. Rows
/// are frames. All sums have a fixed order, so that a frame has the same bytes in any batch.
namespace rigcast::cuda {

/// target(t, i) = source(t, columns[i])
struct Gather {
    const float* source;  // (T, width)
    std::int64_t width;
    const std::int32_t* columns;  // (count)
    std::int64_t count;
    float* target;  // (T, count)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t i) const {
        target[frame * count + i] = source[frame * width + columns[i]];
    }
};

/// Global transforms of chosen joints: products of the parent-relative transforms (3x4, row-major) from the joint up to
/// its root. One thread per joint, so that no thread waits for another.
struct GlobalTransforms {
    const float* poses;  // (T, width), 12 numbers per joint
    std::int64_t width;
    const std::int32_t* parents;  // (J), -1 for a root
    const std::int32_t* joints;   // (count)
    std::int64_t count;
    float* transforms;  // (T, count, 12)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t i) const {
        const float* pose = poses + frame * width;
        std::int32_t joint = joints[i];
        float global[12];
        for (int e = 0; e < 12; ++e) global[e] = pose[12 * joint + e];
        for (joint = parents[joint]; joint >= 0; joint = parents[joint]) prepend(pose + 12 * joint, global);
        for (int e = 0; e < 12; ++e) transforms[(frame * count + i) * 12 + e] = global[e];
    }

    /// global = parent * global.
    RIGCAST_DEVICE static void prepend(const float* parent, float* global) {
        for (int column = 0; column < 4; ++column) {
            const float x = global[column];
            const float y = global[4 + column];
            const float z = global[8 + column];
            for (int r = 0; r < 3; ++r) {
                const float shift = column == 3 ? parent[4 * r + 3] : 0.0f;
                global[4 * r + column] = shift + parent[4 * r] * x + parent[4 * r + 1] * y + parent[4 * r + 2] * z;
            }
        }
    }
};

/// v_k = sum_e weight_e (X_e p_e + t_e) over the entries e of vertex k, in their order: entry e is point[e] transformed
/// by transform[e] (Bailey et al. 2018, eq. 2, with a partition of unity).
struct Blend {
    const float* points;  // (T, M, 3)
    std::int64_t num_points;
    const float* transforms;  // (T, S, 12)
    std::int64_t num_transforms;
    const std::int32_t* offset;     // (V + 1) into the entries
    const std::int32_t* point;      // (E)
    const std::int32_t* transform;  // (E)
    const float* weight;            // (E)
    std::int64_t num_vertices;
    float* vertices;  // (T, V, 3)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t k) const {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (std::int32_t e = offset[k]; e < offset[k + 1]; ++e) {
            const float* p = points + (frame * num_points + point[e]) * 3;
            const float* x = transforms + (frame * num_transforms + transform[e]) * 12;
            for (int r = 0; r < 3; ++r) {
                sum[r] += weight[e] * (x[4 * r] * p[0] + x[4 * r + 1] * p[1] + x[4 * r + 2] * p[2] + x[4 * r + 3]);
            }
        }
        for (int r = 0; r < 3; ++r) vertices[(frame * num_vertices + k) * 3 + r] = sum[r];
    }
};

}  // namespace rigcast::cuda
