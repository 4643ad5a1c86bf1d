#include <algorithm>
#include <array>
#include <cmath>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/ik/limbs/limb.h"
#include "rigcast/linalg/polar.h"

namespace rigcast::ik {
namespace {

constexpr std::int64_t frames_per_task = 64;  // not sensitive: a task is far longer than its start
constexpr double elbow_slack = 1e-5;          // relative to the limb: float32 poses have no more exact lengths

/// The altitude of a triangle on its third side.
double altitude(double upper, double lower, double third) {
    const double a = 0.5 * ((upper - lower) / third * (upper + lower) + third);
    return std::sqrt(std::max(0.0, (upper - a) * (upper + a)));
}

/// A distance slowed down at its limit: see Limb.
double softened(double distance, double limit, double softness) {
    const double begin = limit * (1.0 - softness);
    if (distance <= begin) return distance;
    const double decay = limit * softness;
    return decay > 0.0 ? begin + decay * (1.0 - std::exp((begin - distance) / decay)) : limit;
}

Matrix3 nearest_rotation(const Matrix3& m) {
    Matrix3 rotation;
    std::copy_n(linalg::polar_decomposition(m.data()).rotation, 9, rotation.begin());
    return rotation;
}

template <int Rank>
std::int64_t row_of(const View<const double, Rank>& view, std::int64_t frame) {
    return view.extent(0) == 1 ? 0 : frame;
}

/// Throws if rows are neither 1 nor `frames`, or a number is not finite.
template <int Rank>
void check_goals(const char* argument, const View<const double, Rank>& view, std::int64_t frames, bool optional) {
    if (optional && view.data() == nullptr) return;
    auto shape = view.extents();
    shape.fill(3);
    shape[0] = view.extent(0) == 1 ? 1 : frames;
    check_shape<const double, Rank>("Limb.solve", argument, view, shape);
    check_finite("Limb.solve", argument, view);
}

}  // namespace

/// Where a frame's limb goes: arguments of two_bone, and what else is to be written.
struct Limb::Goal {
    Vec3 target;
    double factor = 1.0;  // of the bones' lengths
    double used = 0.0;    // distance from base to target
    double side = 1.0;    // to which the limb bends: -1 against its hinge
    Vec3 before;          // the hinge in the pose
    Vec3 hinge;           // and in the result
    bool has_end = false;
    Matrix3 end{};  // new 3x3 part of the end, if has_end
    std::uint8_t flags = 0;
};

/// The side to which a limb is bent in its pose; 1 for one that bends to one side only.
double Limb::side_of(const State& s) const {
    return bends_.is_signed() && dot(s.hinge, s.carried) < 0.0 ? -1.0 : 1.0;
}

/// Writes the distance from base to end, the factor of the bones, the side and the flags of the reach.
void Limb::choose_bend(const State& s, double distance, Goal* g) const {
    const BendRange::Reach bounds = bends_.reach(s.upper_length, s.lower_length);
    const double most = bounds.longest * settings_.stretch;
    const double nearest = std::max(bounds.shortest * settings_.squash, 1e-9 * bounds.longest);  // keeps a direction
    g->used = std::max(std::min(softened(distance, most, settings_.softness), most), nearest);
    if (distance > most) g->flags |= limb_flag::too_far;
    if (distance < bounds.shortest * settings_.squash) g->flags |= limb_flag::too_near;
    g->factor = g->used > bounds.longest    ? g->used / bounds.longest
                : g->used < bounds.shortest ? g->used / bounds.shortest
                                            : 1.0;
    if (!bends_.is_signed()) return;
    const BendRange::Choice choice = bends_.nearest(s.upper_length, s.lower_length, g->used, side_of(s));
    g->side = choice.side;
    if (g->factor != 1.0 || choice.distance == g->used) return;
    g->flags |= choice.distance < g->used ? limb_flag::too_far : limb_flag::too_near;
    g->used = choice.distance;
}

Limb::Goal Limb::goal(const State& s, const LimbGoals& goals, std::int64_t frame) const {
    Goal g;
    const Vec3 wanted = Vec3::at(goals.targets.data(), row_of(goals.targets, frame));
    const Vec3 base = s.upper.t;
    const Vec3 before = unit(s.end.t - base, unit(s.lower.t - base, {}));
    const double distance = length(wanted - base);
    const Vec3 along = unit(wanted - base, before);

    choose_bend(s, distance, &g);
    g.target = g.used == distance ? wanted : base + g.used * along;
    if (distance == 0.0) g.flags |= limb_flag::at_base;

    if (goals.orientations.data() != nullptr) {
        g.has_end = true;
        Matrix3 rotation;
        std::copy_n(goals.orientations.row(row_of(goals.orientations, frame)), 9, rotation.begin());
        // A = R P: the new rotation takes the place of R, scale and shear P stay.
        g.end = nearest_rotation(rotation) * (transposed(nearest_rotation(s.end.m)) * s.end.m);
    } else if (!goals.end_follows) {
        g.has_end = true;
        g.end = s.end.m;
    }
    const double more = altitude(g.factor * s.upper_length, g.factor * s.lower_length, g.used) - s.altitude;
    const Vec3 bent = side_of(s) * s.hinge;
    g.before = unit(s.altitude * bent + std::max(more, 0.0) * s.carried, bent);
    g.hinge = smallest_rotation(before, along, g.before) * g.before;
    if (goals.poles.data() != nullptr) {
        Vec3 pole = Vec3::at(goals.poles.data(), row_of(goals.poles, frame));
        if (goals.poles_in_end) pole = (g.has_end ? g.end : s.end.m) * pole + wanted;
        const Vec3 side = cross(pole - base, along);
        if (length(side) > 1e-6 * length(pole - base)) {
            g.hinge = unit(side, g.hinge);
        } else {
            g.flags |= limb_flag::no_hinge;
        }
    }
    return g;
}

/// The given elbow, if bones of the pose's lengths reach it from base and end; `otherwise` if not.
Vec3 Limb::given_elbow(const State& s, const Vec3& end, const View<const double, 2>& elbows, std::int64_t frame,
                       const Vec3& otherwise) const {
    const Vec3 elbow = Vec3::at(elbows.data(), row_of(elbows, frame));
    const double slack = elbow_slack * (s.upper_length + s.lower_length);
    const bool fits = std::abs(length(elbow - s.upper.t) - s.upper_length) <= slack &&
                      std::abs(length(end - elbow) - s.lower_length) <= slack;
    return fits ? elbow : otherwise;
}

void Limb::solve_frames(View<const float, 2> poses, const LimbGoals& goals, const LimbResults& results,
                        std::int64_t begin, std::int64_t end) const {
    std::array<State, frames_per_task> states;
    std::array<Goal, frames_per_task> wanted;
    double points[5][3 * frames_per_task];  // bases, targets, axes, elbows, ends
    double lengths[2][frames_per_task];
    std::uint8_t flags[frames_per_task];
    const std::int64_t count = end - begin;
    for (std::int64_t i = 0; i < count; ++i) {
        states[i] = state("Limb.solve", poses.row(begin + i), begin + i);
        wanted[i] = goal(states[i], goals, begin + i);
        states[i].upper.t.write(points[0] + 3 * i);
        wanted[i].target.write(points[1] + 3 * i);
        (wanted[i].side * wanted[i].hinge).write(points[2] + 3 * i);
        lengths[0][i] = wanted[i].factor * states[i].upper_length;
        lengths[1][i] = wanted[i].factor * states[i].lower_length;
    }
    const auto rows = [&](double* p) { return View<double, 2>(p, {count, 3}); };
    two_bone({rows(points[0]), rows(points[1]), {lengths[0], {count}}, {lengths[1], {count}}, rows(points[2])},
             {rows(points[3]), rows(points[4]), {flags, {count}}}, 1);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t t = begin + i;
        float* pose = results.poses.row(t);
        std::copy_n(poses.row(t), poses.extent(1), pose);
        const Goal& g = wanted[i];
        const Vec3 reached = Vec3::at(points[4], i);
        const Vec3 hinge = perpendicular_part(g.hinge, unit(g.target - states[i].upper.t, {1.0, 0.0, 0.0}));
        Vec3 elbow = Vec3::at(points[3], i);
        if (goals.elbows.data() != nullptr) elbow = given_elbow(states[i], reached, goals.elbows, t, elbow);
        write(states[i], g.before, hinge, elbow, reached, g.has_end ? &g.end : nullptr, pose);
        results.miss.data()[t] = length(reached - Vec3::at(goals.targets.data(), row_of(goals.targets, t)));
        results.flags.data()[t] = static_cast<std::uint8_t>(g.flags | (flags[i] & limb_flag::no_hinge));
    }
}

