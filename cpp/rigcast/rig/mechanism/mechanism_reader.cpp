#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/rig/mechanism/mechanism.h"

namespace rigcast::rig {
namespace {

constexpr std::int64_t most_bones = 1 << 20;
constexpr std::int64_t most_iterations = 10000;

[[noreturn]] void refuse_entry(const Metadata& entry, const std::string& key, const std::string& got,
                               const std::string& expected) {
    throw bad_argument("load", entry.place() + "." + key, got, expected);
}

double finite(const Metadata& entry, const std::string& key, double otherwise) {
    if (!entry.contains(key)) return otherwise;
    const double value = entry.number(key);
    if (!std::isfinite(value)) refuse_entry(entry, key, "not finite", "finite");
    return value;
}

bool flag_or(const Metadata& entry, const std::string& key, bool otherwise) {
    return entry.contains(key) ? entry.flag(key) : otherwise;
}

template <std::size_t Count>
std::array<double, Count> numbers_of(const Metadata& entry, const std::string& key) {
    const std::vector<double> values = entry.numbers(key);
    if (values.size() != Count) {
        refuse_entry(entry, key, std::to_string(values.size()) + " numbers", std::to_string(Count));
    }
    std::array<double, Count> out;
    for (std::size_t i = 0; i < Count; ++i) {
        if (!std::isfinite(values[i])) refuse_entry(entry, key, "not finite", "finite");
        out[i] = values[i];
    }
    return out;
}

/// A transform (3, 4), row-major.
Affine affine_of(const Metadata& entry, const std::string& key) {
    const std::array<double, 12> m = numbers_of<12>(entry, key);
    return {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
}

/// A number, or the words of an expression.
Number number_of(const Metadata& entry, const std::string& key, double otherwise,
                 const std::vector<std::string>& channels) {
    if (!entry.contains(key)) return otherwise;
    if (entry.is_number(key)) return finite(entry, key, 0.0);
    return {entry.names(key), channels, entry.place() + "." + key};
}

int bone_index(const Metadata& entry, const std::string& key) {
    const std::int64_t index = entry.integer(key);
    if (index < -1 || index >= most_bones) refuse_entry(entry, key, std::to_string(index), "the index of a bone");
    return static_cast<int>(index);
}

template <class Names>
int choice_of(const Metadata& entry, const std::string& key, const Names& names, int otherwise) {
    if (!entry.contains(key)) return otherwise;
    const std::string name = entry.text(key);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == names[i]) return static_cast<int>(i);
    }
    refuse_entry(entry, key, "'" + name + "'", "a known word");
}

/// Axes by their letters: "xz".
std::array<bool, 3> axes_of(const Metadata& entry, const std::string& key, bool otherwise) {
    if (!entry.contains(key)) return {otherwise, otherwise, otherwise};
    std::array<bool, 3> out{};
    for (const char letter : entry.text(key)) {
        if (letter < 'x' || letter > 'z') refuse_entry(entry, key, "'" + entry.text(key) + "'", "of letters x, y, z");
        out[static_cast<std::size_t>(letter - 'x')] = true;
    }
    return out;
}

BoneTarget target_of(const Metadata& entry, const std::vector<std::string>& channels) {
    BoneTarget target;
    if (entry.contains("bone")) target.bone = bone_index(entry, "bone");
    if (entry.contains("fixed")) target.fixed = affine_of(entry, "fixed");
    target.head_tail = finite(entry, "head_tail", 0.0);
    target.weight = number_of(entry, "weight", 1.0, channels);
    return target;
}

Constraint constraint_of(const Metadata& entry, const std::vector<std::string>& channels) {
    Constraint c;
    c.kind = static_cast<ConstraintKind>(choice_of(entry, "kind", constraint_names, -1));
    if (static_cast<int>(c.kind) < 0) refuse_entry(entry, "kind", "missing", "given");
    c.influence = number_of(entry, "influence", 1.0, channels);
    c.owner_space = static_cast<Space>(choice_of(entry, "owner_space", space_names, 0));
    c.target_space = static_cast<Space>(choice_of(entry, "target_space", space_names, 0));
    if (entry.contains("targets")) {
        for (const Metadata& target : entry.objects("targets")) c.targets.push_back(target_of(target, channels));
    }
    c.axes = axes_of(entry, "axes", true);
    c.inverted = axes_of(entry, "inverted", false);
    c.offset = flag_or(entry, "offset", false);
    c.additive = flag_or(entry, "additive", false);
    c.uniform = flag_or(entry, "uniform", false);
    c.power = finite(entry, "power", 1.0);
    c.mix = static_cast<RotationMix>(choice_of(entry, "mix", rotation_mix_names, 0));
    if (entry.contains("order")) c.order = euler_order(entry.text("order"), entry.place() + ".order");
    constexpr std::array tracks{"x", "y", "z", "-x", "-y", "-z"};
    const int track = choice_of(entry, "axis", tracks, 1);
    c.axis = track % 3;
    c.sign = track < 3 ? 1.0 : -1.0;
    c.length = finite(entry, "length", 0.0);
    if (c.kind == ConstraintKind::stretch_to && !(c.length > 0.0)) refuse_entry(entry, "length", "0", "positive");
    c.bulge = finite(entry, "bulge", 1.0);
    if (entry.contains("volume")) c.volume = numbers_of<3>(entry, "volume");
    if (entry.contains("low")) c.low = numbers_of<3>(entry, "low");
    if (entry.contains("high")) c.high = numbers_of<3>(entry, "high");
    for (int axis = 0; axis < 3; ++axis) {
        if (c.low[axis] > c.high[axis]) refuse_entry(entry, "low", "above high", "at most high");
    }
    return c;
}

Bone bone_of(const Metadata& entry, const std::vector<std::string>& channels) {
    Bone bone;
    bone.name = entry.text("name");
    bone.parent = bone_index(entry, "parent");
    bone.rest = affine_of(entry, "rest");
    bone.length = finite(entry, "length", 1.0);
    bone.inherits_rotation = flag_or(entry, "inherits_rotation", true);
    bone.local_location = flag_or(entry, "local_location", true);
    bone.connected = flag_or(entry, "connected", false);
    bone.scale_inheritance =
        static_cast<ScaleInheritance>(choice_of(entry, "inherits_scale", scale_inheritance_names, 0));
    if (entry.contains("order")) bone.order = euler_order(entry.text("order"), entry.place() + ".order");
    for (int axis = 0; axis < 3; ++axis) {
        const std::string end = std::string("_") + "xyz"[axis];
        bone.location[axis] = number_of(entry, "location" + end, 0.0, channels);
        bone.rotation[axis] = number_of(entry, "rotation" + end, 0.0, channels);
        bone.scale[axis] = number_of(entry, "scale" + end, 1.0, channels);
    }
    if (entry.contains("constraints")) {
        for (const Metadata& c : entry.objects("constraints")) bone.constraints.push_back(constraint_of(c, channels));
    }
    bone.locked = axes_of(entry, "locked", false);
    if (entry.contains("stiffness")) bone.stiffness = numbers_of<3>(entry, "stiffness");
    bone.stretch = finite(entry, "stretch", 0.0);
    return bone;
}

ChainGoal goal_of(const Metadata& entry, const std::vector<std::string>& channels) {
    ChainGoal goal;
    goal.influence = number_of(entry, "influence", 1.0, channels);
    goal.target = target_of(entry.object("target"), channels);
    goal.has_pole = entry.contains("pole");
    if (goal.has_pole) goal.pole = target_of(entry.object("pole"), channels);
    goal.pole_angle = finite(entry, "pole_angle", 0.0);
    goal.stretches = flag_or(entry, "stretches", false);
    const std::int64_t iterations = entry.integer("max_iterations");
    if (iterations < 1 || iterations > most_iterations) {
        refuse_entry(entry, "max_iterations", std::to_string(iterations), "1 to " + std::to_string(most_iterations));
    }
    goal.max_iterations = static_cast<int>(iterations);
    return goal;
}

/// Two locked axes or all: the solver has links that turn about one axis, all, or none.
void check_links(const Metadata& entry, const Chain& chain, const std::vector<Bone>& bones) {
    for (int i = chain.first; i < chain.first + chain.count && i < static_cast<int>(bones.size()); ++i) {
        const auto& locked = bones[i].locked;
        if (locked[0] + locked[1] + locked[2] == 1) {
            refuse_entry(entry, "first", "a chain with a bone that turns about two axes", "about one, all, or none");
        }
    }
}

}  // namespace

Mechanism read_mechanism(const Metadata& entry, const std::vector<std::string>& channel_names,
                         const std::vector<std::string>& joints, const std::vector<int>& parents) {
    std::vector<Bone> bones;
    for (const Metadata& item : entry.objects("bones")) bones.push_back(bone_of(item, channel_names));
    std::vector<Chain> chains;
    for (const Metadata& item : entry.objects("chains")) {
        Chain chain;
        chain.first = bone_index(item, "first");
        chain.count = bone_index(item, "count");
        if (chain.first < 0 || chain.count < 1) refuse_entry(item, "first", "no chain", "bones of the mechanism");
        check_links(item, chain, bones);
        for (const Metadata& goal : item.objects("goals")) chain.goals.push_back(goal_of(goal, channel_names));
        chains.push_back(std::move(chain));
    }
    return {std::move(bones), std::move(chains), affine_of(entry, "object"),
            joints,           parents,           static_cast<std::int64_t>(channel_names.size())};
}

}  // namespace rigcast::rig
