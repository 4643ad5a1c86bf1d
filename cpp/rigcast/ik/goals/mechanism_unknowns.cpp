#include "rigcast/ik/goals/mechanism_unknowns.h"

#include <algorithm>

#include "rigcast/ik/goals/channel_unknowns.h"
#include "rigcast/rig/channels/mechanism_differences.h"

namespace rigcast::ik {

MechanismUnknowns::MechanismUnknowns(const rig::Character& character) : character_(character) {
    for (const rig::Channel& channel : character.channels.list()) list_.push_back(unknown_of(channel));
}

void MechanismUnknowns::from_poses(View<const float, 2> poses, View<const float, 2>, View<double, 2> values) const {
    channels_from_poses(character_.channels, poses, values);
}

void MechanismUnknowns::pose(const double* values, const float*, float* pose) const {
    character_.channels.poses({values, {1, size()}}, {pose, {1, character_.num_controls()}});
}

void MechanismUnknowns::linearize(const double* values, const float*, rig::PoseDirections* out) const {
    out->joints.clear();
    out->dials.clear();
    const std::int64_t first_dial = 12 * static_cast<std::int64_t>(character_.skeleton.num_joints());
    rig::MechanismDifferences differences(character_.channels, values);
    for (std::int32_t n = 0; n < static_cast<std::int32_t>(size()); ++n) {
        const rig::Channel& channel = character_.channels.list()[n];
        if (channel.whole) continue;
        differences.along(n, [&](std::int32_t joint, const double* change) {
            rig::JointChange& entry = out->joints.emplace_back(rig::JointChange{n, joint, {}});
            std::copy_n(change, 12, entry.change);
        });
        if (channel.control >= 0) out->dials.push_back({n, static_cast<std::int32_t>(first_dial + channel.control)});
    }
}

}  // namespace rigcast::ik
