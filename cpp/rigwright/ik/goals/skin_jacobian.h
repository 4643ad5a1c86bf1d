#pragma once
#include <vector>

#include "rigwright/ik/goals/unknowns.h"
#include "rigwright/rig/deformer.h"

namespace rigwright::ik {

/// The Jacobian of a model's vertices with respect to unknowns, for models restricted to a few vertices.
/// Method: models that have a Jacobian of their own (learned bodies, skinning) multiply it by the pose's derivatives;
/// others make one jvp per unknown or one vjp per coordinate, whichever are fewer. Not thread-safe: one per thread.
class SkinJacobian {
public:
    /// `model` must outlive this object.
    SkinJacobian(const rig::Deformer& model, std::int64_t num_unknowns);

    /// Writes the Jacobian (3 V, N), row-major, at a pose.
    void compute(const LinearizedPose& pose, std::vector<double>* jacobian);

private:
    void by_directions(const LinearizedPose& pose, std::vector<double>* jacobian);
    void by_columns(const LinearizedPose& pose, std::vector<double>* jacobian);

    const rig::Deformer& model_;
    std::int64_t num_unknowns_;
    bool by_directions_;
    std::vector<float> repeated_;     // (N, C)
    std::vector<float> tangents_;     // (N, C)
    std::vector<float> derivatives_;  // (N, 3 V)
    std::vector<float> columns_;      // (3 V, C)
};

}  // namespace rigwright::ik
