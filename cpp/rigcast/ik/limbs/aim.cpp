#include "rigcast/ik/limbs/aim.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/ik/limbs/joint_transform.h"

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

}  // namespace rigcast::ik
