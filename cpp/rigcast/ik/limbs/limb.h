#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/ik/limbs/space.h"
#include "rigcast/rig/channels/skeleton.h"

namespace rigcast::ik {

/// Why a two-bone limb is not the plain solution; bits of its flags, 0 for none.
namespace limb_flag {
inline constexpr std::uint8_t too_far = 1;   // L > d_u + d_l
inline constexpr std::uint8_t too_near = 2;  // L < |d_u - d_l|
inline constexpr std::uint8_t no_hinge = 4;  // the axis is zero or parallel to t - o
inline constexpr std::uint8_t at_base = 8;   // t = o
inline constexpr std::uint8_t unreached = too_far | too_near;
}  // namespace limb_flag

/// The arguments of two_bone for N limbs. A view with one row stands for N equal rows.
struct TwoBoneLimbs {
    View<const double, 2> base;    // o, (N, 3)
    View<const double, 2> target;  // t, (N, 3)
    View<const double, 1> upper;   // d_u, (N,)
    View<const double, 1> lower;   // d_l, (N,)
    View<const double, 2> axis;    // r, (N, 3)
};

/// The results of two_bone.
struct TwoBonePoses {
    View<double, 2> elbow;        // (N, 3)
    View<double, 2> end;          // (N, 3)
    View<std::uint8_t, 1> flags;  // (N,), bits of limb_flag
};

/// Places elbow and end of two-bone limbs in closed form (Bailey 2020, section 4.2). With L = |t - o|:
///
///     n = normalize((t - o) x r),  a = (d_u^2 - d_l^2 + L^2) / (2 L),  h = sqrt(d_u^2 - a^2),
///     elbow = o + a (t - o) / L + h n,  end = t.
///
/// `a` is signed, where the paper takes sqrt(d_u^2 - h^2): the foot of the altitude falls behind the base if
/// d_l^2 > d_u^2 + L^2. The elbow lies on the side of n, perpendicular to the hinge axis r.
///
/// Out of reach: the limb is straight (too far) or folded (too near) along the line to the target, and the end is the
/// point nearest to the target, o + clamp(L, |d_u - d_l|, d_u + d_l) (t - o) / L. Elbow and end are continuous there.
/// No hinge: if r is zero, or its angle with t - o is below 1e-8 radians, the coordinate axis least aligned with t - o
/// takes the place of r. Target at the base: if t = o, the direction is perpendicular to r (x if r is zero).
/// Flags say which of these a limb is. Results are finite for all inputs. Elbow and end are discontinuous only where
/// t - o passes through zero or through a multiple of r.
///
/// Any scale of numbers up to 1e300: lengths hold to rounding, since only ratios are squared.
/// Throws ArgumentError if a shape is wrong, a number is not finite or exceeds 1e300, or a length is negative.
void two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, int threads);

inline constexpr double largest_number = 1e300;      // differences and sums of two do not overflow
inline constexpr double smallest_hinge_sine = 1e-8;  // below, rounding decides the direction of (t - o) x r

/// The angles between the two bones of a limb that its middle joint allows, in degrees: 0 if the limb is straight,
/// positive if it bends about its hinge axis, negative if it bends the other way. The range may contain 0 (a knee that
/// overextends) and go across +-180 (bones that pass each other). By the law of cosines, an angle b of bones u and l is
/// a distance sqrt(u^2 + l^2 + 2 u l cos b) from base to end, so the range is a set of intervals of distances for each
/// side. Immutable.
class BendRange {
public:
    /// Requires: finite, least <= most <= least + 360, both within +-360.
    BendRange(double least, double most);

    /// Returns true if the range is not within 0 to 180: then its sides are told apart. Otherwise it is one of angles
    /// without a sign, on the side to which a pose bends.
    bool is_signed() const { return signed_; }

    /// The shortest and the longest distance of bones of lengths u and l.
    struct Reach {
        double shortest;
        double longest;
    };
    Reach reach(double u, double l) const;

    /// The allowed distance nearest to a given one, and the side (1 or -1) to which the limb bends at it. Of sides that
    /// are as near, `side`.
    struct Choice {
        double distance;
        double side;
    };
    Choice nearest(double u, double l, double distance, double side) const;

private:
    struct Interval {
        double side;
        double cosine_near;  // of the largest angle: the shortest distance
        double cosine_far;
    };
    std::vector<Interval> intervals_;
    bool signed_ = false;
};

/// Choices of a Limb.
struct LimbSettings {
    Vec3 hinge{};           // in global rest axes; zero: from the bend at rest
    double softness = 0.0;  // share of the reach in which the end slows down, from 0 to below 1
    double stretch = 1.0;   // the longest that bones become, at least 1
    double squash = 1.0;    // the shortest that bones become, above 0 and at most 1
    double min_bend = 0.0;  // angles in degrees between the bones: see BendRange
    double max_bend = 180.0;
};

/// Where the end is wanted, per frame. A view with one row stands for all frames; an empty one is not used.
struct LimbGoals {
    View<const double, 2> targets;       // (T, 3), global
    View<const double, 3> orientations;  // (T, 3, 3), rotations of the end; empty: see `end_follows`
    bool end_follows = false;            // the end turns with the lower bone; otherwise its global rotation stays
    View<const double, 2> poles;         // (T, 3): the elbow points towards them; empty: the bend plane stays
    bool poles_in_end = false;           // poles are in the coordinates of the end at its target, and follow it
    View<const double, 2> elbows;        // (T, 3): where the elbow is if bones of the pose's lengths allow it; or empty
};

