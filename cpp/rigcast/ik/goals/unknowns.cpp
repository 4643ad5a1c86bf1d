#include "rigcast/ik/goals/unknowns.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/ik/goals/channel_unknowns.h"
#include "rigcast/ik/goals/joint_unknowns.h"
#include "rigcast/ik/goals/mechanism_unknowns.h"

namespace rigcast::ik {

bool channels_decide(const rig::Character& character) {
    const rig::Channels& channels = character.channels;
    if (channels.size() == 0) return false;
    std::vector<double> rest;
    for (const rig::Channel& channel : channels.list()) rest.push_back(channel.rest);
    std::vector<float> pose(static_cast<std::size_t>(character.num_controls()));
    try {  // `poses` knows, and says so by throwing
        channels.poses({rest.data(), {1, channels.size()}}, {pose.data(), {1, character.num_controls()}});
    } catch (const ArgumentError&) {
        return false;
    }
    return true;
}

std::unique_ptr<Unknowns> make_unknowns(const rig::Character& character) {
    if (!channels_decide(character)) return std::make_unique<JointUnknowns>(character);
    if (character.channels.mechanism() != nullptr) return std::make_unique<MechanismUnknowns>(character);
    return std::make_unique<ChannelUnknowns>(character);
}

double character_size(const rig::Character& character) {
    const View<const float, 2> vertices = character.rest_vertices;
    double squared = 0.0;
    for (int axis = 0; axis < 3 && vertices.extent(0) > 0; ++axis) {
        double low = vertices(0, axis), high = low;
        for (std::int64_t v = 0; v < vertices.extent(0); ++v) {
            low = std::min<double>(low, vertices(v, axis));
            high = std::max<double>(high, vertices(v, axis));
        }
        squared += (high - low) * (high - low);
    }
    return squared > 0.0 ? std::sqrt(squared) : 1.0;
}

}  // namespace rigcast::ik
