#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/linalg/polar.h"
#include "rigcast/transfer/deformation_transfer.h"

namespace rigcast::transfer {
namespace {

/// Second moments of the matched points of one component about their centroids.
struct Moments {
    std::int64_t count = 0;
    linalg::Vec3 source{};          // centroid
    linalg::Vec3 target{};          // centroid
    std::array<double, 9> cross{};  // sum t s^T
    double source_spread = 0.0;
    double target_spread = 0.0;
};

/// The moments of each component; `component` (V) is that of each vertex.
std::vector<Moments> moments(const std::vector<std::int32_t>& component, std::int32_t count,
                             View<const float, 2> source, View<const float, 2> target) {
    std::vector<Moments> result(count);
    for (std::size_t v = 0; v < component.size(); ++v) {
        Moments& m = result[component[v]];
        ++m.count;
        for (int i = 0; i < 3; ++i) {
            m.source[i] += source(v, i);
            m.target[i] += target(v, i);
        }
    }
    for (Moments& m : result) {
        for (int i = 0; i < 3; ++i) {
            m.source[i] /= static_cast<double>(m.count);
            m.target[i] /= static_cast<double>(m.count);
        }
    }
    for (std::size_t v = 0; v < component.size(); ++v) {
        Moments& m = result[component[v]];
        linalg::Vec3 s;
        linalg::Vec3 t;
        for (int i = 0; i < 3; ++i) {
            s[i] = source(v, i) - m.source[i];
            t[i] = target(v, i) - m.target[i];
            m.source_spread += s[i] * s[i];
            m.target_spread += t[i] * t[i];
        }
        for (int i = 0; i < 9; ++i) m.cross[i] += t[i / 3] * s[i % 3];
    }
    return result;
}

/// Returns true if the cross moments have rank 2 or more, so that one rotation is nearest. The sum of the squared 2 x 2
/// minors is the second elementary symmetric polynomial of the squared singular values.
bool determines_rotation(const Moments& m) {
    constexpr double least_ratio = 1e-12;  // of squared singular values, the second by the first
    double norm = 0.0;
    double minors = 0.0;
    const auto& a = m.cross;
    for (const double x : a) norm += x * x;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const int r1 = (r + 1) % 3;
            const int r2 = (r + 2) % 3;
            const int c1 = (c + 1) % 3;
            const int c2 = (c + 2) % 3;
            const double minor = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
            minors += minor * minor;
        }
    }
    return minors > least_ratio * norm * norm;
}

void place_centroid(const Moments& m, Similarity* similarity) {
    const linalg::Vec3 rotated = similarity->map_vector(m.source);
    for (int i = 0; i < 3; ++i) similarity->translation[i] = m.target[i] - rotated[i];
}

/// The similarity of one component; rotation and scale of `otherwise` if its own are not determined.
Similarity fit(const Moments& m, const Similarity& otherwise) {
    Similarity similarity = otherwise;
    if (determines_rotation(m)) {
        std::copy_n(linalg::polar_decomposition(m.cross.data()).rotation, 9, similarity.rotation.begin());
        similarity.scale = std::sqrt(m.target_spread / m.source_spread);
    }
    place_centroid(m, &similarity);
    return similarity;
}

