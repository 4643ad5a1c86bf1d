#include "rigcast/rig/mechanism/bone_frame.h"

namespace rigcast::rig {
namespace {

Vec3 reciprocal(const Vec3& v) {
    return {1.0 / v[0], 1.0 / v[1], 1.0 / v[2]};
}

/// `a` with columns of the given lengths.
Matrix3 with_scales(const Matrix3& a, const Vec3& lengths) {
    return scaled(unit_columns(a), lengths);
}

}  // namespace

BoneFrame::BoneFrame(const Bone& bone, const Affine* parent, const Affine* parent_rest) {
    if (parent != nullptr) {
        inherit(bone, *parent, *parent_rest);
        return;
    }
    turning_ = placing_ = bone.offset;
    if (!bone.local_location) placing_.linear = Matrix3::identity();
}

void BoneFrame::inherit(const Bone& bone, const Affine& parent, const Affine& parent_rest) {
    using enum ScaleInheritance;
    const ScaleInheritance mode = bone.scale_inheritance;
    const bool plain = bone.inherits_rotation && mode == full;
    Affine base = bone.inherits_rotation ? parent : parent_rest;
    if (bone.inherits_rotation) {
        if (mode == none || mode == average) {
            base.linear = without_shear(parent.linear, true);
        } else if (mode == aligned) {
            const Matrix3 straight = without_shear(parent.linear, false);
            scale_ = scales(straight);
            base.linear = unit_columns(straight);
        } else if (mode == none_legacy) {
            base.linear = unit_columns(parent.linear);
        }
    } else if (mode == full) {
        base.linear = with_scales(parent_rest.linear, scales(parent.linear));
    } else if (mode == fix_shear) {
        base.linear = with_scales(parent_rest.linear, scales(without_shear(parent.linear, false)));
    } else if (mode == aligned) {
        scale_ = scales(without_shear(parent.linear, false));
    }
    if (mode == average) base.linear = std::cbrt(std::abs(determinant(parent.linear))) * base.linear;
    turning_ = base * bone.offset;
    if (mode == fix_shear) turning_.linear = without_shear(turning_.linear, false);
    if (!bone.local_location) {
        placing_ = {parent.linear, parent * bone.offset.location};
    } else {
        placing_ = plain ? turning_ : parent * bone.offset;
    }
}

Affine BoneFrame::to_pose(const Affine& own) const {
    return {scaled(turning_.linear * own.linear, scale_), placing_ * own.location};
}

Affine BoneFrame::to_own(const Affine& pose) const {
    return {scaled(inverse(turning_.linear) * pose.linear, reciprocal(scale_)), inverse(placing_) * pose.location};
}

}  // namespace rigcast::rig
