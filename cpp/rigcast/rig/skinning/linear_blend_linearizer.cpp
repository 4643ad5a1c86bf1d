#include <algorithm>
#include <vector>

#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/derivatives/chain_directions.h"
#include "rigcast/rig/derivatives/linearizer.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/skinning/linear_blend.h"

namespace rigcast::rig {

/// Computes the joints that the vertices depend on, and no others.
class LinearBlend::BlendLinearizer final : public Linearizer {
public:
    explicit BlendLinearizer(const LinearBlend& blend) : model(blend), skeleton(blend.character().skeleton) {
        const SkinWeights& skin = blend.skin_;
        std::vector<std::int32_t> influences;
        points.resize(static_cast<std::size_t>(3 * skin.begin(skin.num_vertices())));
        for (std::int64_t k = 0; k < skin.num_vertices(); ++k) {
            for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
                influences.push_back(skin.joint(i));
                apply(skeleton.inverse_rest_globals().row(skin.joint(i)), model.character().rest_vertices.row(k),
                      &points[3 * i]);
            }
        }
        joints = with_ancestors(skeleton, influences);
    }

    std::unique_ptr<Linearization> start() const override;

    const LinearBlend& model;
    const Skeleton& skeleton;
    std::vector<std::int32_t> joints;
    std::vector<float> points;  // per influence: the vertex in the joint's coordinates
};

class LinearBlend::BlendLinearization final : public Linearization {
public:
    explicit BlendLinearization(const BlendLinearizer& shared)
        : shared_(shared),
          chains_(shared.skeleton),
          pose_(static_cast<std::size_t>(shared.model.character().num_controls())),
          globals_(shared.model.transforms_size()),
          skinning_(shared.model.transforms_size()) {}

    void evaluate(const float* pose, float* vertices) override {
        const LinearBlend& model = shared_.model;
        const std::int64_t width = static_cast<std::int64_t>(pose_.size());
        model.check_poses("evaluate", {pose, {1, width}});
        std::copy_n(pose, width, pose_.data());
        for (const std::int32_t j : shared_.joints) {
            shared_.skeleton.global(j, pose, globals_.data());
            float* transform = &skinning_[12 * j];
            compose(&globals_[12 * j], shared_.skeleton.inverse_rest_globals().row(j), transform);
            check_overflow("evaluate", 0, transform, 12, model.transform_limit_);
        }
        const Character& character = model.character();
        model.skin_.blend(skinning_.data(), character.rest_vertices.data(), 0, character.num_vertices(), vertices);
    }

    void differentiate(const PoseDirections& directions, std::int64_t count, double* derivatives) override {
        const SkinWeights& skin = shared_.model.skin_;
        std::fill_n(derivatives, 3 * skin.num_vertices() * count, 0.0);
        chains_.set(directions);
        for (std::int64_t k = 0; k < skin.num_vertices(); ++k) {
            for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
                chains_.add_point(skin.joint(i), pose_.data(), globals_.data(), &shared_.points[3 * i], skin.weight(i),
                                  derivatives + 3 * k * count, count);
            }
        }
    }

private:
    const BlendLinearizer& shared_;
    ChainDirections chains_;
    std::vector<float> pose_;      // (C) the last one
    std::vector<float> globals_;   // (J, 3, 4), of the joints that are needed
    std::vector<float> skinning_;  // (J, 3, 4), of the same
};

std::unique_ptr<Linearization> LinearBlend::BlendLinearizer::start() const {
    return std::make_unique<BlendLinearization>(*this);
}

std::unique_ptr<Linearizer> LinearBlend::linearizer() const {
    return std::make_unique<BlendLinearizer>(*this);
}

}  // namespace rigcast::rig
