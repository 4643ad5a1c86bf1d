#include "rigcast/rig/mechanism/constraints.h"

#include <algorithm>
#include <cmath>

namespace rigcast::rig {
namespace {

/// From the scene to the coordinates in which a constraint works; `index` is the bone they belong to.
Affine to_space(const PosedBones& posed, int index, Space space, const Affine& in_scene) {
    if (space == Space::world || index < 0) return in_scene;
    const Affine pose = posed.inverse_object * in_scene;
    if (space == Space::pose) return pose;
    if (space == Space::local) return posed.frame(index).to_own(pose);
    return inverse(posed.bones[index].rest) * pose;
}

Affine from_space(const PosedBones& posed, int index, Space space, const Affine& in_space) {
    if (space == Space::world) return in_space;
    if (space == Space::pose) return posed.object * in_space;
    if (space == Space::local) return posed.object * posed.frame(index).to_pose(in_space);
    return posed.object * (posed.bones[index].rest * in_space);
}

void copy_location(const Constraint& c, const Affine& target, Affine* own) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!c.axes[axis]) continue;
        const double copied = c.inverted[axis] ? -target.location[axis] : target.location[axis];
        own->location[axis] = copied + (c.offset ? own->location[axis] : 0.0);
    }
}

/// The angles that replace those of a bone, axis by axis.
Matrix3 copied_angles(const Constraint& c, const Matrix3& target, const Matrix3& own) {
    const Vec3 old = euler_angles(own, c.order);
    Vec3 angles = euler_angles_near(target, old, c.order);
    const bool keeps_old = c.mix == RotationMix::replace || c.mix == RotationMix::offset;
    for (int axis = 0; axis < 3; ++axis) {
        if (!c.axes[axis]) {
            angles[axis] = keeps_old ? old[axis] : 0.0;
            continue;
        }
        if (c.mix == RotationMix::offset) {
            const Matrix3 turned = euler_rotation(angles, c.order) * axis_rotation(axis, old[axis]);
            angles = euler_angles_near(turned, angles, c.order);
        }
        if (c.inverted[axis]) angles[axis] = -angles[axis];
    }
    if (c.mix == RotationMix::add) angles = angles + old;
    return euler_rotation(angles, c.order);
}

void copy_rotation(const Constraint& c, const Affine& target, Affine* own) {
    const auto [rotation, sizes] = rotation_and_scales(own->linear);
    Matrix3 copied = without_shear(target.linear, true);
    if (determinant(copied) < 0.0) copied = -1.0 * copied;
    const auto all = [](const std::array<bool, 3>& flags) { return flags[0] && flags[1] && flags[2]; };
    const bool whole = all(c.axes) && c.inverted == std::array<bool, 3>{};
    if (!whole || c.mix == RotationMix::offset || c.mix == RotationMix::add)
        copied = copied_angles(c, copied, rotation);
    if (c.mix == RotationMix::before) copied = copied * rotation;
    if (c.mix == RotationMix::after) copied = rotation * copied;
    own->linear = scaled(copied, sizes);
}

void copy_scale(const Constraint& c, const Affine& target, Affine* own) {
    Vec3 sizes = scales(target.linear);
    const Vec3 old = scales(own->linear);
    for (double& size : sizes) size = std::pow(size, c.power);
    if (c.uniform) {
        const double size = std::cbrt(sizes[0] * sizes[1] * sizes[2]);
        sizes = {size, size, size};
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (c.offset) sizes[axis] = c.additive ? sizes[axis] + old[axis] - 1.0 : sizes[axis] * old[axis];
        if (c.axes[axis] && old[axis] > 0.0) own->linear.scale_column(axis, sizes[axis] / old[axis]);
    }
}

void damped_track(const Constraint& c, const Affine& target, Affine* own) {
    const Vec3 direction = target.location - own->location;
    const Vec3 pointing = c.sign * own->linear.column(c.axis);
    if (length(direction) == 0.0 || length(pointing) == 0.0) return;
    own->linear = rotation_between(pointing, direction) * own->linear;
}

