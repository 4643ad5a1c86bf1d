#include "rigcast/rig/session.h"

#include <algorithm>
#include <cstring>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::rig {

Session::Session(std::shared_ptr<const Deformer> model)
    : model_(std::move(model)),
      state_(model_->new_session_state()),
      pose_(static_cast<std::size_t>(model_->character().num_controls())),
      vertices_(static_cast<std::size_t>(3 * model_->character().num_vertices())) {}

void Session::evaluate(View<const float, 1> pose, View<float, 2> vertices) {
    model_->check_poses("evaluate", {pose.data(), {1, pose.extent(0)}}, "pose");
    check_shape<float, 2>("evaluate", "out", vertices, {model_->character().num_vertices(), 3});
    // Compares bytes: -0 and 0 are different, since the signs of zero vertices may differ.
    if (!is_valid_ || has_new_detail_ || std::memcmp(pose_.data(), pose.data(), pose_.size() * sizeof(float)) != 0) {
        const float* previous = is_valid_ ? pose_.data() : nullptr;
        is_valid_ = false;
        state_->update(pose.data(), previous, vertices_.data());
        std::copy(pose.begin(), pose.end(), pose_.begin());
        is_valid_ = true;
        has_new_detail_ = false;
    }
    std::copy(vertices_.begin(), vertices_.end(), vertices.begin());
}

void Session::set_detail(View<const float, 1> detail) {
    state_->set_detail(detail);
    has_new_detail_ = true;
}

void SessionState::set_detail(View<const float, 1>) {
    throw bad_argument("set_detail", "the model", "of a kind without refinement", "a face on deformation maps");
}

}  // namespace rigcast::rig
