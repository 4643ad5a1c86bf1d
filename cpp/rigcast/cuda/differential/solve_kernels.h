#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

/// The element kernels before and after the solve of SolvePlan. Rows are frames or tangents.
namespace rigcast::cuda {

/// The right-hand sides L^T delta + S^T W^2 a, in the order of the rows of N: one column per frame and axis.
struct RightHandSides {
    const std::int32_t* order;
    const std::int32_t* neighbor_start;
    const std::int32_t* neighbor;
    const std::int32_t* anchor;
    const double* squared_weight;
    std::int64_t size;   // M
    const float* delta;  // (T, M, 3)
    const float* row;    // (T, row_width), with a (A, 3) from the column `first_anchor` on
    std::int64_t row_width;
    std::int64_t first_anchor;
    double* columns;  // (T, 3, M)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t i) const {
        const std::int32_t k = order[i];
        const float* of_frame = delta + frame * 3 * size;
        double sum[3];
        const double degree = neighbor_start[k + 1] - neighbor_start[k];
        for (int axis = 0; axis < 3; ++axis) sum[axis] = degree * of_frame[3 * k + axis];
        for (std::int32_t e = neighbor_start[k]; e < neighbor_start[k + 1]; ++e) {
            for (int axis = 0; axis < 3; ++axis) sum[axis] -= of_frame[3 * neighbor[e] + axis];
        }
        const std::int32_t a = anchor[k];
        for (int axis = 0; axis < 3; ++axis) {
            if (a >= 0) sum[axis] += squared_weight[a] * row[frame * row_width + first_anchor + 3 * a + axis];
            columns[(frame * 3 + axis) * size + i] = sum[axis];
        }
    }
};

/// Points p = v^0 + d, axis by axis. Without `rest`: their derivatives.
struct SolvedPoints {
    const double* columns;  // (T, 3, M)
    std::int64_t size;      // M
    const std::int32_t* solved_row;
    const float* rest;  // (V, 3) or null
    std::int64_t num_vertices;
    float* points;  // (T, 3, V)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t k) const {
        for (int axis = 0; axis < 3; ++axis) {
            const double base = rest == nullptr ? 0.0 : rest[3 * k + axis];
            points[(frame * 3 + axis) * num_vertices + k] =
                static_cast<float>(base + columns[(frame * 3 + axis) * size + solved_row[k]]);
        }
    }
};

}  // namespace rigcast::cuda
