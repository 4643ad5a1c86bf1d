#pragma once
#include "rigcast/ik/goals/unknowns.h"

namespace rigcast::ik {

/// A channel as an unknown, with its range.
Unknown unknown_of(const rig::Channel& channel);
/// Writes the channels (T, N) of poses (T, C). Throws ArgumentError as Channels::channels.
void channels_from_poses(const rig::Channels& channels, View<const float, 2> poses, View<double, 2> values);

/// A rotation about an axis, by cosine and sine.
struct AxisAngle {
    int axis;
    double c;
    double s;
};

/// The channels of a model as unknowns, in degrees, rig units and dial values, with their ranges as bounds; see
/// rig::Channels for the formula of a pose. Channels that the rig rounds to whole numbers keep their value.
class ChannelUnknowns final : public Unknowns {
public:
    /// `character` must outlive this object, and its channels must decide its poses.
    explicit ChannelUnknowns(const rig::Character& character);

    bool are_channels() const override { return true; }
    void from_poses(View<const float, 2> poses, View<const float, 2> references, View<double, 2> values) const override;
    void pose(const double* values, const float* reference, float* pose) const override;
    void linearize(const double* values, const float* pose, rig::PoseDirections* out) const override;

private:
    struct Turn {
        int axis;
        int channel;
        double factor;
    };
    struct Joint {
        double rest[12];
        std::vector<Turn> turns;                      // leftmost first
        std::array<int, 3> translations{-1, -1, -1};  // channels; -1: none
        std::array<int, 3> scales{-1, -1, -1};
    };

    void add_turn(int joint, int place, const Turn& turn);
    void read_followers();
    void linearize_joint(std::int32_t index, const double* values, std::vector<AxisAngle>* angles,
                         rig::PoseDirections* out) const;

    const rig::Character& character_;
    std::vector<Joint> joints_;
    std::vector<float> rest_;          // (12 J)
    std::vector<std::int32_t> moved_;  // joints that have channels
    std::vector<int> dials_;           // channel per numeric control
};

}  // namespace rigcast::ik
