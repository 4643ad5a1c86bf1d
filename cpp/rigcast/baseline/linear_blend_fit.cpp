#include "rigcast/baseline/linear_blend_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigcast/baseline/influence_subset.h"
#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/skinning/rigid_assignment.h"

namespace rigcast::baseline {
namespace {

constexpr const char* name = "LinearBlendFit";

}  // namespace

std::vector<std::int32_t> motion_sources(const rig::Skeleton& skeleton, View<const float, 2> poses, double radius,
                                         double tolerance) {
    const std::vector<double> skinning = rig::skinning_transforms("motion_sources", skeleton, poses, 1);
    const int num_joints = skeleton.num_joints();
    std::vector<std::int32_t> source(num_joints);
    for (int j = 0; j < num_joints; ++j) {
        source[j] = j;
        const int parent = skeleton.parents()[j];
        if (parent < 0) continue;
        bool same = true;
        for (std::int64_t t = 0; same && t < poses.extent(0); ++t) {
            const double* of_joint = skinning.data() + 12 * (t * num_joints + j);
            const double* of_parent = skinning.data() + 12 * (t * num_joints + source[parent]);
            for (int e = 0; e < 12; ++e) {
                same = same && std::abs(of_joint[e] - of_parent[e]) * (e % 4 == 3 ? 1.0 : radius) <= tolerance;
            }
        }
        if (same) source[j] = source[parent];
    }
    return source;
}

LinearBlendFit::LinearBlendFit(const rig::Skeleton& skeleton, View<const float, 2> rest_vertices,
                               View<const std::int32_t, 1> joints)
    : skeleton_(skeleton), joints_(joints.begin(), joints.end()), gram_(rest_vertices, joints.extent(0)) {
    check_shape<const float, 2>(name, "rest_vertices", rest_vertices, {-1, 3});
    check_finite(name, "rest_vertices", rest_vertices);
    if (rest_vertices.extent(0) == 0) throw bad_argument(name, "rest_vertices", "empty", "at least one vertex");
    if (joints_.empty()) throw bad_argument(name, "joints", "empty", "at least one joint");
    for (const std::int32_t j : joints_) {
        if (j < 0 || j >= skeleton_.num_joints()) {
            throw bad_argument(name, "joints", std::to_string(j) + " somewhere", "joints of the skeleton");
        }
    }
}

void LinearBlendFit::add(View<const float, 2> poses, View<const float, 3> vertices, int threads) {
    constexpr const char* function = "LinearBlendFit.add";
    const std::int64_t num_frames = poses.extent(0);
    const std::int64_t num_joints = static_cast<std::int64_t>(joints_.size());
    check_shape<const float, 3>(function, "vertices", vertices, {num_frames, num_vertices(), 3});
    check_finite(function, "vertices", vertices);
    const std::vector<double> all_joints = rig::skinning_transforms(function, skeleton_, poses, threads);
    std::vector<double> skinning(12 * static_cast<std::size_t>(num_frames * num_joints));
    for (std::int64_t t = 0; t < num_frames; ++t) {
        for (std::int64_t j = 0; j < num_joints; ++j) {
            std::copy_n(all_joints.data() + 12 * (t * skeleton_.num_joints() + joints_[j]), 12,
                        skinning.data() + 12 * (t * num_joints + j));
        }
    }
    gram_.add({skinning.data(), {num_frames, num_joints, 12}}, vertices, threads);
    num_examples_ += num_frames;
}

SkinFit LinearBlendFit::solve(int influences, int threads) const {
    if (num_examples_ == 0) throw bad_argument("LinearBlendFit.solve", "the number of examples", "0", "at least 1");
    if (influences < 0) {
        throw bad_argument("LinearBlendFit.solve", "influences", std::to_string(influences), "at least 0");
    }
    const std::int64_t num_joints = static_cast<std::int64_t>(joints_.size());
    std::vector<Subset> found(num_vertices());
    constexpr std::int64_t vertices_per_batch = 16;  // enough work to outweigh the start of a batch
    parallel_for(num_vertices(), vertices_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> gram(static_cast<std::size_t>(num_joints * num_joints));
        InfluenceSearch search({gram.data(), {num_joints, num_joints}});
        for (std::int64_t k = begin; k < end; ++k) {
            gram_.fill(k, gram.data());
            found[k] = influences == 0 ? search.all() : search.best(influences);
        }
    });
    SkinFit fit;
    for (const Subset& subset : found) fit.influences = std::max<std::int64_t>(fit.influences, subset.columns.size());
    fit.joint.assign(fit.influences * num_vertices(), joints_[0]);
    fit.weight.assign(fit.influences * num_vertices(), 0.0f);
    fit.error.resize(num_vertices());
    for (std::int64_t k = 0; k < num_vertices(); ++k) {
        const Subset& subset = found[k];
        std::vector<int> order(subset.columns.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return subset.weights[a] > subset.weights[b]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            fit.joint[k * fit.influences + i] = joints_[subset.columns[order[i]]];
            fit.weight[k * fit.influences + i] = static_cast<float>(subset.weights[order[i]]);
        }
        fit.error[k] = subset.value;
    }
    return fit;
}

}  // namespace rigcast::baseline
