#include "rigcast/ik/limbs/turn_joints.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/ik/limbs/space.h"
#include "rigcast/linalg/polar.h"

namespace rigcast::ik {
namespace {

constexpr double degrees_per_radian = 180.0 / std::numbers::pi;

/// The angle between unit vectors in radians.
double angle(const Vec3& a, const Vec3& b) {
    return std::atan2(length(cross(a, b)), dot(a, b));
}

/// The unit vector `radians` from unit vector a on the way to unit vector b.
Vec3 towards(const Vec3& a, const Vec3& b, double radians) {
    const Vec3 side = perpendicular_part(b, a);
    return std::cos(radians) * a + std::sin(radians) * side;
}

void check_poses(const char* function, const rig::Skeleton& skeleton, View<const float, 2> poses, View<float, 2> out) {
    if (poses.extent(1) < 12 * static_cast<std::int64_t>(skeleton.num_joints())) {
        throw bad_argument(function, "poses", describe_shape<2>(poses.extents()),
                           "at least " + std::to_string(12 * skeleton.num_joints()) + " wide");
    }
    check_finite(function, "poses", poses);
    check_shape<float, 2>(function, "out", out, poses.extents());
}

void check_joint(const char* function, const rig::Skeleton& skeleton, int joint) {
    if (joint >= 0 && joint < skeleton.num_joints()) return;
    throw bad_argument(function, "joint", std::to_string(joint),
                       "a joint from 0 to " + std::to_string(skeleton.num_joints() - 1));
}

void check_aims(const rig::Skeleton& skeleton, std::span<const Aim> aims) {
    const char* function = "look_at";
    int last = -1;
    for (const Aim& aim : aims) {
        check_joint(function, skeleton, aim.joint);
        if (aim.joint <= last) {
            throw bad_argument(function, "joints", "in another order, or with one twice", "in the skeleton's order");
        }
        last = aim.joint;
        const double size = length(aim.axis);
        if (!(size > 0.0 && std::isfinite(size))) throw bad_argument(function, "axis", "zero", "a direction");
        if (!(aim.share >= 0.0 && aim.share <= 1.0)) {
            throw bad_argument(function, "share", std::to_string(aim.share), "from 0 to 1");
        }
        if (!(aim.limit >= 0.0 && aim.limit <= 180.0)) {
            throw bad_argument(function, "limit", std::to_string(aim.limit), "from 0 to 180 degrees");
        }
    }
}

/// Turns one joint of a pose. Returns the angle that is left, in degrees.
double turn_joint(const rig::Skeleton& skeleton, const Aim& aim, const Vec3& target, float* pose) {
    const int parent = skeleton.parents()[static_cast<std::size_t>(aim.joint)];
    const Transform above = global_of(skeleton, parent, pose);
    const Transform global = above * Transform::at(pose + 12 * aim.joint);
    if (length(target - global.t) == 0.0) return 0.0;
    const Vec3 local = inverse(Transform::at(skeleton.rest_globals().row(aim.joint))).m * aim.axis;
    const Vec3 now = unit(global.m * local, {});
    const Vec3 rest = unit(above.m * (Transform::at(skeleton.rest().row(aim.joint)).m * local), now);
    const Vec3 wanted = unit(target - global.t, now);
    Vec3 next = aim.share == 1.0 ? wanted : towards(now, wanted, aim.share * angle(now, wanted));
    const double most = aim.limit / degrees_per_radian;
    if (angle(rest, next) > most) next = towards(rest, next, most);
    const Matrix3 turn = smallest_rotation(now, next, any_perpendicular(now));
    (inverse(above) * Transform{turn * global.m, global.t}).write(pose + 12 * aim.joint);
    return angle(next, wanted) * degrees_per_radian;
}

const char* const function = "spread_twist";
constexpr double turn_in_degrees = 360.0;

Matrix3 nearest_rotation(const Matrix3& m) {
    Matrix3 rotation;
    std::copy_n(linalg::polar_decomposition(m.data()).rotation, 9, rotation.begin());
    return rotation;
}

/// The rotation by an angle about a unit vector (Rodrigues).
Matrix3 rotation_about(const Vec3& a, double degrees) {
    const double angle = degrees * std::numbers::pi / 180.0;
    const double s = std::sin(angle);
    const double c = std::cos(angle);
    Matrix3 m{c, -s * a[2], s * a[1], s * a[2], c, -s * a[0], -s * a[1], s * a[0], c};
    for (std::size_t i = 0; i < 9; ++i) m[i] += (1.0 - c) * a[i / 3] * a[i % 3];
    return m;
}

/// The angle in degrees of a rotation's twist about `axis`, within 180; `otherwise` if the swing is 180 degrees.
/// The part of the rotation's quaternion in the plane of 1 and the axis, (w, v . a), is proportional to
/// (1 + trace, d) and to (d, 2 a R a + 1 - trace) with d = the antisymmetric part along the axis: the longer one is
/// used.
double twist_angle(const Matrix3& r, const Vec3& axis, double otherwise) {
    const double trace = r[0] + r[4] + r[8];
    const double d = dot(Vec3{r[7] - r[5], r[2] - r[6], r[3] - r[1]}, axis);
    const double along = 2.0 * dot(axis, r * axis) + 1.0 - trace;
    const double w = 1.0 + trace;
    if (std::max(w, along) < 1e-9) return otherwise;
    const double half = w >= along ? std::atan2(d, w) : d >= 0.0 ? std::atan2(along, d) : std::atan2(-along, -d);
    return 2.0 * half * 180.0 / std::numbers::pi;
}

void check(const rig::Skeleton& skeleton, int joint, std::span<const TwistShare> helpers, View<const float, 2> poses,
           View<float, 2> out, View<double, 1> degrees) {
    const auto check_joint = [&](int j) {
        if (j >= 0 && j < skeleton.num_joints()) return;
        throw bad_argument(function, "joint", std::to_string(j),
                           "a joint from 0 to " + std::to_string(skeleton.num_joints() - 1));
    };
    check_joint(joint);
    const auto name = [&](int j) { return skeleton.names()[static_cast<std::size_t>(j)]; };
    const auto parent = [&](int j) { return skeleton.parents()[static_cast<std::size_t>(j)]; };
    if (parent(joint) < 0) throw bad_argument(function, "joint", name(joint), "a joint with a parent");
    if (!(length(Transform::at(skeleton.rest().row(joint)).t) > 0.0)) {
        throw bad_argument(function, "joint", name(joint) + ", which lies at its parent", "at the end of a bone");
    }
    for (const TwistShare& helper : helpers) {
        check_joint(helper.joint);
        if (helper.joint == joint || parent(helper.joint) != parent(joint)) {
            throw bad_argument(function, "helpers", "with " + name(helper.joint),
                               "other joints with the parent of " + name(joint));
        }
        if (!std::isfinite(helper.share)) throw bad_argument(function, "helpers", "with a share of nan", "finite");
    }
    if (poses.extent(1) < 12 * static_cast<std::int64_t>(skeleton.num_joints())) {
        throw bad_argument(function, "poses", describe_shape<2>(poses.extents()),
                           "at least " + std::to_string(12 * skeleton.num_joints()) + " wide");
    }
    check_finite(function, "poses", poses);
    check_shape<float, 2>(function, "out", out, poses.extents());
    check_shape<double, 1>(function, "degrees", degrees, {poses.extent(0)});
}

}  // namespace

void look_at(const rig::Skeleton& skeleton, std::span<const Aim> aims, View<const float, 2> poses,
             View<const double, 2> targets, View<float, 2> out, View<double, 2> misses) {
    const std::int64_t frames = poses.extent(0);
    check_poses("look_at", skeleton, poses, out);
    check_aims(skeleton, aims);
    check_shape<const double, 2>("look_at", "targets", targets, {targets.extent(0) == 1 ? 1 : frames, 3});
    check_finite("look_at", "targets", targets);
    check_shape<double, 2>("look_at", "misses", misses, {frames, static_cast<std::int64_t>(aims.size())});
    std::copy(poses.begin(), poses.end(), out.begin());
    for (std::int64_t t = 0; t < frames; ++t) {
        const Vec3 target = Vec3::at(targets.data(), targets.extent(0) == 1 ? 0 : t);
        for (std::size_t i = 0; i < aims.size(); ++i) {
            misses(t, static_cast<std::int64_t>(i)) = turn_joint(skeleton, aims[i], target, out.row(t));
        }
    }
}

void move_joint(const rig::Skeleton& skeleton, int joint, View<const float, 2> poses, View<const double, 3> rotations,
                View<const double, 2> translations, View<float, 2> out) {
    const char* function = "move_torso";
    const std::int64_t frames = poses.extent(0);
    check_poses(function, skeleton, poses, out);
    check_joint(function, skeleton, joint);
    check_shape<const double, 3>(function, "rotation", rotations, {rotations.extent(0) == 1 ? 1 : frames, 3, 3});
    check_shape<const double, 2>(function, "translation", translations, {translations.extent(0) == 1 ? 1 : frames, 3});
    check_finite(function, "rotation", rotations);
    check_finite(function, "translation", translations);
    std::copy(poses.begin(), poses.end(), out.begin());
    const int parent = skeleton.parents()[static_cast<std::size_t>(joint)];
    for (std::int64_t t = 0; t < frames; ++t) {
        const Transform above = global_of(skeleton, parent, poses.row(t));
        const Transform global = above * Transform::at(poses.row(t) + 12 * joint);
        Matrix3 turn;
        std::copy_n(rotations.row(rotations.extent(0) == 1 ? 0 : t), 9, turn.begin());
        const Vec3 shift = Vec3::at(translations.data(), translations.extent(0) == 1 ? 0 : t);
        (inverse(above) * Transform{turn * global.m, global.t + shift}).write(out.row(t) + 12 * joint);
    }
}

void spread_twist(const rig::Skeleton& skeleton, int joint, std::span<const TwistShare> helpers,
                  View<const float, 2> poses, View<float, 2> out, View<double, 1> degrees) {
    check(skeleton, joint, helpers, poses, out, degrees);
    const Transform rest = Transform::at(skeleton.rest().row(joint));
    const Vec3 axis = unit(rest.t, {});
    const Matrix3 from_rest = transposed(nearest_rotation(rest.m));
    std::copy(poses.begin(), poses.end(), out.begin());
    double last = 0.0;
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const Matrix3 now = nearest_rotation(Transform::at(poses.row(t) + 12 * joint).m);
        const double angle = twist_angle(now * from_rest, axis, last);
        last = angle - turn_in_degrees * std::nearbyint((angle - last) / turn_in_degrees);
        degrees(t) = last;
        for (const TwistShare& helper : helpers) {
            const Transform at_rest = Transform::at(skeleton.rest().row(helper.joint));
            const Matrix3 turn = rotation_about(axis, helper.share * last);
            Transform{turn * at_rest.m, at_rest.t}.write(out.row(t) + 12 * helper.joint);
        }
    }
}

}  // namespace rigcast::ik
