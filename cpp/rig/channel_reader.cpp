#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "rig/channels.h"

namespace rigwright::rig {
namespace {

using Json = nlohmann::json;

constexpr const char* where = "metadata.channels";

ArgumentError refused(const std::string& place, const std::string& expected) {
    return bad_argument("load", where + place, "something else", expected);
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

/// One object of a list of the entry; consumes keys and refuses what is left.
class EntryReader {
public:
    EntryReader(const Json& entry, const std::string& list, std::size_t index)
        : entry_(entry), place_("." + list + "[" + std::to_string(index) + "]") {
        if (!entry_.is_object()) throw refused(place_, "an object");
    }

    std::string text(const char* key, bool needed = true) {
        const Json* value = take(key, needed);
        if (value == nullptr) return "";
        if (!value->is_string()) throw refused(place_ + "." + key, "a text");
        return value->get<std::string>();
    }
    double number(const char* key) {
        const Json* value = take(key, true);
        if (!value->is_number()) throw refused(place_ + "." + key, "a number");
        return value->get<double>();
    }
    int place() {
        const Json* value = take("place", true);
        if (!value->is_number_integer() || *value < 0 || *value > 1000000) {
            throw refused(place_ + ".place", "a whole number from 0");
        }
        return value->get<int>();
    }
    bool flag(const char* key) {
        const Json* value = take(key, false);
        if (value == nullptr) return false;
        if (!value->is_boolean()) throw refused(place_ + "." + key, "true or false");
        return value->get<bool>();
    }
    /// A joint's index; -1 for null.
    int joint(const Skeleton& skeleton) {
        const Json* value = take("joint", true);
        if (value->is_null()) return -1;
        const int index = value->is_string() ? index_of(skeleton.names(), value->get<std::string>()) : -1;
        if (index < 0) throw refused(place_ + ".joint", "null or a joint of the model");
        return index;
    }
    ChannelKind kind() {
        const std::string name = text("kind");
        const auto found = std::find(channel_kind_names.begin(), channel_kind_names.end(), name);
        if (found == channel_kind_names.end()) {
            throw bad_argument("load", where + place_ + ".kind", "'" + name + "'",
                               "a known kind of channel (rotate_x, translate_x, scale_x, ..., dial, other)");
        }
        return static_cast<ChannelKind>(found - channel_kind_names.begin());
    }
    void finish() const {
        if (taken_ != entry_.size()) throw refused(place_, "an object of known keys");
    }
    const std::string& where_it_is() const { return place_; }

private:
    const Json* take(const char* key, bool needed) {
        const auto found = entry_.find(key);
        if (found == entry_.end()) {
            if (needed) throw bad_argument("load", where + place_ + "." + key, "missing", "given");
            return nullptr;
        }
        ++taken_;
        return &*found;
    }

    const Json& entry_;
    std::string place_;
    std::size_t taken_ = 0;
};

Channel read_channel(const Json& entry, std::size_t index, const Skeleton& skeleton,
                     const std::vector<std::string>& numeric_controls) {
    EntryReader reader(entry, "list", index);
    Channel channel;
    channel.name = reader.text("name");
    channel.kind = reader.kind();
    channel.joint = reader.joint(skeleton);
    channel.place = reader.place();
    channel.low = reader.number("low");
    channel.high = reader.number("high");
    channel.rest = reader.number("rest");
    const std::string unit = reader.text("unit");
    channel.whole = reader.flag("whole");
    channel.reason = reader.text("reason", false);
    reader.finish();
    if (channel.kind == ChannelKind::dial) channel.control = index_of(numeric_controls, channel.name);
    if (channel.kind >= ChannelKind::dial && channel.joint >= 0) {
        throw refused(reader.where_it_is() + ".joint", "null for a dial");
    }
    if (unit != channel.unit()) {
        throw bad_argument("load", where + reader.where_it_is() + ".unit", "'" + unit + "'",
                           std::string("'") + channel.unit() + "' for its kind");
    }
    return channel;
}

Follower read_follower(const Json& entry, std::size_t index, const Skeleton& skeleton,
                       const std::vector<Channel>& list) {
    EntryReader reader(entry, "followers", index);
    Follower follower;
    follower.joint = reader.joint(skeleton);
    const std::string channel = reader.text("channel"), axis = reader.text("axis");
    follower.place = reader.place();
    follower.factor = reader.number("factor");
    reader.finish();
    const auto leader = std::find_if(list.begin(), list.end(), [&](const Channel& c) { return c.name == channel; });
    if (leader == list.end()) throw refused(reader.where_it_is() + ".channel", "the name of a channel");
    follower.channel = static_cast<int>(leader - list.begin());
    if (axis != "x" && axis != "y" && axis != "z")
        throw refused(reader.where_it_is() + ".axis", "\"x\", \"y\" or \"z\"");
    follower.axis = axis[0] - 'x';
    return follower;
}

Channels from_json(const Json& entry, const Skeleton& skeleton, const std::vector<std::string>& numeric_controls) {
    const bool complete = entry.is_object() && entry.size() == 3 && entry.contains("list") &&
                          entry.contains("followers") && entry.contains("joints");
    if (!complete || !entry["list"].is_array() || !entry["followers"].is_array() || !entry["joints"].is_object()) {
        throw refused("", "an object of the lists \"list\" and \"followers\" and an object \"joints\"");
    }
    std::vector<Channel> list;
    std::set<std::string> names;
    for (const Json& item : entry["list"]) {
        list.push_back(read_channel(item, list.size(), skeleton, numeric_controls));
        const std::string& name = list.back().name;
        if (name.empty() || !names.insert(name).second) {
            throw bad_argument("load", where, "a list with the name '" + name + "' empty or twice",
                               "of different names");
        }
    }
    std::vector<Follower> followers;
    for (const Json& item : entry["followers"]) {
        followers.push_back(read_follower(item, followers.size(), skeleton, list));
    }
    std::map<std::string, std::string> elsewhere;
    for (const auto& [joint, reason] : entry["joints"].items()) {
        if (!reason.is_string()) throw refused(".joints." + joint, "a text");
        elsewhere[joint] = reason.get<std::string>();
    }
    return Channels(std::move(list), followers, elsewhere, skeleton, numeric_controls);
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
    return from_json(Json::parse(entry, nullptr, false), skeleton, numeric_controls);
}

Channels read_channels(const TensorFile& tensors, const Skeleton& skeleton,
                       const std::vector<std::string>& numeric_controls, View<const float, 2> ranges) {
    const Json metadata = Json::parse(tensors.metadata(), nullptr, false);
    const auto found = metadata.find("channels");
    if (found != metadata.end()) return from_json(*found, skeleton, numeric_controls);
    if (skeleton.num_joints() == 0) return dials(numeric_controls, ranges);
    return {};
}

}  // namespace rigwright::rig
