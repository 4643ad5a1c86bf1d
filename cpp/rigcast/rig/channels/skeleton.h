#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::rig {

/// A tree of J joints: names, parents and parent-relative rest transforms (3, 4). A parent comes before its children;
/// the parent of a root is -1. Global transforms, for column vectors: G_j = G_parent(j) L_j.
class Skeleton {
public:
    /// No joints: for a model whose pose has numeric controls only.
    Skeleton() = default;
    /// Throws ArgumentError if sizes differ, a name repeats, a parent does not come before its child (so that there are
    /// no cycles), a number is not finite, or a rest transform has no inverse (zero scale).
    Skeleton(std::vector<std::string> names, std::vector<std::int32_t> parents, View<const float, 3> rest);

    int num_joints() const { return static_cast<int>(parents_.size()); }
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<std::int32_t>& parents() const { return parents_; }
    /// (J, 3, 4) parent-relative rest transforms.
    View<const float, 3> rest() const { return {rest_.data(), {num_joints(), 3, 4}}; }
    /// (J, 3, 4) global rest transforms.
    View<const float, 3> rest_globals() const { return {rest_globals_.data(), {num_joints(), 3, 4}}; }
    /// (J, 3, 4) inverses of the global rest transforms.
    View<const float, 3> inverse_rest_globals() const { return {inverse_.data(), {num_joints(), 3, 4}}; }

    /// Writes the global transforms (12 J floats) of one pose (12 J parent-relative floats).
    void globals(const float* pose, float* out) const;
    /// Writes the global transform of one joint into `globals` (12 J), which contains that of its parent.
    void global(int joint, const float* pose, float* globals) const;
    /// The vector-Jacobian product of `globals`: adds to `pose_gradient` (12 J) the gradient with respect to the pose,
    /// given the gradient with respect to the global transforms. Overwrites `global_gradient` (12 J): the gradients of
    /// descendants are added to those of their ancestors.
    void globals_vjp(const float* pose, const float* globals, float* global_gradient, float* pose_gradient) const;
    /// The Jacobian-vector product of `globals`: writes its derivative along `pose_tangent` (12 J), 12 J floats.
    void globals_jvp(const float* pose, const float* globals, const float* pose_tangent, float* out) const;
    /// Adds the derivative of weight * G_joint * point with respect to a pose to the three rows of a Jacobian, which
    /// are `stride` floats apart. `point` is in the coordinates of the joint. Only columns of the joint and of its
    /// ancestors change.
    void add_point_jacobian(int joint, const float* pose, const float* globals, const float* point, float weight,
                            float* rows, std::int64_t stride) const;

private:
    std::vector<std::string> names_;
    std::vector<std::int32_t> parents_;
    std::vector<float> rest_;
    std::vector<float> rest_globals_;
    std::vector<float> inverse_;
};

}  // namespace rigcast::rig