void Limb::solve(View<const float, 2> poses, const LimbGoals& goals, const LimbResults& results, int threads) const {
    const char* function = "Limb.solve";
    check_threads(function, threads);
    if (poses.extent(1) < pose_width()) {
        throw bad_argument(function, "poses", describe_shape<2>(poses.extents()),
                           "at least " + std::to_string(pose_width()) + " wide");
    }
    check_finite(function, "poses", poses);
    check_goals("targets", goals.targets, poses.extent(0), false);
    check_goals("orientations", goals.orientations, poses.extent(0), true);
    check_goals("poles", goals.poles, poses.extent(0), true);
    check_goals("elbows", goals.elbows, poses.extent(0), true);
    parallel_for(poses.extent(0), frames_per_task, threads,
                 [&](std::int64_t begin, std::int64_t end) { solve_frames(poses, goals, results, begin, end); });
}

void Limb::match_ik(View<const float, 2> poses, const LimbControls& controls, int threads) const {
    const char* function = "Limb.match_ik";
    check_threads(function, threads);
    if (poses.extent(1) < pose_width()) {
        throw bad_argument(function, "poses", describe_shape<2>(poses.extents()),
                           "at least " + std::to_string(pose_width()) + " wide");
    }
    check_finite(function, "poses", poses);
    parallel_for(poses.extent(0), frames_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const State s = state(function, poses.row(t), t);
            const Vec3 line = s.end.t - s.upper.t;
            const Vec3 side = unit(cross(line, s.hinge), unit(s.lower.t - s.upper.t, {}));
            const Vec3 pole = s.upper.t + 0.5 * line + (s.upper_length + s.lower_length) * side;
            s.end.t.write(controls.targets.row(t));
            pole.write(controls.poles.row(t));
            s.lower.t.write(controls.elbows.row(t));
            const Matrix3 rotation = nearest_rotation(s.end.m);
            std::copy_n(rotation.begin(), 9, controls.orientations.row(t));
        }
    });
}

}  // namespace rigcast::ik
