#include "rigcast/differential/model/session.h"

#include <algorithm>
#include <cstring>

#include "rigcast/rig/overflow.h"

namespace rigcast::differential {
namespace {

template <class List>
bool same_bytes(const List& a, const float* b) {
    return std::memcmp(a.data(), b, a.size() * sizeof(float)) == 0;
}

}  // namespace

DifferentialSession::DifferentialSession(const DifferentialModel& model)
    : model_(model),
      coefficients_(static_cast<std::size_t>(model.num_coefficients())),
      anchors_(static_cast<std::size_t>(3 * model.num_anchors())),
      before_(coefficients_.size() + anchors_.size()),
      points_(static_cast<std::size_t>(3 * model.character().num_vertices())),
      transforms_(static_cast<std::size_t>(24 * model.character().skeleton.num_joints())),
      work_(std::max({model.network().memory_size(1), model.anchors().memory_size(1), model.tail().memory_size(1)})) {
    if (!model.base()) return;
    base_.emplace(*model.base());
    offsets_.resize(points_.size());
}

void DifferentialSession::update(const float* pose, const float* previous, float* vertices) {
    if (update_networks(pose, previous)) {
        model_.tail().evaluate({coefficients_.data(), 0}, {anchors_.data(), 0}, {points_.data(), 0}, 1, true,
                               work_.data(), 1);
    }
    std::copy(points_.begin(), points_.end(), vertices);
    if (base_) {
        const rig::Character& character = model_.character();
        base_->evaluate({pose, {character.num_controls()}}, {offsets_.data(), {character.num_vertices(), 3}});
        for (std::size_t i = 0; i < offsets_.size(); ++i) vertices[i] += offsets_[i];
    }
    model_.transform(0, pose, vertices, transforms_.data(), 1);
    rig::check_overflow("evaluate", 0, vertices, static_cast<std::int64_t>(points_.size()));
}

/// Returns true if a coefficient or an anchor has other bytes than before.
bool DifferentialSession::update_networks(const float* pose, const float* previous) {
    if (previous == nullptr) {
        model_.network().evaluate({pose, 0}, {coefficients_.data(), 0}, 1, work_.data());
        model_.anchors().evaluate({pose, 0}, {anchors_.data(), 0}, 1, work_.data());
    } else {
        std::copy(anchors_.begin(), anchors_.end(),
                  std::copy(coefficients_.begin(), coefficients_.end(), before_.begin()));
        model_.network().update(pose, previous, coefficients_.data(), work_.data());
        model_.anchors().update(pose, previous, anchors_.data(), work_.data());
    }
    rig::check_overflow("evaluate", 0, coefficients_.data(), model_.num_coefficients());
    rig::check_overflow("evaluate", 0, anchors_.data(), 3 * model_.num_anchors());
    return previous == nullptr || !same_bytes(coefficients_, before_.data()) ||
           !same_bytes(anchors_, before_.data() + coefficients_.size());
}

std::unique_ptr<rig::SessionState> DifferentialModel::new_session_state() const {
    return std::make_unique<DifferentialSession>(*this);
}

}  // namespace rigcast::differential