/// Results of Limb::solve per frame.
struct LimbResults {
    View<float, 2> poses;         // (T, C)
    View<double, 1> miss;         // (T,), distance from end to target
    View<std::uint8_t, 1> flags;  // (T,), bits of limb_flag
};

/// What poses a limb: see Limb::match_ik.
struct LimbControls {
    View<double, 2> targets;       // (T, 3)
    View<double, 3> orientations;  // (T, 3, 3)
    View<double, 2> poles;         // (T, 3)
    View<double, 2> elbows;        // (T, 3): which a nearly straight limb's end leaves open to rounding
};

/// A two-bone limb of a skeleton: joints upper, lower and end, each below the one before. Joints between them, such as
/// twist bones, move rigidly with the bone above them.
///
/// `solve` turns the bones in global space, so rest directions, bone rolls and scales of parents do not matter: the
/// bend plane of the pose is carried along, and each bone is turned from its old frame (direction, hinge) to its new
/// one. Only the rows of upper, lower and end change. Below parents of uniform scale these remain rotations of what
/// they were; below others they get the shear that keeps lengths.
///
/// Bend plane: without a pole, the smallest rotation of the line from base to end carries the plane of the pose. What
/// the limb bends more than in the pose, it bends about the hinge axis that upper carries from rest: noise in the plane
/// of a nearly straight limb is not enlarged, and a knee that is bent backward a little bends forward.
///
/// Reach: let R be the length of the limb at its smallest bend, times `stretch`. A target at distance L is replaced by
/// one in the same direction at
///
///     L' = L                                       if L <= S, with S = (1 - softness) R
///     L' = S + (R - S) (1 - exp((S - L) / (R - S)))  beyond,
///
/// whose slope is at most 1, so that the end never moves faster than the target. Stretched and squashed bones share one
/// factor.
///
/// Bend: of two sides that a range allows, the limb stays at the side of the pose. A distance that neither side allows
/// becomes the nearest one that is. Immutable; const members are thread-safe.
///
/// Example: the wrist at a place, from a pose (1, C) of `skeleton`, whose joints 4, 5 and 6 are an arm.
/// ```cpp
/// const ik::Limb arm(skeleton, 4, 5, 6, {.softness = 0.05});
/// const std::vector<double> place{0.4, 1.1, 0.2};
/// std::vector<float> pose(arm.pose_width()), solved(arm.pose_width());
/// double miss = 0.0;
/// std::uint8_t flags = 0;
/// arm.solve({pose.data(), {1, arm.pose_width()}}, {.targets = {place.data(), {1, 3}}},
///           {{solved.data(), {1, arm.pose_width()}}, {&miss, {1}}, {&flags, {1}}}, 0);
/// ```
class Limb {
public:
    /// Throws ArgumentError if the joints are no chain, a bone has no length at rest, the limb is straight at rest and
    /// has no hinge axis, or a setting is out of its range.
    Limb(const rig::Skeleton& skeleton, int upper, int lower, int end, const LimbSettings& settings);

    /// Throws ArgumentError if a shape is wrong, a number is not finite, or a bone has no length in a pose.
    void solve(View<const float, 2> poses, const LimbGoals& goals, const LimbResults& results, int threads) const;
    /// Writes the controls that bring a limb to where it is in poses: `solve` with them gives the same positions of
    /// lower and end and the same rotation of the end, up to stretch. Throws what `solve` throws.
    void match_ik(View<const float, 2> poses, const LimbControls& controls, int threads) const;

    /// What a pose says of the limb.
    struct State {
        Transform upper, lower, end;                 // global
        Transform parent, lower_parent, end_parent;  // of their parents
        double upper_length = 0.0;
        double lower_length = 0.0;
        double altitude = 0.0;  // distance of the elbow from the line from base to end
        Vec3 hinge{};           // unit: (end - base) x hinge points to the elbow; `carried` if the limb is straight
        Vec3 carried{};         // unit: the hinge axis that upper carries from rest
    };
    /// Throws ArgumentError, which names `function`, if a bone has no length.
    State state(const char* function, const float* pose, std::int64_t frame) const;
    /// Writes the rows of upper, lower and end for new positions of lower and end: bone frames about hinge `before`
    /// become those about hinge `after`.
    void write(const State& state, const Vec3& before, const Vec3& after, const Vec3& elbow, const Vec3& end,
               const Matrix3* end_matrix, float* pose) const;

    int upper_joint() const { return upper_; }
    int end_joint() const { return end_; }
    std::int64_t pose_width() const { return 12 * static_cast<std::int64_t>(parents_.size()); }

private:
    struct Goal;
    Goal goal(const State& state, const LimbGoals& goals, std::int64_t frame) const;
    void solve_frames(View<const float, 2> poses, const LimbGoals& goals, const LimbResults& results,
                      std::int64_t begin, std::int64_t end) const;
    void check_chain(const rig::Skeleton& skeleton) const;
    void check_settings() const;
    double side_of(const State& state) const;
    void choose_bend(const State& state, double distance, Goal* goal) const;
    Vec3 given_elbow(const State& state, const Vec3& end, const View<const double, 2>& elbows, std::int64_t frame,
                     const Vec3& otherwise) const;

    LimbSettings settings_;
    BendRange bends_{0.0, 180.0};
    int upper_;
    int lower_;
    int end_;
    std::vector<std::int32_t> parents_;
    std::vector<std::string> names_;
    std::vector<int> path_;  // joints from the root to the end
    double rest_length_ = 0.0;
    Vec3 hinge_{};  // in upper's coordinates
};

}  // namespace rigcast::ik
