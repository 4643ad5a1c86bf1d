#include "rigwright/ik/goals/skin_jacobian.h"

#include <algorithm>

namespace rigwright::ik {
namespace {

bool has_own_jacobian(const std::string& kind) {
    return kind == "body" || kind == "linear_blend" || kind == "dual_quaternion";
}

}  // namespace

SkinJacobian::SkinJacobian(const rig::Deformer& model, std::int64_t num_unknowns)
    : model_(model), num_unknowns_(num_unknowns) {
    const rig::Character& character = model.character();
    by_directions_ = !has_own_jacobian(character.kind) && num_unknowns <= 3 * character.num_vertices();
}

void SkinJacobian::compute(const LinearizedPose& pose, std::vector<double>* jacobian) {
    jacobian->assign(static_cast<std::size_t>(3 * model_.character().num_vertices() * num_unknowns_), 0.0);
    by_directions_ ? by_directions(pose, jacobian) : by_columns(pose, jacobian);
}

/// One jvp per unknown, along the pose's derivative.
void SkinJacobian::by_directions(const LinearizedPose& pose, std::vector<double>* jacobian) {
    const std::int64_t width = model_.character().num_controls();
    const std::int64_t vertices = model_.character().num_vertices();
    repeated_.resize(static_cast<std::size_t>(num_unknowns_ * width));
    for (std::int64_t k = 0; k < num_unknowns_; ++k) std::copy_n(pose.pose.data(), width, &repeated_[k * width]);
    tangents_.assign(repeated_.size(), 0.0f);
    for (const JointChange& change : pose.joints) {
        float* tangent = &tangents_[change.unknown * width + 12 * change.joint];
        for (int i = 0; i < 12; ++i) tangent[i] += static_cast<float>(change.change[i]);
    }
    for (const DialChange& change : pose.dials) tangents_[change.unknown * width + change.column] = 1.0f;
    derivatives_.resize(static_cast<std::size_t>(num_unknowns_ * 3 * vertices));
    model_.jvp({repeated_.data(), {num_unknowns_, width}}, {tangents_.data(), {num_unknowns_, width}},
               {derivatives_.data(), {num_unknowns_, vertices, 3}}, 1);
    for (std::int64_t k = 0; k < num_unknowns_; ++k) {
        for (std::int64_t row = 0; row < 3 * vertices; ++row) {
            (*jacobian)[row * num_unknowns_ + k] = derivatives_[k * 3 * vertices + row];
        }
    }
}

/// The model's Jacobian times the pose's derivatives.
void SkinJacobian::by_columns(const LinearizedPose& pose, std::vector<double>* jacobian) {
    const std::int64_t width = model_.character().num_controls();
    const std::int64_t rows = 3 * model_.character().num_vertices();
    columns_.resize(static_cast<std::size_t>(rows * width));
    model_.jacobian({pose.pose.data(), {1, width}}, {columns_.data(), {1, rows, width}}, 1);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* from = &columns_[row * width];
        double* to = &(*jacobian)[row * num_unknowns_];
        for (const JointChange& change : pose.joints) {
            const float* joint = from + 12 * change.joint;
            double sum = 0.0;
            for (int i = 0; i < 12; ++i) sum += joint[i] * change.change[i];
            to[change.unknown] += sum;
        }
        for (const DialChange& change : pose.dials) to[change.unknown] += from[change.column];
    }
}

}  // namespace rigwright::ik
