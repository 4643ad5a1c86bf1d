#include "rigcast/mesh/smoothing.h"

#include <algorithm>

namespace rigcast::mesh {

void Smoothing::apply(float* points, float* scratch) const {
    for (int round = 0; round < iterations_; ++round) {
        for (std::int64_t k = 0; k < num_vertices_; ++k) {
            const std::int32_t begin = neighbors_.start[k];
            const std::int32_t end = neighbors_.start[k + 1];
            const float neighbor_weight = begin == end ? 0.0f : step_ / static_cast<float>(end - begin);
            const float own_weight = begin == end ? 1.0f : 1.0f - step_;
            float sum[3] = {};
            for (std::int32_t e = begin; e < end; ++e) {
                const float* m = points + 3 * static_cast<std::int64_t>(neighbors_.vertex[e]);
                for (int axis = 0; axis < 3; ++axis) sum[axis] += m[axis];
            }
            for (int axis = 0; axis < 3; ++axis)
                scratch[3 * k + axis] = own_weight * points[3 * k + axis] + neighbor_weight * sum[axis];
        }
        std::copy_n(scratch, 3 * num_vertices_, points);
    }
}

void Smoothing::apply_transposed(float* gradient, float* scratch) const {
    for (int round = 0; round < iterations_; ++round) {
        for (std::int64_t k = 0; k < num_vertices_; ++k) {  // scratch: what vertex k adds to each of its neighbors
            const std::int32_t count = neighbors_.start[k + 1] - neighbors_.start[k];
            const float neighbor_weight = count == 0 ? 0.0f : step_ / static_cast<float>(count);
            const float own_weight = count == 0 ? 1.0f : 1.0f - step_;
            for (int axis = 0; axis < 3; ++axis) {
                scratch[3 * k + axis] = neighbor_weight * gradient[3 * k + axis];
                gradient[3 * k + axis] *= own_weight;
            }
        }
        for (std::int64_t k = 0; k < num_vertices_; ++k) {
            for (std::int32_t e = neighbors_.start[k]; e < neighbors_.start[k + 1]; ++e) {
                const float* m = scratch + 3 * static_cast<std::int64_t>(neighbors_.vertex[e]);
                for (int axis = 0; axis < 3; ++axis) gradient[3 * k + axis] += m[axis];
            }
        }
    }
}

}  // namespace rigcast::mesh
