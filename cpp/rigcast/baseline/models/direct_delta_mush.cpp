#include "rigcast/baseline/models/direct_delta_mush.h"

#include <cmath>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/skinning/frame_blocks.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::baseline {
namespace {

constexpr int numbers_per_matrix = 10;
constexpr int place[3][3] = {{0, 1, 2}, {1, 4, 5}, {2, 5, 7}};  // of P in the ten numbers
constexpr int column[3] = {3, 6, 8};                            // of s
constexpr int mass = 9;                                         // of m

}  // namespace

/// Q and q of a vertex.
struct DirectDeltaMush::Blend {
    double matrix[9] = {};
    double point[3] = {};
};

DirectDeltaMush::DirectDeltaMush(std::shared_ptr<const TensorFile> tensors)
    : ForwardOnly(std::move(tensors)),
      joint_(character().tensors->get<std::int32_t, 2>("mush.joint", {character().num_vertices(), -1})),
      matrix_(character().tensors->get<float, 3>("mush.matrix",
                                                 {character().num_vertices(), joint_.extent(1), numbers_per_matrix})),
      center_(character().tensors->get<float, 2>("mush.center", {character().num_vertices(), 3})) {
    for (std::int64_t k = 0; k < joint_.extent(0); ++k) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
            if (joint_(k, i) < 0 || joint_(k, i) >= character().skeleton.num_joints()) {
                throw bad_argument("load", "mush.joint", "holding " + std::to_string(joint_(k, i)),
                                   "joints of the skeleton");
            }
            sum += matrix_(k, i, mass);
        }
        if (!(std::abs(sum - 1.0) <= 1e-3)) {
            throw bad_argument("load", "mush.matrix at vertex " + std::to_string(k), "of sum " + std::to_string(sum),
                               "of sum 1 in its last entries");
        }
    }
}

/// In Q, points A p + b are taken relative to their mean, which spares a cancellation: the s of a vertex sum to 0.
DirectDeltaMush::Blend DirectDeltaMush::blend(const float* transforms, std::int64_t vertex) const {
    const float* p = center_.row(vertex);
    const auto moved = [&](std::int64_t i, double* out) {
        const float* a = transforms + 12 * joint_(vertex, i);
        for (int row = 0; row < 3; ++row) {
            const float* r = a + 4 * row;
            out[row] = static_cast<double>(r[0]) * p[0] + static_cast<double>(r[1]) * p[1] +
                       static_cast<double>(r[2]) * p[2] + r[3];
        }
    };
    Blend sum;
    double mean[3] = {};
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        const float* numbers = &matrix_(vertex, i, 0);
        const float* a = transforms + 12 * joint_(vertex, i);
        double b[3];
        moved(i, b);
        for (int row = 0; row < 3; ++row) {
            mean[row] += b[row] * numbers[mass];
            for (int e = 0; e < 3; ++e) sum.point[row] += static_cast<double>(a[4 * row + e]) * numbers[column[e]];
        }
    }
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        const float* numbers = &matrix_(vertex, i, 0);
        const float* a = transforms + 12 * joint_(vertex, i);
        double b[3];
        moved(i, b);
        for (int row = 0; row < 3; ++row) {
            const double offset = b[row] - mean[row];
            for (int e = 0; e < 3; ++e) {
                double entry = offset * numbers[column[e]];
                for (int n = 0; n < 3; ++n) entry += static_cast<double>(a[4 * row + n]) * numbers[place[n][e]];
                sum.matrix[3 * row + e] += entry;
            }
        }
    }
    for (int row = 0; row < 3; ++row) sum.point[row] += mean[row];
    return sum;
}

/// v^0 - p.
void DirectDeltaMush::detail(std::int64_t vertex, double* out) const {
    for (int e = 0; e < 3; ++e) {
        out[e] = static_cast<double>(character().rest_vertices(vertex, e)) - center_(vertex, e);
    }
}

void DirectDeltaMush::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const std::size_t size = transforms_size();
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), 2 * size, threads,
        [&](std::int64_t t, float* state) {
            rig::skinning_transforms(character().skeleton, poses.row(t), state + size, state);
            rig::check_overflow("evaluate", t, state, static_cast<std::int64_t>(size));
        },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) {
                const Blend sum = blend(state, k);
                const linalg::Polar polar = linalg::polar_decomposition(sum.matrix);
                double d[3];
                detail(k, d);
                for (int row = 0; row < 3; ++row) {
                    const double* r = polar.rotation + 3 * row;
                    vertices(t, k, row) = static_cast<float>(r[0] * d[0] + r[1] * d[1] + r[2] * d[2] + sum.point[row]);
                }
            }
            rig::check_overflow("evaluate", t, vertices.row(t) + 3 * first, 3 * (last - first));
        });
}

}  // namespace rigcast::baseline
