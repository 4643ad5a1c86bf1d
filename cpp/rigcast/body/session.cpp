#include "rigcast/rig/session.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/core/aligned.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::body {
namespace {

bool differ(const float* a, const float* b, std::int64_t count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) != 0;
}

}  // namespace

/// The session cache of a learned body: coefficients and contributions of all vertex sets. An update runs only networks
/// with changed inputs, and recomputes only sets with changed coefficients or a moved joint. Contributions are summed
/// in the order of BodyModel::evaluate, so that the bytes are the same.
class BodySession final : public rig::SessionState {
public:
    explicit BodySession(const BodyModel& model);
    void update(const float* pose, const float* previous, float* vertices) override;

private:
    /// Several lists of indices in one array.
    class Lists {
    public:
        Lists() = default;
        explicit Lists(const std::vector<std::vector<std::int32_t>>& lists);
        std::span<const std::int32_t> of(std::int64_t i) const {
            return {item_.data() + begin_[i], item_.data() + begin_[i + 1]};
        }

    private:
        std::vector<std::int32_t> begin_{0};
        std::vector<std::int32_t> item_;
    };

    void find_changes(const float* pose, const float* previous);
    void sum_contributions(const VertexSet& set, float* vertices) const;

    const BodyModel& model_;
    Lists sets_of_column_;              // per pose column: the sets with that input
    Lists added_of_vertex_;             // per vertex: indices of its added contributions, in the order of the sets
    std::vector<char> joint_changed_;   // per joint
    std::vector<char> inputs_changed_;  // per set
    std::vector<float> globals_;        // (J, 3, 4)
    std::vector<float> stored_;         // (V, 3) stored contributions
    std::vector<float> added_;          // added contributions
    LineVector<float> coefficients_;
    LineVector<float> work_;
};

BodySession::BodySession(const BodyModel& model)
    : model_(model),
      joint_changed_(model.character().skeleton.num_joints()),
      inputs_changed_(model.sets_.size()),
      globals_(12 * joint_changed_.size()),
      stored_(static_cast<std::size_t>(3 * model.character().num_vertices())),
      added_(static_cast<std::size_t>(3 * model.num_added_)),
      coefficients_(static_cast<std::size_t>(model.num_coefficients_)),
      work_(static_cast<std::size_t>(2 * model.width_)) {
    std::vector<std::vector<std::int32_t>> sets(static_cast<std::size_t>(model.character().num_controls()));
    std::vector<std::vector<std::int32_t>> added(static_cast<std::size_t>(model.character().num_vertices()));
    for (std::size_t i = 0; i < model.sets_.size(); ++i) {
        const VertexSet& set = model.sets_[i];
        for (const std::int32_t column : set.column) sets[column].push_back(static_cast<std::int32_t>(i));
        for (int m = set.patch.num_stored; m < set.patch.members; ++m) {
            added[set.patch.vertex[m]].push_back(
                static_cast<std::int32_t>(set.patch.added_begin + m - set.patch.num_stored));
        }
    }
    sets_of_column_ = Lists(sets);
    added_of_vertex_ = Lists(added);
}

BodySession::Lists::Lists(const std::vector<std::vector<std::int32_t>>& lists) {
    for (const auto& list : lists) {
        item_.insert(item_.end(), list.begin(), list.end());
        begin_.push_back(static_cast<std::int32_t>(item_.size()));
    }
}

void BodySession::update(const float* pose, const float* previous, float* vertices) {
    find_changes(pose, previous);
    const auto changed = [&](std::size_t i) {
        return inputs_changed_[i] != 0 || joint_changed_[model_.sets_[i].joint] != 0;
    };
    for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
        if (!changed(i)) continue;
        const VertexSet& set = model_.sets_[i];
        const std::int64_t width = model_.width_;
        if (inputs_changed_[i]) {
            model_.run_network(set, {pose, 0}, {coefficients_.data(), 0}, {work_.data(), width}, 1);
        }
        patch_kernels().evaluate(set.patch, model_.packed_, {coefficients_.data() + set.coefficients_begin, 0},
                                 {globals_.data() + 12 * set.joint, 0}, {stored_.data(), 0}, {added_.data(), 0}, 1);
    }
    for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
        if (changed(i)) sum_contributions(model_.sets_[i], vertices);
    }
}

/// Updates the global transforms, and marks the joints that moved and the sets whose inputs changed.
void BodySession::find_changes(const float* pose, const float* previous) {
    const rig::Skeleton& skeleton = model_.character().skeleton;
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        const std::int32_t parent = skeleton.parents()[j];
        const bool moved = previous == nullptr || (parent >= 0 && joint_changed_[parent]) ||
                           differ(pose + 12 * j, previous + 12 * j, 12);
        joint_changed_[j] = moved;
        if (!moved) continue;
        skeleton.global(j, pose, globals_.data());
        rig::check_overflow("evaluate", 0, globals_.data() + 12 * j, 12, model_.limits_.transform);
    }
    std::fill(inputs_changed_.begin(), inputs_changed_.end(), previous == nullptr);
    if (previous == nullptr) return;
    for (std::int64_t column = 0; column < model_.character().num_controls(); ++column) {
        if (!differ(pose + column, previous + column, 1)) continue;
        for (const std::int32_t set : sets_of_column_.of(column)) inputs_changed_[set] = 1;
    }
}

/// Writes the vertices of a set: the stored contribution plus the added ones, in the order of the sets.
void BodySession::sum_contributions(const VertexSet& set, float* vertices) const {
    for (const std::int32_t v : set.patch.vertex) {
        float sum[3];
        std::copy_n(stored_.data() + 3 * v, 3, sum);
        for (const std::int32_t i : added_of_vertex_.of(v)) {
            for (int axis = 0; axis < 3; ++axis) sum[axis] += added_[3 * i + axis];
        }
        std::copy_n(sum, 3, vertices + 3 * v);
    }
}

std::unique_ptr<rig::SessionState> BodyModel::new_session_state() const {
    return std::make_unique<BodySession>(*this);
}

}  // namespace rigcast::body
