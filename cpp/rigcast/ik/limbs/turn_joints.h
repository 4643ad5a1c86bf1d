#pragma once
#include <span>

#include "rigcast/core/view.h"
#include "rigcast/ik/limbs/space.h"
#include "rigcast/rig/channels/skeleton.h"

namespace rigcast::ik {

/// A joint that turns towards a point.
struct Aim {
    int joint = -1;
    Vec3 axis{};           // where it looks at rest, in global coordinates
    double share = 1.0;    // of the angle to the target, from 0 to 1
    double limit = 180.0;  // largest angle in degrees from where the joint looks at rest, as its parent carries it
};

/// Turns joints towards targets, one after another: each by its share of the angle that the joints above left, by the
/// smallest rotation, in global space, and back into its limit. Other rows keep their bytes, children follow.
/// poses, out: (T, C). targets: (T, 3) or (1, 3), global. misses: (T, size of aims), angle in degrees that is left
/// between each joint and its target. A joint that is at its target does not turn.
/// Throws ArgumentError if a shape is wrong, a number is not finite, joints are out of range or not in the skeleton's
/// order, an axis is zero, or a share or limit is out of its range.
void look_at(const rig::Skeleton& skeleton, std::span<const Aim> aims, View<const float, 2> poses,
             View<const double, 2> targets, View<float, 2> out, View<double, 2> misses);

/// Moves a joint in global space and lets its children follow: G' = [R M, t + d] for G = [M, t].
/// rotations: (T, 3, 3) or (1, 3, 3). translations: (T, 3) or (1, 3). out: (T, C).
/// Throws ArgumentError if a shape is wrong, a number is not finite or the joint does not exist.
void move_joint(const rig::Skeleton& skeleton, int joint, View<const float, 2> poses, View<const double, 3> rotations,
                View<const double, 2> translations, View<float, 2> out);

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
