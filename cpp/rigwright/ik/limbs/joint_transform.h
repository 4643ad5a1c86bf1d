#pragma once
#include "rigwright/ik/limbs/space.h"
#include "rigwright/rig/skeleton.h"

namespace rigwright::ik {

/// The global transform of a joint in a pose (at least 12 J floats), in double precision; of joint -1, the identity.
inline Transform global_of(const rig::Skeleton& skeleton, int joint, const float* pose) {
    Transform global;
    for (; joint >= 0; joint = skeleton.parents()[static_cast<std::size_t>(joint)]) {
        global = Transform::at(pose + 12 * joint) * global;
    }
    return global;
}

}  // namespace rigwright::ik
