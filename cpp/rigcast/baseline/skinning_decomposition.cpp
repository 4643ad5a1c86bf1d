#include "rigcast/baseline/skinning_decomposition.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "rigcast/baseline/influence_subset.h"
#include "rigcast/baseline/rigid_clusters.h"
#include "rigcast/baseline/skin_gram.h"
#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/linalg/polar.h"

namespace rigcast::baseline {
namespace {

constexpr const char* name = "SkinningDecomposition";

void check_range(const char* argument, std::int64_t value, std::int64_t most, const std::string& what) {
    if (value >= 1 && value <= most) return;
    throw bad_argument(name, argument, std::to_string(value), "from 1 to " + std::to_string(most) + ", " + what);
}

void apply(const double* motion, const float* p, double* out) {
    for (int row = 0; row < 3; ++row) {
        const double* m = motion + 4 * row;
        out[row] = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3];
    }
}

}  // namespace

/// Sums over the vertices of a bone that do not depend on the frame: of w^2 and of w^2 v^0.
struct SkinningDecomposition::BoneSums {
    double weight = 0.0;
    double point[3] = {};
};

SkinningDecomposition::SkinningDecomposition(View<const float, 2> rest, View<const float, 3> vertices,
                                             std::int64_t bones, int influences, int threads)
    : num_vertices_(rest.extent(0)),
      num_frames_(vertices.extent(0)),
      num_bones_(bones),
      influences_(influences),
      rest_(rest.begin(), rest.end()),
      vertices_(vertices.begin(), vertices.end()) {
    check_shape<const float, 2>(name, "rest_vertices", rest, {-1, 3});
    check_shape<const float, 3>(name, "vertices", vertices, {-1, num_vertices_, 3});
    check_finite(name, "rest_vertices", rest);
    check_finite(name, "vertices", vertices);
    if (num_frames_ == 0) throw bad_argument(name, "vertices", "without frames", "of at least one frame");
    check_range("bones", bones, num_vertices_, "the number of vertices");
    check_range("influences", influences, bones, "the number of bones");
    const std::vector<std::int32_t> cluster = rigid_clusters(rest, vertices, bones, threads);
    motions_ = rigid_motions(rest, vertices, cluster, bones, threads);
    bone_.assign(static_cast<std::size_t>(num_vertices_ * influences), 0);
    weight_.assign(bone_.size(), 0.0);
    for (std::int64_t k = 0; k < num_vertices_; ++k) {
        bone_[k * influences] = cluster[k];
        weight_[k * influences] = 1.0;
    }
}

void SkinningDecomposition::update_weights(int threads) {
    SkinGram sums({rest_.data(), {num_vertices_, 3}}, num_bones_);
    std::vector<double> motions = motions_;
    sums.add({motions.data(), {num_frames_, num_bones_, 12}}, {vertices_.data(), {num_frames_, num_vertices_, 3}},
             threads);
    constexpr std::int64_t vertices_per_batch = 16;  // enough work to outweigh the start of a batch
    parallel_for(num_vertices_, vertices_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> gram(static_cast<std::size_t>(num_bones_ * num_bones_));
        InfluenceSearch search({gram.data(), {num_bones_, num_bones_}});
        std::vector<int> columns;
        for (std::int64_t k = begin; k < end; ++k) {
            sums.fill(k, gram.data());
            columns.clear();
            for (int i = 0; i < influences_; ++i) {
                if (weight_[k * influences_ + i] > 0.0) columns.push_back(bone_[k * influences_ + i]);
            }
            const Subset subset = search.improved(columns, influences_);
            for (int i = 0; i < influences_; ++i) {
                const bool used = i < static_cast<int>(subset.columns.size());
                bone_[k * influences_ + i] = used ? subset.columns[i] : 0;
                weight_[k * influences_ + i] = used ? subset.weights[i] : 0.0;
            }
        }
    });
}

std::vector<std::vector<SkinningDecomposition::Entry>> SkinningDecomposition::entries_by_bone() const {
    std::vector<std::vector<Entry>> entries(static_cast<std::size_t>(num_bones_));
    for (std::int64_t k = 0; k < num_vertices_; ++k) {
        for (int i = 0; i < influences_; ++i) {
            const double w = weight_[k * influences_ + i];
            if (w > 0.0) entries[bone_[k * influences_ + i]].push_back({static_cast<std::int32_t>(k), w});
        }
    }
    return entries;
}

