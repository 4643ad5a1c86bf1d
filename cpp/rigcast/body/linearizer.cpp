#include "rigcast/rig/derivatives/linearizer.h"

#include <algorithm>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/body/offset_network.h"
#include "rigcast/core/aligned.h"
#include "rigcast/rig/derivatives/chain_directions.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/transform.h"

namespace rigcast::body {
namespace {

/// The joints of the sets and their ancestors.
std::vector<std::int32_t> joints_of(const std::vector<VertexSet>& sets, const rig::Skeleton& skeleton) {
    std::vector<std::int32_t> joints;
    for (const VertexSet& set : sets) joints.push_back(set.joint);
    return rig::with_ancestors(skeleton, joints);
}

}  // namespace

class BodyModel::BodyLinearizer final : public rig::Linearizer {
public:
    explicit BodyLinearizer(const BodyModel& body)
        : model(body), joints(joints_of(body.sets_, body.character().skeleton)) {
        for (const VertexSet& set : model.sets_) {
            networks.emplace_back(set, model.packed_, model.character(), packed);
            width = std::max(width, networks.back().width());
            first_point.push_back(num_points);
            num_points += set.patch.members;
            first_hidden.push_back(num_hidden);
            num_hidden += 2 * networks.back().width();
        }
    }

    std::unique_ptr<rig::Linearization> start() const override;

    const BodyModel& model;
    std::vector<std::int32_t> joints;
    std::vector<OffsetNetwork> networks;  // per set
    Packed packed;                        // their matrices
    std::int64_t width = 0;
    std::vector<std::int64_t> first_point;  // per set
    std::vector<std::int64_t> first_hidden;
    std::int64_t num_points = 0;
    std::int64_t num_hidden = 0;
};

/// Caches the outputs of hidden layers and the points of the sets, which the derivatives need again.
class BodyModel::BodyLinearization final : public rig::Linearization {
public:
    explicit BodyLinearization(const BodyLinearizer& shared)
        : shared_(shared),
          model_(shared.model),
          chains_(model_.character().skeleton),
          pose_(static_cast<std::size_t>(model_.character().num_controls())),
          globals_(static_cast<std::size_t>(12 * model_.character().skeleton.num_joints())),
          points_(static_cast<std::size_t>(3 * shared.num_points)),
          hidden_(static_cast<std::size_t>(shared.num_hidden)),
          work_(static_cast<std::size_t>(6 * shared.width)) {}

    void evaluate(const float* pose, float* vertices) override {
        const std::int64_t width = static_cast<std::int64_t>(pose_.size());
        model_.check_poses("evaluate", {pose, {1, width}});
        std::copy_n(pose, width, pose_.data());
        for (const std::int32_t j : shared_.joints) {
            model_.character().skeleton.global(j, pose, globals_.data());
            rig::check_overflow("evaluate", 0, globals_.data() + 12 * j, 12, model_.limits_.transform);
        }
        std::fill_n(vertices, 3 * model_.character().num_vertices(), 0.0f);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            const VertexSet& set = model_.sets_[i];
            float* points = points_.data() + 3 * shared_.first_point[i];
            shared_.networks[i].forward(set, model_.packed_, shared_.packed, pose,
                                        hidden_.data() + shared_.first_hidden[i], work_.data(), points);
            for (int m = 0; m < set.patch.members; ++m) {
                float moved[3];
                rig::apply(globals_.data() + 12 * set.joint, points + 3 * m, moved);
                float* out = vertices + 3 * std::int64_t{set.patch.vertex[m]};
                for (int axis = 0; axis < 3; ++axis) out[axis] += weight(set, m) * moved[axis];
            }
        }
    }

    void differentiate(const rig::PoseDirections& directions, std::int64_t count, double* derivatives) override {
        std::fill_n(derivatives, 3 * model_.character().num_vertices() * count, 0.0);
        chains_.set(directions);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            const VertexSet& set = model_.sets_[i];
            const OffsetNetwork& network = shared_.networks[i];
            for (int m = 0; m < set.patch.members; ++m) {
                double* rows = derivatives + 3 * std::int64_t{set.patch.vertex[m]} * count;
                chains_.add_point(set.joint, pose_.data(), globals_.data(),
                                  points_.data() + 3 * (shared_.first_point[i] + m), weight(set, m), rows, count);
                if (!network.has_network()) continue;
                network.add_derivatives(m, shared_.packed, hidden_.data() + shared_.first_hidden[i],
                                        globals_.data() + 12 * set.joint, weight(set, m), directions, work_.data(),
                                        rows, count);
            }
        }
    }

private:
    float weight(const VertexSet& set, int member) const { return set.patch.weight(model_.packed_, member); }

    const BodyLinearizer& shared_;
    const BodyModel& model_;
    rig::ChainDirections chains_;
    std::vector<float> pose_;     // (C) the last one
    std::vector<float> globals_;  // (J, 3, 4), of the joints that are needed
    std::vector<float> points_;   // of all sets, in their joints' coordinates
    LineVector<float> hidden_;
    LineVector<float> work_;
};

std::unique_ptr<rig::Linearization> BodyModel::BodyLinearizer::start() const {
    return std::make_unique<BodyLinearization>(*this);
}

std::unique_ptr<rig::Linearizer> BodyModel::linearizer() const {
    return std::make_unique<BodyLinearizer>(*this);
}

}  // namespace rigcast::body
