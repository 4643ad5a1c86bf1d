#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::rig {

/// A tree of J joints: names, parents (-1 for a root, parents before children) and parent-relative rest
/// transforms. Column vectors: global_j = global_parent(j) local_j.
class Skeleton {
public:
    /// No joints: a model whose poses are numeric controls only.
    Skeleton() = default;
    /// Throws ArgumentError if sizes differ, a name repeats, a parent does not come before its child (cycles
    /// included), an entry is not finite, or a rest transform has no inverse (zero scale).
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

    /// Global transforms of one pose: 12 J parent-relative floats in, 12 J out.
    void globals(const float* pose, float* out) const;
    /// Writes the global transform of one joint among the 12 J of `globals`, given that of its parent.
    void global(int joint, const float* pose, float* globals) const;
    /// The reverse of `globals`: adds to `pose_gradient` the gradient with respect to the parent-relative
    /// transforms. `global_gradient` (12 J) is overwritten: on return it holds the gradients with descendants
    /// added.
    void globals_vjp(const float* pose, const float* globals, float* global_gradient, float* pose_gradient) const;
    /// The derivative of `globals` along `pose_tangent` (12 J): writes 12 J floats.
    void globals_jvp(const float* pose, const float* globals, const float* pose_tangent, float* out) const;
    /// Adds to the three rows (`stride` floats apart) of a Jacobian the derivative of weight G_joint point, a point in
    /// the joint's frame, in the parent-relative transforms of the joint and its ancestors.
    void add_point_jacobian(int joint, const float* pose, const float* globals, const float* point, float weight,
                            float* rows, std::int64_t stride) const;

private:
    std::vector<std::string> names_;
    std::vector<std::int32_t> parents_;
    std::vector<float> rest_, rest_globals_, inverse_;
};

}  // namespace rigwright::rig