/// Writes v_tk - sum_b w_kb S_tb v_k^0, (V, 3).
void SkinningDecomposition::residuals(std::int64_t frame, double* residual) const {
    const double* motions = motions_.data() + 12 * num_bones_ * frame;
    const float* now = vertices_.data() + 3 * num_vertices_ * frame;
    for (std::int64_t k = 0; k < num_vertices_; ++k) {
        double blended[12] = {};
        for (int i = 0; i < influences_; ++i) {
            const double* m = motions + 12 * bone_[k * influences_ + i];
            for (int e = 0; e < 12; ++e) blended[e] += weight_[k * influences_ + i] * m[e];
        }
        double moved[3];
        apply(blended, rest_.data() + 3 * k, moved);
        for (int axis = 0; axis < 3; ++axis) residual[3 * k + axis] = now[3 * k + axis] - moved[axis];
    }
}

/// With q = residual + w S v^0 the best motion of a bone minimizes sum |w (R v^0 + t) - q|^2: about the means
/// p* = sum w^2 v^0 / sum w^2 and q* = sum w q / sum w^2, R is the rotation nearest to
/// sum w q v^0T - (sum w^2) q* p*^T, and t = q* - R p*.
void SkinningDecomposition::update_frame(std::int64_t frame, const std::vector<std::vector<Entry>>& entries,
                                         const std::vector<BoneSums>& sums, double* residual) {
    for (std::int64_t b = 0; b < num_bones_; ++b) {
        if (!(sums[b].weight > 0.0)) continue;
        double* motion = motions_.data() + 12 * (num_bones_ * frame + b);
        double covariance[9] = {}, target[3] = {};
        for (const Entry& entry : entries[b]) {
            const float* p = rest_.data() + 3 * entry.vertex;
            double* r = residual + 3 * entry.vertex;
            double moved[3];
            apply(motion, p, moved);
            for (int row = 0; row < 3; ++row) {
                r[row] += entry.weight * moved[row];
                const double wq = entry.weight * r[row];
                target[row] += wq;
                for (int e = 0; e < 3; ++e) covariance[3 * row + e] += wq * p[e];
            }
        }
        const BoneSums& sum = sums[b];
        for (int e = 0; e < 9; ++e) covariance[e] -= target[e / 3] * sum.point[e % 3] / sum.weight;
        const linalg::Polar polar = linalg::polar_decomposition(covariance);
        for (int row = 0; row < 3; ++row) {
            const double* r = polar.rotation + 3 * row;
            std::copy_n(r, 3, motion + 4 * row);
            const double rotated = r[0] * sum.point[0] + r[1] * sum.point[1] + r[2] * sum.point[2];
            motion[4 * row + 3] = (target[row] - rotated) / sum.weight;
        }
        for (const Entry& entry : entries[b]) {
            double moved[3];
            apply(motion, rest_.data() + 3 * entry.vertex, moved);
            for (int row = 0; row < 3; ++row) residual[3 * entry.vertex + row] -= entry.weight * moved[row];
        }
    }
}

void SkinningDecomposition::update_bones(int threads) {
    const std::vector<std::vector<Entry>> entries = entries_by_bone();
    std::vector<BoneSums> sums(static_cast<std::size_t>(num_bones_));
    for (std::int64_t b = 0; b < num_bones_; ++b) {
        for (const Entry& entry : entries[b]) {
            const double square = entry.weight * entry.weight;
            sums[b].weight += square;
            for (int axis = 0; axis < 3; ++axis) sums[b].point[axis] += square * rest_[3 * entry.vertex + axis];
        }
    }
    parallel_for(num_frames_, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> residual(static_cast<std::size_t>(3 * num_vertices_));
        for (std::int64_t t = begin; t < end; ++t) {
            residuals(t, residual.data());
            update_frame(t, entries, sums, residual.data());
        }
    });
}

double SkinningDecomposition::objective(int threads) const {
    std::vector<double> squares(static_cast<std::size_t>(num_frames_));
    parallel_for(num_frames_, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> residual(static_cast<std::size_t>(3 * num_vertices_));
        for (std::int64_t t = begin; t < end; ++t) {
            residuals(t, residual.data());
            squares[t] = std::inner_product(residual.begin(), residual.end(), residual.begin(), 0.0);
        }
    });
    return std::accumulate(squares.begin(), squares.end(), 0.0);
}

}  // namespace rigcast::baseline
