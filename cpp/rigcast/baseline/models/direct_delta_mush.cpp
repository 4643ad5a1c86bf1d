#include "rigcast/baseline/models/direct_delta_mush.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigcast/baseline/models/restricted_rows.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"
#include "rigcast/rig/skinning/frame_blocks.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::baseline {
namespace {

constexpr int numbers_per_matrix = 10;
constexpr int place[3][3] = {{0, 1, 2}, {1, 4, 5}, {2, 5, 7}};  // of P in the ten numbers
constexpr int column[3] = {3, 6, 8};                            // of s
constexpr int mass = 9;                                         // of m

}  // namespace

/// Q and q of a vertex, or their derivatives.
struct DirectDeltaMush::Blend {
    double matrix[9] = {};
    double point[3] = {};
};

DirectDeltaMush::DirectDeltaMush(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
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

/// Linear in the transforms: derivatives give derivatives. In Q, points A p + b are taken relative to their mean, which
/// spares a cancellation: the s of a vertex sum to 0.
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

/// Adds the gradient with respect to the skinning transforms (J, 3, 4).
void DirectDeltaMush::pull_back(const float* transforms, std::int64_t vertex, const float* cotangent,
                                float* gradient) const {
    const linalg::Polar polar = linalg::polar_decomposition(blend(transforms, vertex).matrix);
    double d[3], turned[3] = {}, zeros[9] = {}, q[9] = {};  // turned: R^T g; q: the gradient with respect to Q
    detail(vertex, d);
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) turned[e] += polar.rotation[3 * row + e] * cotangent[row];
    }
    const double w[3] = {d[1] * turned[2] - d[2] * turned[1], d[2] * turned[0] - d[0] * turned[2],
                         d[0] * turned[1] - d[1] * turned[0]};
    linalg::polar_vjp(polar, zeros, w, q);
    const float* p = center_.row(vertex);
    double sum[3] = {};  // of s
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        for (int e = 0; e < 3; ++e) sum[e] += matrix_(vertex, i, column[e]);
    }
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        const float* numbers = &matrix_(vertex, i, 0);
        float* g = gradient + 12 * joint_(vertex, i);
        for (int row = 0; row < 3; ++row) {
            double b = static_cast<double>(cotangent[row]) * numbers[mass];
            for (int e = 0; e < 3; ++e) b += q[3 * row + e] * (numbers[column[e]] - numbers[mass] * sum[e]);
            for (int n = 0; n < 3; ++n) {
                double a = static_cast<double>(cotangent[row]) * numbers[column[n]] + b * p[n];
                for (int e = 0; e < 3; ++e) a += q[3 * row + e] * numbers[place[n][e]];
                g[4 * row + n] += static_cast<float>(a);
            }
            g[4 * row + 3] += static_cast<float>(b);
        }
    }
}

void DirectDeltaMush::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                             int threads) const {
    const std::size_t size = Scratch::padded(transforms_size());
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(3 * size);
        float* globals = memory.data();
        float* skinning = globals + size;
        float* gradient = skinning + size;
        for (std::int64_t t = begin; t < end; ++t) {
            rig::skinning_transforms(character().skeleton, poses.row(t), globals, skinning);
            rig::check_overflow("vjp", t, skinning, static_cast<std::int64_t>(transforms_size()));
            std::fill_n(gradient, size, 0.0f);
            for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
                pull_back(skinning, k, cotangents.row(t) + 3 * k, gradient);
            }
            rig::skinning_vjp(character().skeleton, poses.row(t), globals, gradient, gradients.extent(1),
                              gradients.row(t));
        }
    });
}

void DirectDeltaMush::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                             int threads) const {
    const std::size_t size = Scratch::padded(transforms_size());
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), 4 * size, threads,
        [&](std::int64_t t, float* state) {
            rig::skinning_transforms(character().skeleton, poses.row(t), state + 2 * size, state);
            rig::check_overflow("jvp", t, state, static_cast<std::int64_t>(transforms_size()));
            rig::skinning_jvp(character().skeleton, poses.row(t), state + 2 * size, tangents.row(t), state + 3 * size,
                              state + size);
        },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) {
                const linalg::Polar polar = linalg::polar_decomposition(blend(state, k).matrix);
                const Blend change = blend(state + size, k);
                double stretch[9], w[3], d[3];
                linalg::polar_jvp(polar, change.matrix, stretch, w);
                detail(k, d);
                const double turned[3] = {w[1] * d[2] - w[2] * d[1], w[2] * d[0] - w[0] * d[2],
                                          w[0] * d[1] - w[1] * d[0]};
                for (int row = 0; row < 3; ++row) {
                    const double* r = polar.rotation + 3 * row;
                    derivatives(t, k, row) =
                        static_cast<float>(r[0] * turned[0] + r[1] * turned[1] + r[2] * turned[2] + change.point[row]);
                }
            }
        });
}

std::shared_ptr<rig::Deformer> DirectDeltaMush::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    auto tensors = std::make_shared<TensorFile>(rig::restricted_tensors(character(), vertices, {"mush."}));
    add_vertex_rows<std::int32_t, 2>(source, "mush.joint", vertices, tensors.get());
    add_vertex_rows<float, 3>(source, "mush.matrix", vertices, tensors.get());
    add_vertex_rows<float, 2>(source, "mush.center", vertices, tensors.get());
    return std::make_shared<DirectDeltaMush>(std::move(tensors));
}

}  // namespace rigcast::baseline
