#pragma once
#include <vector>

#include "rigcast/rig/mechanism/bone.h"
#include "rigcast/rig/mechanism/bone_frame.h"

namespace rigcast::rig {

/// The bones of a mechanism with the poses that are known so far.
struct PosedBones {
    const std::vector<Bone>& bones;
    const std::vector<Affine>& poses;  // in the coordinates of the armature
    const Affine& object;              // from these to the scene's
    const Affine& inverse_object;
    const double* channels;

    BoneFrame frame(int index) const {
        const Bone& bone = bones[index];
        if (bone.parent < 0) return {bone, nullptr, nullptr};
        return {bone, &poses[bone.parent], &bones[bone.parent].rest};
    }
    /// The transform of a target in the scene.
    Affine in_scene(const BoneTarget& target) const {
        if (target.bone < 0) return target.fixed;
        Affine pose = poses[target.bone];
        if (target.head_tail > 0.0) {
            pose.location = pose.location + target.head_tail * bones[target.bone].length * pose.linear.column(1);
        }
        return object * pose;
    }
};

}  // namespace rigcast::rig