void stretch_to(const Constraint& c, const Affine& target, Affine* own) {
    const Matrix3 straight = without_shear(own->linear, false);
    const Vec3 sizes = scales(straight);
    const Vec3 direction = target.location - own->location;
    const double distance = length(direction) / sizes[1];
    if (distance == 0.0) return;
    const double bulge = std::pow(c.length / distance, c.bulge);
    Vec3 factors = sizes;
    for (int axis = 0; axis < 3; ++axis) factors[axis] *= std::pow(bulge, c.volume[axis]);
    factors[1] *= distance / c.length;
    const Matrix3 columns = unit_columns(straight);
    own->linear = scaled(rotation_between(columns.column(1), direction) * columns, factors);
}

/// The weighted mean of what the targets do to their bones.
void move_with(const PosedBones& posed, const Constraint& c, Affine* own) {
    Affine sum{{}, {0, 0, 0}};
    double total = 0.0;
    for (const BoneTarget& target : c.targets) {
        const double weight = target.weight.value(posed.channels);
        if (weight == 0.0) continue;
        const Affine moved = posed.poses[target.bone] * inverse(posed.bones[target.bone].rest);
        for (int e = 0; e < 9; ++e) sum.linear[e] += weight * moved.linear[e];
        sum.location = sum.location + weight * moved.location;
        total += weight;
    }
    if (total == 0.0) return;
    const Affine mean{(1.0 / total) * sum.linear, (1.0 / total) * sum.location};
    *own = posed.object * (mean * (posed.inverse_object * *own));
}

void limit_rotation(const Constraint& c, Affine* own) {
    const auto [rotation, sizes] = rotation_and_scales(own->linear);
    Vec3 angles = euler_angles(rotation, c.order);
    for (int axis = 0; axis < 3; ++axis) angles[axis] = std::clamp(angles[axis], c.low[axis], c.high[axis]);
    own->linear = scaled(euler_rotation(angles, c.order), sizes);
}

void limit_scale(const Constraint& c, Affine* own) {
    const Vec3 sizes = scales(own->linear);
    for (int axis = 0; axis < 3; ++axis) {
        const double size = std::clamp(sizes[axis], c.low[axis], c.high[axis]);
        if (sizes[axis] > 0.0) own->linear.scale_column(axis, size / sizes[axis]);
    }
}

void limit_distance(const Constraint& c, const Affine& target, Affine* own) {
    const Vec3 away = own->location - target.location;
    const double distance = length(away);
    if (distance > c.length) own->location = target.location + (c.length / distance) * away;
}

void apply(const PosedBones& posed, const Constraint& c, const Affine& target, Affine* own) {
    switch (c.kind) {
        case ConstraintKind::copy_location:
            return copy_location(c, target, own);
        case ConstraintKind::copy_rotation:
            return copy_rotation(c, target, own);
        case ConstraintKind::copy_scale:
            return copy_scale(c, target, own);
        case ConstraintKind::copy_transforms:
            *own = target;
            return;
        case ConstraintKind::damped_track:
            return damped_track(c, target, own);
        case ConstraintKind::stretch_to:
            return stretch_to(c, target, own);
        case ConstraintKind::armature:
            return move_with(posed, c, own);
        case ConstraintKind::limit_location:
            for (int axis = 0; axis < 3; ++axis) {
                own->location[axis] = std::clamp(own->location[axis], c.low[axis], c.high[axis]);
            }
            return;
        case ConstraintKind::limit_rotation:
            return limit_rotation(c, own);
        case ConstraintKind::limit_scale:
            return limit_scale(c, own);
        case ConstraintKind::limit_distance:
            return limit_distance(c, target, own);
    }
}

}  // namespace

void apply_constraint(const PosedBones& posed, int index, const Constraint& constraint, Affine* pose) {
    const double influence = std::clamp(constraint.influence.value(posed.channels), 0.0, 1.0);
    if (influence == 0.0) return;
    Affine target;
    if (!constraint.targets.empty() && constraint.kind != ConstraintKind::armature) {
        const BoneTarget& followed = constraint.targets[0];
        target = to_space(posed, followed.bone, constraint.target_space, posed.in_scene(followed));
    }
    const Affine old = posed.object * *pose;
    Affine own = to_space(posed, index, constraint.owner_space, old);
    apply(posed, constraint, target, &own);
    own = from_space(posed, index, constraint.owner_space, own);
    *pose = posed.inverse_object * (influence < 1.0 ? interpolate(old, own, influence) : own);
}

}  // namespace rigcast::rig
