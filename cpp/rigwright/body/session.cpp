#include "rigwright/body/session.h"

#include <algorithm>
#include <cstring>

#include "rigwright/rig/overflow.h"

namespace rigwright::body {
namespace {

bool differ(const float* a, const float* b, std::int64_t count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) != 0;
}

}  // namespace

BodySession::BodySession(const BodyModel& model)
    : model_(model),
      joint_changed_(model.character().skeleton.num_joints()),
      inputs_changed_(model.sets_.size()),
      globals_(12 * joint_changed_.size()),
      early_(static_cast<std::size_t>(3 * model.character().num_vertices())),
      late_(static_cast<std::size_t>(3 * model.late_)),
      coefficients_(static_cast<std::size_t>(model.coefficients_)),
      work_(static_cast<std::size_t>(2 * model.width_)) {
    std::vector<std::vector<std::int32_t>> sets(static_cast<std::size_t>(model.character().num_controls()));
    std::vector<std::vector<std::int32_t>> places(static_cast<std::size_t>(model.character().num_vertices()));
    for (std::size_t i = 0; i < model.sets_.size(); ++i) {
        const VertexSet& set = model.sets_[i];
        for (const std::int32_t column : set.column) sets[column].push_back(static_cast<std::int32_t>(i));
        for (int m = set.patch.early; m < set.patch.members; ++m) {
            places[set.patch.vertex[m]].push_back(
                static_cast<std::int32_t>(set.patch.late_begin + m - set.patch.early));
        }
    }
    sets_of_column_ = Lists(sets);
    late_of_vertex_ = Lists(places);
}

BodySession::Lists::Lists(const std::vector<std::vector<std::int32_t>>& lists) {
    for (const auto& list : lists) {
        item_.insert(item_.end(), list.begin(), list.end());
        begin_.push_back(static_cast<std::int32_t>(item_.size()));
    }
}

void BodySession::update(const float* pose, const float* before, float* vertices) {
    find_changes(pose, before);
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
                                 {globals_.data() + 12 * set.joint, 0}, {early_.data(), 0}, {late_.data(), 0}, 1);
    }
    for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
        if (changed(i)) add_up(model_.sets_[i], vertices);
    }
}

/// Brings the joints' transforms to the pose, and finds which of them and which sets' inputs differ.
void BodySession::find_changes(const float* pose, const float* before) {
    const rig::Skeleton& skeleton = model_.character().skeleton;
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        const std::int32_t parent = skeleton.parents()[j];
        const bool moved =
            before == nullptr || (parent >= 0 && joint_changed_[parent]) || differ(pose + 12 * j, before + 12 * j, 12);
        joint_changed_[j] = moved;
        if (!moved) continue;
        skeleton.global(j, pose, globals_.data());
        rig::check_overflow("evaluate", 0, globals_.data() + 12 * j, 12, model_.limits_.transform);
    }
    std::fill(inputs_changed_.begin(), inputs_changed_.end(), before == nullptr);
    if (before == nullptr) return;
    for (std::int64_t column = 0; column < model_.character().num_controls(); ++column) {
        if (!differ(pose + column, before + column, 1)) continue;
        for (const std::int32_t set : sets_of_column_.of(column)) inputs_changed_[set] = 1;
    }
}

/// The vertices of a set: the first set's contribution, then the late ones in the order of the sets.
void BodySession::add_up(const VertexSet& set, float* vertices) const {
    for (const std::int32_t v : set.patch.vertex) {
        float sum[3];
        std::copy_n(early_.data() + 3 * v, 3, sum);
        for (const std::int32_t place : late_of_vertex_.of(v)) {
            for (int axis = 0; axis < 3; ++axis) sum[axis] += late_[3 * place + axis];
        }
        std::copy_n(sum, 3, vertices + 3 * v);
    }
}

std::unique_ptr<rig::SessionState> BodyModel::new_session_state() const {
    return std::make_unique<BodySession>(*this);
}

}  // namespace rigwright::body
