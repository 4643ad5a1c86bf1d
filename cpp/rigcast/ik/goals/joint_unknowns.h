#pragma once
#include "rigcast/ik/goals/unknowns.h"

namespace rigcast::ik {

/// The unknowns of a model whose channels do not decide its poses, or that has none.
///
/// Per joint a rotation vector w in radians, relative to the reference pose, in the coordinates of the parent:
/// X = exp([w]x) X_reference, so that X^T X stays what it is and joints stay rigid. Names: JOINT.rotation_x, _y, _z; no
/// component exceeds pi. Translations (JOINT.translation_x, _y, _z) and numeric controls have their values in the pose,
/// and the ranges of the training data as bounds. Joints and translations that are constant in the training data are
/// left out; a model that has not been trained has all rotations and no translations.
class JointUnknowns final : public Unknowns {
public:
    explicit JointUnknowns(const rig::Character& character);

    bool are_channels() const override { return false; }
    void from_poses(View<const float, 2> poses, View<const float, 2> references, View<double, 2> values) const override;
    void pose(const double* values, const float* reference, float* pose) const override;
    void linearize(const double* values, const float* pose, rig::PoseDirections* out) const override;

private:
    void add_joint(int joint, bool trained);
    bool varies(std::int64_t column, double noise) const;

    const rig::Character& character_;
    std::vector<std::int32_t> turned_;  // joints; joint i of the list has the unknowns 3 i, 3 i + 1, 3 i + 2
    std::vector<std::int32_t> copied_;  // pose columns of the unknowns that follow
};

}  // namespace rigcast::ik
