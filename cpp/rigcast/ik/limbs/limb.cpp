#include "rigcast/ik/limbs/limb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rigcast/core/check.h"

namespace rigcast::ik {
namespace {

constexpr double smallest_bend_sine = 1e-3;  // of a bend that says where the bend plane is: .06 degrees
constexpr double shortest_bone = 1e-6;       // relative to the limb at rest: rounding of float32 positions

/// The length |u + l| of two bones, from the cosine of the angle between them.
double third_side(double u, double l, double cosine) {
    return std::sqrt(std::max(0.0, u * u + l * l + 2.0 * u * l * cosine));
}

double cosine_of(double degrees) {
    return std::cos(degrees * std::numbers::pi / 180.0);
}

}  // namespace

BendRange::BendRange(double least, double most) : signed_(least < 0.0 || most > 180.0) {
    // Half turns [180 k, 180 (k + 1)]: even k bend about the hinge by 0 to 180, odd k the other way by 180 to 0.
    for (int k = -2; k < 2; ++k) {
        const double begin = std::max(least, 180.0 * k);
        const double end = std::min(most, 180.0 * (k + 1));
        if (begin > end || (begin == end && least < most)) continue;  // an end belongs to the neighbor, too
        const double a = k % 2 == 0 ? begin - 180.0 * k : 180.0 * (k + 1) - end;
        const double b = k % 2 == 0 ? end - 180.0 * k : 180.0 * (k + 1) - begin;
        intervals_.push_back({k % 2 == 0 ? 1.0 : -1.0, cosine_of(b), cosine_of(a)});
    }
}

BendRange::Reach BendRange::reach(double u, double l) const {
    Reach found{std::numeric_limits<double>::infinity(), 0.0};
    for (const Interval& interval : intervals_) {
        found.shortest = std::min(found.shortest, third_side(u, l, interval.cosine_near));
        found.longest = std::max(found.longest, third_side(u, l, interval.cosine_far));
    }
    return found;
}

BendRange::Choice BendRange::nearest(double u, double l, double distance, double side) const {
    Choice best{distance, side};
    double least = std::numeric_limits<double>::infinity();
    for (const Interval& interval : intervals_) {
        const double allowed =
            std::clamp(distance, third_side(u, l, interval.cosine_near), third_side(u, l, interval.cosine_far));
        const double away = std::abs(allowed - distance);
        if (away < least || (away == least && interval.side == side)) {
            best = {allowed, interval.side};
            least = away;
        }
    }
    return best;
}

Limb::Limb(const rig::Skeleton& skeleton, int upper, int lower, int end, const LimbSettings& settings)
    : settings_(settings),
      upper_(upper),
      lower_(lower),
      end_(end),
      parents_(skeleton.parents()),
      names_(skeleton.names()) {
    check_chain(skeleton);
    check_settings();
    bends_ = BendRange(settings.min_bend, settings.max_bend);
    for (int j = end_; j >= 0; j = parents_[j]) path_.insert(path_.begin(), j);
    const auto at = [&](int joint) { return Transform::at(skeleton.rest_globals().row(joint)); };
    const Vec3 u = at(lower).t - at(upper).t;
    const Vec3 l = at(end).t - at(lower).t;
    rest_length_ = length(u) + length(l);
    const double shortest = 1e-5 * (rest_length_ + length(at(end).t));  // float32 positions are no more exact
    if (!(length(u) > shortest) || !(length(l) > shortest)) {
        const int wrong = length(u) > shortest ? lower : upper;
        throw bad_argument("Limb", "joints", "a limb of zero length below " + names_[wrong], "two bones with lengths");
    }
    Vec3 hinge = settings.hinge;
    if (dot(hinge, hinge) == 0.0) {
        hinge = cross(u, l);
        if (!(length(hinge) > smallest_bend_sine * length(u) * length(l))) {
            throw bad_argument("Limb", "hinge", "None for a limb that is straight at rest",
                               "an axis in global rest coordinates");
        }
    } else if (!(length(cross(hinge, u)) > smallest_bend_sine * length(hinge) * length(u))) {
        throw bad_argument("Limb", "hinge", "along the upper bone", "an axis across it");
    }
    hinge_ = inverse(at(upper)).m * unit(hinge, {});
}

void Limb::check_chain(const rig::Skeleton& skeleton) const {
    const int count = skeleton.num_joints();
    for (const int joint : {upper_, lower_, end_}) {
        if (joint < 0 || joint >= count) {
            throw bad_argument("Limb", "joints", std::to_string(joint),
                               "joints from 0 to " + std::to_string(count - 1));
        }
    }
    const auto below = [&](int joint, int ancestor) {
        for (joint = parents_[joint]; joint >= 0 && joint != ancestor;) joint = parents_[joint];
        return joint == ancestor;
    };
    const int pairs[2][2] = {{lower_, upper_}, {end_, lower_}};
    for (const auto& [joint, ancestor] : pairs) {
        if (below(joint, ancestor)) continue;
        throw bad_argument("Limb", "joints", "no chain: " + names_[joint] + " is not below " + names_[ancestor],
                           "three joints, each below the one before");
    }
}

void Limb::check_settings() const {
    const auto check = [](const char* name, double value, bool fits, const char* must) {
        if (!fits) throw bad_argument("Limb", name, std::to_string(value), must);
    };
    const LimbSettings& s = settings_;
    for (const double x : s.hinge) check("hinge", x, std::isfinite(x), "finite");
    check("softness", s.softness, s.softness >= 0.0 && s.softness < 1.0, "from 0 to below 1");
    check("stretch", s.stretch, s.stretch >= 1.0 && std::isfinite(s.stretch), "at least 1, and finite");
    check("squash", s.squash, s.squash > 0.0 && s.squash <= 1.0, "above 0 and at most 1");
    const char* range = "a range of at most 360 degrees, within +-360";
    check("bend", s.min_bend, s.min_bend >= -360.0 && s.min_bend <= s.max_bend, range);
    check("bend", s.max_bend, s.max_bend <= std::min(360.0, s.min_bend + 360.0), range);
}

Limb::State Limb::state(const char* function, const float* pose, std::int64_t frame) const {
    State s;
    Transform global;
    for (const int joint : path_) {
        if (joint == upper_) s.parent = global;
        if (joint == lower_) s.lower_parent = global;
        if (joint == end_) s.end_parent = global;
        global = global * Transform::at(pose + 12 * joint);
        if (joint == upper_) s.upper = global;
        if (joint == lower_) s.lower = global;
        if (joint == end_) s.end = global;
    }
    const Vec3 u = s.lower.t - s.upper.t;
    const Vec3 l = s.end.t - s.lower.t;
    s.upper_length = length(u);
    s.lower_length = length(l);
    if (!(std::min(s.upper_length, s.lower_length) > shortest_bone * rest_length_)) {
        throw bad_argument(function, "poses", "a limb of zero length in frame " + std::to_string(frame),
                           "poses whose bones have lengths");
    }
    const Vec3 bend = cross(u, l);
    const bool bent = length(bend) > smallest_bend_sine * s.upper_length * s.lower_length;
    s.carried = perpendicular_part(s.upper.m * hinge_, (1.0 / s.upper_length) * u);
    s.hinge = bent ? unit(bend, {}) : s.carried;
    const double line = length(s.end.t - s.upper.t);
    s.altitude = !bent ? 0.0 : line > 0.0 ? length(bend) / line : s.upper_length;
    return s;
}

void Limb::write(const State& s, const Vec3& before, const Vec3& after, const Vec3& elbow, const Vec3& end,
                 const Matrix3* end_matrix, float* pose) const {
    const auto turn = [&](const Vec3& old_bone, const Vec3& new_bone) {
        const Vec3 from = unit(old_bone, {});
        const Vec3 to = unit(new_bone, from);
        return bone_frame(to, after) * transposed(bone_frame(from, before));
    };
    const Matrix3 first = turn(s.lower.t - s.upper.t, elbow - s.upper.t);
    const Matrix3 second = turn(s.end.t - s.lower.t, end - elbow);
    // Joints between move with the bone above them: p -> R (p - old) + new.
    const Transform above_lower{first * s.lower_parent.m, first * (s.lower_parent.t - s.upper.t) + s.upper.t};
    const Transform above_end{second * s.end_parent.m, second * (s.end_parent.t - s.lower.t) + elbow};
    const Transform upper_new{first * s.upper.m, s.upper.t};
    const Transform lower_new{second * s.lower.m, elbow};
    const Transform end_new{end_matrix ? *end_matrix : second * s.end.m, end};
    (inverse(s.parent) * upper_new).write(pose + 12 * upper_);
    (inverse(above_lower) * lower_new).write(pose + 12 * lower_);
    (inverse(above_end) * end_new).write(pose + 12 * end_);
}

}  // namespace rigcast::ik
