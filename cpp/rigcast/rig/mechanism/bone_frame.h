#pragma once
#include "rigcast/rig/mechanism/bone.h"

namespace rigcast::rig {

/// What a bone inherits from its parent: maps the bone's own transform to the coordinates of the armature.
class BoneFrame {
public:
    /// `parent`: the pose of the bone's parent, null for a root; `parent_rest` its rest pose.
    BoneFrame(const Bone& bone, const Affine* parent, const Affine* parent_rest);

    /// The pose of the bone's own transform.
    Affine to_pose(const Affine& own) const;
    /// The bone's own transform in a pose.
    Affine to_own(const Affine& pose) const;

private:
    void inherit(const Bone& bone, const Affine& parent, const Affine& parent_rest);

    Affine turning_;       // rotation and scale
    Affine placing_;       // of locations
    Vec3 scale_{1, 1, 1};  // of the result's columns
};

}  // namespace rigcast::rig
