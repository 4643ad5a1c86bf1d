#pragma once
#include "rigcast/ik/limbs/space.h"
#include "rigcast/rig/skeleton.h"

namespace rigcast::ik {

/// The global transform of a joint in a pose (at least 12 J floats), in double precision; of joint -1, the identity.
inline Transform global_of(const rig::Skeleton& skeleton, int joint, const float* pose) {
    Transform global;
    for (; joint >= 0; joint = skeleton.parents()[static_cast<std::size_t>(joint)]) {
        global = Transform::at(pose + 12 * joint) * global;
    }
    return global;
}

}  // namespace rigcast::ik
