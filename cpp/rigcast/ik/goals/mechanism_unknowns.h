#pragma once
#include "rigcast/ik/goals/unknowns.h"

namespace rigcast::ik {

/// The channels of a rig that has a mechanism as unknowns: the controls that an artist moves. Derivatives are
/// differences over a small change of each channel. Channels that the rig rounds to whole numbers keep their value.
class MechanismUnknowns final : public Unknowns {
public:
    /// `character` must outlive this object, and its channels must decide its poses.
    explicit MechanismUnknowns(const rig::Character& character);

    bool are_channels() const override { return true; }
    void from_poses(View<const float, 2> poses, View<const float, 2> references, View<double, 2> values) const override;
    void pose(const double* values, const float* reference, float* pose) const override;
    void linearize(const double* values, const float* pose, rig::PoseDirections* out) const override;

private:
    const rig::Character& character_;
};

}  // namespace rigcast::ik
