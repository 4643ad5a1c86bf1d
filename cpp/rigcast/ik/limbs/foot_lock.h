#pragma once
#include <cstdint>
#include <span>

#include "rigcast/core/view.h"
#include "rigcast/ik/limbs/limb.h"

namespace rigcast::ik {

/// When a point counts as planted. Lengths in the rig's unit, times in seconds.
struct ContactRules {
    double height = 0.05;    // above the ground
    double speed = 0.3;      // per second
    double looser = 1.5;     // a contact goes on up to this multiple of height and speed
    double shortest = 0.05;  // shorter contacts are dropped
    double fps = 30.0;
};

/// Finds when a point stands on the ground: a contact begins in a frame where its height and speed are below their
/// bounds, and goes on while they are below `looser` times these (hysteresis). The speed of a frame is the smaller of
/// those to its two neighbors, so that the first and the last frame of a contact belong to it. The ground is the height
/// that a fiftieth of the frames are below.
/// points: (T, 3). up: 0, 1 or 2, the axis of heights. contacts: (T,), 1 in contact, else 0.
/// Throws ArgumentError if a shape is wrong, a number is not finite, or a rule is out of its range.
void find_contacts(View<const double, 2> points, int up, const ContactRules& rules, View<std::uint8_t, 1> contacts);

/// A foot: the leg (hip, knee, ankle), and the joint that stands, the ankle or one below it.
struct Foot {
    const Limb* leg = nullptr;
    int toe = -1;
};

/// Choices of lock_feet. Lengths in the rig's unit, times in seconds.
struct FootLockRules {
    int pelvis = 0;         // the joint that is lowered where a leg is too short
    int up = 1;             // 0, 1 or 2
    double release = 0.15;  // a contact ends if the clip's toe is farther from its anchor; the most that pelvis moves
    double blend = 0.2;     // in which the foot returns to the clip
    double fps = 30.0;
};

/// Results of lock_feet per frame, for F feet.
struct FootLockResults {
    View<float, 2> poses;            // (T, C)
    View<std::uint8_t, 2> contacts;  // (T, F), 1 if the toe was held
    View<double, 2> drift;           // (T, F), distance of a held toe from its anchor in the result, else 0
    View<double, 1> lowered;         // (T,), how far the pelvis is lowered
};

/// The hinge axis of a limb from a clip (T, C), in global rest axes: the mean over frames of the normal of its bend, as
/// upper carries it. Zero if the limb is never bent.
Vec3 mean_hinge(const rig::Skeleton& skeleton, int upper, int lower, int end, View<const float, 2> poses);

/// Writes the global positions (T, 3) of a joint in poses (T, C).
void joint_positions(const rig::Skeleton& skeleton, int joint, View<const float, 2> poses, View<double, 2> positions);

/// Holds feet where they stand: in a run of contacts a toe stays at its anchor, its position in the first frame.
///
/// The foot moves by the toe's offset and keeps its orientation; the leg follows. After a contact, the offset decays
/// like a critically damped spring from its value and velocity; in `blend` before the next, it moves alike to the
/// offset at which the anchor is the mean of the toe's places in that contact, which halves what the leg must follow.
/// In both, the toe's step from the frame before stays below `longest_steps`, or below its step in the clip if that is
/// longer.
/// Reach: a leg becomes no longer than it ever is in the clip. Where a foot is farther, the pelvis is lowered, smoothly
/// over `blend` before and after.
/// Release: a contact ends if the clip's toe is farther than `release` from the anchor, or the pelvis would have to be
/// lowered by more.
/// Applied again with the contacts of its result, it changes nothing. Frames without a change keep their bytes.
/// contacts, longest_steps: (T, F).
/// Throws ArgumentError if a shape is wrong, a number is not finite, a rule is out of its range, a toe is not below its
/// leg or a leg not below the pelvis; and what Limb::solve throws.
void lock_feet(const rig::Skeleton& skeleton, std::span<const Foot> feet, View<const float, 2> poses,
               View<const std::uint8_t, 2> contacts, View<const double, 2> longest_steps, const FootLockRules& rules,
               const FootLockResults& results);

}  // namespace rigcast::ik
