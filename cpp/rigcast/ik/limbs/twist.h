#pragma once
#include <span>

#include "rigcast/core/view.h"
#include "rigcast/rig/skeleton.h"

namespace rigcast::ik {

/// A helper bone that takes a share of a joint's twist.
struct TwistShare {
    int joint = -1;      // with the same parent as the twisting joint
    double share = 0.0;  // of its angle
};

/// Spreads the twist of a joint (a wrist) about its bone over helper bones: a helper's row is its rest transform,
/// turned by its share of the twist about the bone.
///
/// Twist: with L the joint's row, L_0 its rest row, and a the unit vector from its parent to it at rest, the rotation
/// q = R(L) R(L_0)^-1 splits into a twist about a and a swing: the twist's angle is 2 atan2(q_v . a, q_w). The first
/// frame's is within 180 degrees, and each further one is the nearest to the one before, so that helpers never flip.
/// Where the swing is 180 degrees, the twist is undetermined and stays.
/// poses, out: (T, C), consecutive frames of one clip. degrees: (T,), the twist.
/// Throws ArgumentError if a shape is wrong, a number is not finite, a joint does not exist, has no parent or lies at
/// it, a helper has another parent or is the joint, or a share is not finite.
void spread_twist(const rig::Skeleton& skeleton, int joint, std::span<const TwistShare> helpers,
                  View<const float, 2> poses, View<float, 2> out, View<double, 1> degrees);

}  // namespace rigcast::ik