/// (components, K): the largest offset of each component in each shape, relative to the component's largest distance
/// from its first vertex.
std::vector<double> relative_reach(const mesh::Components& components, const std::vector<double>& source,
                                   const double* offsets, std::int64_t num_shapes) {
    const std::int64_t vertices = static_cast<std::int64_t>(components.of.size());
    std::vector<std::int64_t> first(components.count, -1);
    std::vector<double> extent(components.count, 0.0);
    std::vector<double> reach(components.count * num_shapes, 0.0);
    for (std::int64_t v = 0; v < vertices; ++v) {
        const std::int32_t g = components.of[v];
        if (first[g] < 0) first[g] = v;
        const linalg::Vec3 from_first = linalg::difference(source.data(), v, first[g]);
        extent[g] = std::max(extent[g], dot(from_first, from_first));
        for (std::int64_t k = 0; k < num_shapes; ++k) {
            const double* d = offsets + 3 * (k * vertices + v);
            double& most = reach[g * num_shapes + k];
            most = std::max(most, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    for (std::int32_t g = 0; g < components.count; ++g) {
        for (std::int64_t k = 0; k < num_shapes; ++k) {
            double& most = reach[g * num_shapes + k];
            most = extent[g] > 0.0 ? std::sqrt(most / extent[g]) : 0.0;
        }
    }
    return reach;
}

}  // namespace

linalg::Vec3 Similarity::map_vector(const linalg::Vec3& x) const {
    linalg::Vec3 result;
    for (int i = 0; i < 3; ++i) {
        result[i] = scale * (rotation[3 * i] * x[0] + rotation[3 * i + 1] * x[1] + rotation[3 * i + 2] * x[2]);
    }
    return result;
}

linalg::Vec3 Similarity::map_point(const linalg::Vec3& x) const {
    const linalg::Vec3 rotated = map_vector(x);
    return {rotated[0] + translation[0], rotated[1] + translation[1], rotated[2] + translation[2]};
}

std::vector<Similarity> fit_similarities(const mesh::Components& components, View<const float, 2> source,
                                         View<const float, 2> target) {
    const std::vector<std::int32_t> all(components.of.size(), 0);
    const Similarity whole = fit(moments(all, 1, source, target)[0], {});
    std::vector<Similarity> result;
    for (const Moments& m : moments(components.of, components.count, source, target)) result.push_back(fit(m, whole));
    return result;
}

std::vector<double> rest_weights(const mesh::Components& components, const double* offset) {
    // Offset, as a share of the largest, at which a weight has fallen to a half. A smaller one places the component by
    // fewer vertices. Chosen, not tuned.
    constexpr double half_weight_offset = 0.05;
    std::vector<double> weight(components.of.size());
    std::vector<double> largest(components.count, 0.0);
    for (std::size_t v = 0; v < weight.size(); ++v) {
        const double* d = offset + 3 * v;
        weight[v] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        largest[components.of[v]] = std::max(largest[components.of[v]], weight[v]);
    }
    for (std::size_t v = 0; v < weight.size(); ++v) {
        const double most = largest[components.of[v]];
        weight[v] = most > 0.0 ? 1.0 / (weight[v] / most + half_weight_offset * half_weight_offset) : 0.0;
    }
    return weight;
}

/// Translates the components that are not grounded to where the placed source's offsets take them.
void DeformationTransfer::place_components(const double* offset, const std::vector<char>& is_grounded,
                                           double* moved) const {
    const std::vector<double> weight = rest_weights(components_, offset);
    std::vector<double> total(components_.count, 0.0);
    std::vector<linalg::Vec3> shift(components_.count, linalg::Vec3{});
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = components_.of[v];
        total[g] += weight[v];
        for (int i = 0; i < 3; ++i) shift[g][i] += weight[v] * (offset[3 * v + i] - moved[3 * v + i]);
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const std::int32_t g = components_.of[v];
        if (is_grounded[g] || total[g] == 0.0) continue;
        for (int i = 0; i < 3; ++i) moved[3 * v + i] += shift[g][i] / total[g];
    }
}

/// Fits the places of components, which gradients do not determine, to the weighted mean offsets of the examples'
/// components.
void DeformationTransfer::fit_places(const ExampleFit& fit, const double* offsets, const double* targets,
                                     double* moved) const {
    const std::int64_t J = fit.num_examples();
    const std::int64_t K = fit.num_shapes();
    const std::int64_t size = 3 * num_vertices();
    std::vector<double> residual(components_.count * J * 3, 0.0);
    std::vector<double> columns(components_.count * K * 3, 0.0);
    for (std::int64_t j = 0; j < J; ++j) {
        const std::vector<double> weight = rest_weights(components_, targets + j * size);
        std::vector<double> total(components_.count, 0.0);
        for (std::int64_t v = 0; v < num_vertices(); ++v) total[components_.of[v]] += weight[v];
        for (std::int64_t v = 0; v < num_vertices(); ++v) {
            const std::int32_t g = components_.of[v];
            for (int i = 0; total[g] > 0.0 && i < 3; ++i) {
                double missed = targets[j * size + 3 * v + i];
                for (std::int64_t k = 0; k < K; ++k) missed -= fit.weight(j, k) * moved[k * size + 3 * v + i];
                residual[(g * J + j) * 3 + i] += weight[v] / total[g] * missed;
            }
        }
    }
    const std::vector<double> relative = relative_reach(components_, source_, offsets, K);
    TypicalChange typical;
    for (const double reach : relative) typical.add(reach);
    std::vector<double> stiffness(K);
    for (std::int32_t g = 0; g < components_.count; ++g) {
        for (std::int64_t k = 0; k < K; ++k) stiffness[k] = fit.stiffness(relative[g * K + k] / typical.value());
        fit.solve(stiffness.data(), 3, residual.data() + g * J * 3, columns.data() + g * K * 3);
    }
    for (std::int64_t k = 0; k < K; ++k) {
        for (std::int64_t v = 0; v < num_vertices(); ++v) {
            const std::int32_t g = components_.of[v];
            for (int i = 0; !has_fixed_vertex_[g] && i < 3; ++i)
                moved[k * size + 3 * v + i] += columns[(g * K + k) * 3 + i];
        }
    }
}

}  // namespace rigcast::transfer
