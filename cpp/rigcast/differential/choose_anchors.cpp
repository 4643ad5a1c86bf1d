#include "rigcast/differential/choose_anchors.h"

#include <algorithm>
#include <memory>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/differential/anchored_mesh.h"
#include "rigcast/differential/normal_matrix.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::differential {
namespace {

/// Anchors between two factorizations. More make the corrections longer, and their rounding errors add up; fewer
/// factorize more often. Chosen, not tuned.
constexpr std::size_t anchors_per_factorization = 48;

/// A step of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::vector<std::int32_t> first_anchors(const MeshComponents& components, std::uint64_t seed) {
    std::vector<std::vector<std::int32_t>> members(components.count);
    for (std::size_t v = 0; v < components.of.size(); ++v) {
        members[components.of[v]].push_back(static_cast<std::int32_t>(v));
    }
    std::vector<std::int32_t> anchors;
    for (const auto& list : members) anchors.push_back(list[next_random(seed) % list.size()]);
    return anchors;
}

/// The variances of all vertices, updated as anchors are added.
class Variances {
public:
    Variances(View<const std::int32_t, 2> faces, std::int64_t num_vertices, std::vector<std::int32_t> anchors,
              int threads)
        : neighbors_(faces, num_vertices),
          size_(num_vertices),
          threads_(threads),
          anchors_(std::move(anchors)),
          variance_(static_cast<std::size_t>(num_vertices)) {
        factorize();
    }

    const std::vector<std::int32_t>& anchors() const { return anchors_; }
    std::int32_t largest() const {
        return static_cast<std::int32_t>(std::max_element(variance_.begin(), variance_.end()) - variance_.begin());
    }

    /// With C = N^-1 L^T L N^-1, g = N^-1 e_i, h = C e_i and s = 1 / (1 + g_i), C becomes
    ///   C - s (g h^T + h g^T) + s^2 C_ii g g^T.
    void add(std::int32_t vertex) {
        if (corrections_.size() == anchors_per_factorization) factorize();
        std::vector<double> g(size_, 0.0);
        g[vertex] = 1.0;
        apply_inverse(g);
        std::vector<double> h(size_, 0.0);  // N^-1 L^T L g = g - N^-1 S^T S g
        for (const std::int32_t a : anchors_) h[a] = g[a];
        apply_inverse(h);
        for (std::int64_t k = 0; k < size_; ++k) h[k] = g[k] - h[k];
        const double s = 1.0 / (1.0 + g[vertex]);
        const double own = h[vertex];
        for (std::int64_t k = 0; k < size_; ++k) {
            variance_[k] += s * g[k] * (s * own * g[k] - 2.0 * h[k]);
        }
        anchors_.push_back(vertex);
        variance_[vertex] = -1.0;  // is no candidate again
        corrections_.push_back({std::move(g), s});
    }

private:
    struct Correction {
        std::vector<double> g;
        double scale;
    };

    void factorize() {
        const View<const std::int32_t, 1> anchors(anchors_.data(), {static_cast<std::int64_t>(anchors_.size())});
        const std::vector<double> ones(anchors_.size(), 1.0);
        const View<const double, 1> weights(ones.data(), anchors.extents());
        normal_ = factorize_normal_matrix(neighbors_, anchors, weights);
        error_variances(*normal_, anchors, weights, {variance_.data(), {size_}}, threads_);
        for (const std::int32_t a : anchors_) variance_[a] = -1.0;
        corrections_.clear();
    }

    /// x <- N^-1 x = (N_0^-1 - sum_m s_m g_m g_m^T) x.
    void apply_inverse(std::vector<double>& x) const {
        std::vector<double> product(corrections_.size(), 0.0);
        for (std::size_t m = 0; m < corrections_.size(); ++m) {
            const std::vector<double>& g = corrections_[m].g;
            double sum = 0.0;
            for (std::int64_t k = 0; k < size_; ++k) sum += x[k] != 0.0 ? g[k] * x[k] : 0.0;
            product[m] = corrections_[m].scale * sum;
        }
        const View<double, 2> columns(x.data(), {size_, 1});
        normal_->solve(columns, columns, 1);
        for (std::size_t m = 0; m < corrections_.size(); ++m) {
            const double* g = corrections_[m].g.data();
            for (std::int64_t k = 0; k < size_; ++k) x[k] -= product[m] * g[k];
        }
    }

    mesh::Neighbors neighbors_;
    std::int64_t size_;
    int threads_;
    std::vector<std::int32_t> anchors_;
    std::vector<double> variance_;
    std::unique_ptr<const linalg::SparseCholesky> normal_;
    std::vector<Correction> corrections_;
};

}  // namespace

std::vector<std::int32_t> choose_anchors(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                                         std::int64_t count, std::uint64_t seed, int threads) {
    check_mesh("choose_anchors", faces, num_vertices);
    const MeshComponents components(faces, num_vertices);
    if (count < components.count || count > num_vertices) {
        throw bad_argument("choose_anchors", "count", std::to_string(count),
                           "from " + std::to_string(components.count) + " (one per connected component) to " +
                               std::to_string(num_vertices) + " (the vertices)");
    }
    Variances variances(faces, num_vertices, first_anchors(components, seed), threads);
    while (static_cast<std::int64_t>(variances.anchors().size()) < count) variances.add(variances.largest());
    return variances.anchors();
}

}  // namespace rigcast::differential
