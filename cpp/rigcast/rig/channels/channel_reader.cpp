#include <algorithm>
#include <set>
#include <unordered_map>

#include "rigcast/core/error.h"
#include "rigcast/core/files/metadata.h"
#include "rigcast/rig/channels/channels.h"

namespace rigcast::rig {
namespace {

/// The index of each name in a list.
using Indices = std::unordered_map<std::string, int>;

Indices index_names(const std::vector<std::string>& names) {
    Indices indices;
    for (const std::string& name : names) indices.emplace(name, static_cast<int>(indices.size()));
    return indices;
}

/// The index of a name, or -1 if there is no such name.
int index_of(const Indices& indices, const std::string& name) {
    const auto found = indices.find(name);
    return found == indices.end() ? -1 : found->second;
}

/// The names that an entry may refer to.
struct Known {
    Indices joints;
    Indices controls;
};

[[noreturn]] void refuse(const Metadata& entry, const std::string& key, const std::string& got,
                         const std::string& expected) {
    throw bad_argument("load", entry.place() + "." + key, got, expected);
}

void check_keys(const Metadata& entry, const std::set<std::string>& known) {
    for (const std::string& key : entry.keys()) {
        if (known.count(key) == 0) throw bad_argument("load", entry.place(), "with '" + key + "'", "of known keys");
    }
}

/// The index of the entry's joint, or -1 for null.
int read_joint(const Metadata& entry, const Known& known) {
    if (entry.is_null("joint")) return -1;
    const std::string name = entry.text("joint");
    const int index = index_of(known.joints, name);
    if (index < 0) refuse(entry, "joint", "'" + name + "'", "null or a joint of the model");
    return index;
}

constexpr std::int64_t max_place = 1000000;  // fits an int; Channels has a stricter limit

int read_place(const Metadata& entry) {
    const std::int64_t place = entry.integer("place");
    if (place < 0 || place > max_place) refuse(entry, "place", std::to_string(place), "a whole number from 0");
    return static_cast<int>(place);
}

ChannelKind read_kind(const Metadata& entry) {
    const std::string name = entry.text("kind");
    const auto found = std::find(channel_kind_names.begin(), channel_kind_names.end(), name);
    if (found == channel_kind_names.end()) {
        refuse(entry, "kind", "'" + name + "'",
               "a known kind of channel (rotate_x, translate_x, scale_x, ..., dial, control, other)");
    }
    return static_cast<ChannelKind>(found - channel_kind_names.begin());
}

Channel read_channel(const Metadata& entry, const Known& known) {
    check_keys(entry, {"name", "kind", "joint", "place", "low", "high", "rest", "unit", "whole", "reason"});
    Channel channel;
    channel.name = entry.text("name");
    channel.kind = read_kind(entry);
    channel.joint = read_joint(entry, known);
    channel.place = read_place(entry);
    channel.low = entry.number("low");
    channel.high = entry.number("high");
    channel.rest = entry.number("rest");
    const std::string unit = entry.text("unit");
    if (entry.contains("whole")) channel.whole = entry.flag("whole");
    if (entry.contains("reason")) channel.reason = entry.text("reason");
    if (channel.kind == ChannelKind::dial) channel.control = index_of(known.controls, channel.name);
    if (channel.kind >= ChannelKind::dial && channel.joint >= 0) {
        const std::string joint = entry.text("joint");
        refuse(entry, "joint", "'" + joint + "'", "null for a dial and for kinds control and other");
    }
    if (channel.kind == ChannelKind::control && (unit == "degrees" || unit == "rig")) channel.control_unit = unit;
    if (unit != channel.unit()) {
        refuse(entry, "unit", "'" + unit + "'", std::string("'") + channel.unit() + "' for its kind");
    }
    return channel;
}

Follower read_follower(const Metadata& entry, const Known& known, const Indices& channels) {
    check_keys(entry, {"joint", "channel", "axis", "place", "factor"});
    Follower follower;
    follower.joint = read_joint(entry, known);
    const std::string channel = entry.text("channel");
    const std::string axis = entry.text("axis");
    follower.place = read_place(entry);
    follower.factor = entry.number("factor");
    follower.channel = index_of(channels, channel);
    if (follower.channel < 0) refuse(entry, "channel", "'" + channel + "'", "the name of a channel");
    if (axis != "x" && axis != "y" && axis != "z") refuse(entry, "axis", "'" + axis + "'", "\"x\", \"y\" or \"z\"");
    follower.axis = axis[0] - 'x';
    return follower;
}

Channels read_entry(const Metadata& entry, const Skeleton& skeleton, const std::vector<std::string>& numeric_controls) {
    check_keys(entry, {"list", "followers", "joints", "mechanism"});
    const Known known{index_names(skeleton.names()), index_names(numeric_controls)};
    std::vector<Channel> list;
    Indices names;
    for (const Metadata& item : entry.objects("list")) {
        list.push_back(read_channel(item, known));
        const std::string& name = list.back().name;
        if (name.empty() || !names.emplace(name, static_cast<int>(names.size())).second) {
            refuse(entry, "list", "a list with the name '" + name + "' empty or twice", "of different names");
        }
    }
    std::vector<Follower> followers;
    for (const Metadata& item : entry.objects("followers")) followers.push_back(read_follower(item, known, names));
    std::map<std::string, std::string> posed_elsewhere;
    const Metadata joints = entry.object("joints");
    for (const std::string& joint : joints.keys()) posed_elsewhere[joint] = joints.text(joint);
    std::shared_ptr<const Mechanism> mechanism;
    if (entry.contains("mechanism")) {
        std::vector<std::string> channel_names;
        for (const Channel& channel : list) channel_names.push_back(channel.name);
        const std::vector<int> parents(skeleton.parents().begin(), skeleton.parents().end());
        mechanism = std::make_shared<const Mechanism>(
            read_mechanism(entry.object("mechanism"), channel_names, skeleton.names(), parents));
    }
    return Channels(std::move(list), followers, posed_elsewhere, skeleton, numeric_controls, std::move(mechanism));
}

Channels dials(const std::vector<std::string>& controls, View<const float, 2> ranges) {
    std::vector<Channel> list;
    for (std::size_t k = 0; k < controls.size(); ++k) {
        Channel channel;
        channel.name = controls[k];
        channel.kind = ChannelKind::dial;
        channel.control = static_cast<int>(k);
        channel.low = std::min(ranges(k, 0), ranges(k, 1));
        channel.high = std::max(ranges(k, 0), ranges(k, 1));
        channel.rest = std::clamp(0.0, channel.low, channel.high);
        list.push_back(std::move(channel));
    }
    return Channels(std::move(list), {}, {}, Skeleton(), controls);
}

}  // namespace

Channels parse_channels(const std::string& entry, const Skeleton& skeleton,
                        const std::vector<std::string>& numeric_controls) {
    const Metadata metadata("{\"channels\": " + entry + "}", "load", "channels");
    return read_entry(metadata.object("channels"), skeleton, numeric_controls);
}

Channels read_channels(const TensorFile& tensors, const Skeleton& skeleton,
                       const std::vector<std::string>& numeric_controls, View<const float, 2> ranges) {
    const Metadata& metadata = tensors.metadata();
    if (metadata.contains("channels")) return read_entry(metadata.object("channels"), skeleton, numeric_controls);
    if (skeleton.num_joints() == 0) return dials(numeric_controls, ranges);
    return {};
}

}  // namespace rigcast::rig
