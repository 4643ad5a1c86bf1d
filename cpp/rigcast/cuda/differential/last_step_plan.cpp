#include "rigcast/cuda/differential/last_step_plan.h"

#include <algorithm>
#include <cstddef>

#include "rigcast/differential/model/tail.h"

namespace rigcast::cuda {

LastStepPlan::LastStepPlan(const differential::Tail& tail, std::int64_t first_coefficient) {
    const differential::Folded folded = tail.folded();
    const std::int64_t num_coefficients = tail.num_coefficients();
    const std::int64_t num_anchors = tail.num_anchors();
    const std::int64_t num_vertices = static_cast<std::int64_t>(folded.constant.size()) / 3;
    const std::int64_t width = num_coefficients + num_anchors;
    std::vector<float> matrix(static_cast<std::size_t>(num_vertices * width));
    std::vector<float> constant(static_cast<std::size_t>(num_vertices));
    for (int axis = 0; axis < 3; ++axis) {
        for (std::int64_t r = 0; r < num_coefficients; ++r) {
            combined.push_back(static_cast<std::int32_t>(first_coefficient + r));
        }
        for (std::int64_t a = 0; a < num_anchors; ++a) {
            combined.push_back(static_cast<std::int32_t>(first_coefficient + num_coefficients + 3 * a + axis));
        }
        for (std::int64_t k = 0; k < num_vertices; ++k) {
            float* row = matrix.data() + k * width;
            std::copy_n(folded.basis.data() + (3 * k + axis) * num_coefficients, num_coefficients, row);
            std::copy_n(folded.anchor.data() + k * num_anchors, num_anchors, row + num_coefficients);
            constant[k] = folded.constant[3 * k + axis];
        }
        points.add(axis * width, {matrix.data(), {num_vertices, width}}, {constant.data(), {num_vertices}});
    }
}

}  // namespace rigcast::cuda
