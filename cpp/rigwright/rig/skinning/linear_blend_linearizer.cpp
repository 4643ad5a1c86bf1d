#include <algorithm>

#include "rigwright/rig/linearizer.h"
#include "rigwright/rig/overflow.h"
#include "rigwright/rig/skinning/linear_blend.h"
#include "rigwright/rig/transform.h"

namespace rigwright::rig {
namespace {

/// Joints that have influences, and their ancestors, ascending.
std::vector<std::int32_t> joints_above(const Skeleton& skeleton, const SkinWeights& skin) {
    std::vector<char> needed(static_cast<std::size_t>(skeleton.num_joints()), 0);
    for (std::int32_t i = 0; i < skin.begin(skin.num_vertices()); ++i) needed[skin.joint(i)] = 1;
    std::vector<std::int32_t> found;
    for (int j = skeleton.num_joints() - 1; j >= 0; --j) {
        if (needed[j] == 0) continue;
        found.push_back(j);
        if (skeleton.parents()[j] >= 0) needed[skeleton.parents()[j]] = 1;
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace

/// Computes the joints that vertices depend on alone.
class LinearBlend::BlendLinearizer final : public Linearizer {
public:
    explicit BlendLinearizer(const LinearBlend& model)
        : model_(model),
          skeleton_(model.character().skeleton),
          joints_(joints_above(skeleton_, model.skin_)),
          chains_(skeleton_),
          pose_(static_cast<std::size_t>(model.character().num_controls())),
          globals_(model.transforms_size()),
          skinning_(model.transforms_size()) {
        const SkinWeights& skin = model.skin_;
        points_.resize(static_cast<std::size_t>(3 * skin.begin(skin.num_vertices())));
        for (std::int64_t k = 0; k < skin.num_vertices(); ++k) {
            for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
                apply(skeleton_.inverse_rest_globals().row(skin.joint(i)), model.character().rest_vertices.row(k),
                      &points_[3 * i]);
            }
        }
    }

    void evaluate(const float* pose, float* vertices) override {
        const std::int64_t width = static_cast<std::int64_t>(pose_.size());
        model_.check_poses("evaluate", {pose, {1, width}});
        std::copy_n(pose, width, pose_.data());
        for (const std::int32_t j : joints_) {
            skeleton_.global(j, pose, globals_.data());
            float* transform = &skinning_[12 * j];
            compose(&globals_[12 * j], skeleton_.inverse_rest_globals().row(j), transform);
            check_overflow("evaluate", 0, transform, 12, model_.transform_limit_);
        }
        const Character& character = model_.character();
        model_.skin_.blend(skinning_.data(), character.rest_vertices.data(), 0, character.num_vertices(), vertices);
    }

    void differentiate(const PoseDirections& directions, std::int64_t count, double* derivatives) override {
        const SkinWeights& skin = model_.skin_;
        std::fill_n(derivatives, 3 * skin.num_vertices() * count, 0.0);
        chains_.set(directions);
        for (std::int64_t k = 0; k < skin.num_vertices(); ++k) {
            for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
                chains_.add_point(skin.joint(i), pose_.data(), globals_.data(), &points_[3 * i], skin.weight(i),
                                  derivatives + 3 * k * count, count);
            }
        }
    }

private:
    const LinearBlend& model_;
    const Skeleton& skeleton_;
    std::vector<std::int32_t> joints_;
    ChainDirections chains_;
    std::vector<float> points_;    // per influence: the vertex in the joint's coordinates
    std::vector<float> pose_;      // (C) the last one
    std::vector<float> globals_;   // (J, 3, 4), of `joints_`
    std::vector<float> skinning_;  // (J, 3, 4), of `joints_`
};

std::unique_ptr<Linearizer> LinearBlend::linearizer() const {
    return std::make_unique<BlendLinearizer>(*this);
}

}  // namespace rigwright::rig
