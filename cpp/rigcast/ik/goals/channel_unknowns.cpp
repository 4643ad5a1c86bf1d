#include "rigcast/ik/goals/channel_unknowns.h"

#include <algorithm>
#include <cmath>

#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/rotations/channel_angles.h"

namespace rigcast::ik {
namespace {

using rig::Channel;
using rig::ChannelKind;

constexpr double radians_per_degree = 3.14159265358979323846 / 180.0;

/// The axis of a rotation, translation or scale: 0, 1 or 2.
int axis_of(ChannelKind kind) {
    return static_cast<int>(kind) % 3;
}

/// out = a b of 3x3 matrices.
void multiply(const double* a, const double* b, double* out) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += a[3 * row + k] * b[3 * k + column];
            out[3 * row + column] = sum;
        }
    }
}

/// Writes the derivative of left R_axis(degrees) right with respect to the angle in degrees: left [e]x R right, where
/// `left` ends before the rotation and `turned` = R right.
void turn_derivative(const double* left, int axis, const double* turned, double factor, double* out) {
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    double crossed[9];  // [e]x turned
    for (int column = 0; column < 3; ++column) {
        crossed[3 * axis + column] = 0.0;
        crossed[3 * j + column] = -turned[3 * k + column];
        crossed[3 * k + column] = turned[3 * j + column];
    }
    multiply(left, crossed, out);
    for (int i = 0; i < 9; ++i) out[i] *= factor * radians_per_degree;
}

/// R <- R R_axis.
void turn_after(const AxisAngle& angle, double* rotation) {
    const auto [axis, c, s] = angle;
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    for (int row = 0; row < 3; ++row) {
        const double y = rotation[3 * row + j], z = rotation[3 * row + k];
        rotation[3 * row + j] = c * y + s * z;
        rotation[3 * row + k] = c * z - s * y;
    }
}

/// R <- R_axis^-1 R.
void turn_back(const AxisAngle& angle, double* rotation) {
    const auto [axis, c, s] = angle;
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    for (int column = 0; column < 3; ++column) {
        const double y = rotation[3 * j + column], z = rotation[3 * k + column];
        rotation[3 * j + column] = c * y + s * z;
        rotation[3 * k + column] = c * z - s * y;
    }
}

constexpr double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

}  // namespace

Unknown unknown_of(const Channel& channel) {
    const double range = channel.high - channel.low;
    return {channel.name, channel.low, channel.high, range > 0.0 ? range : 1.0, channel.whole};
}

void channels_from_poses(const rig::Channels& channels, View<const float, 2> poses, View<double, 2> values) {
    std::vector<float> found(static_cast<std::size_t>(values.size()));
    std::vector<float> residuals(static_cast<std::size_t>(poses.extent(0)));
    channels.channels(poses, {found.data(), values.extents()}, {residuals.data(), {poses.extent(0)}});
    std::copy(found.begin(), found.end(), values.begin());
}

ChannelUnknowns::ChannelUnknowns(const rig::Character& character)
    : character_(character), dials_(static_cast<std::size_t>(character.num_controls()), -1) {
    const rig::Skeleton& skeleton = character.skeleton;
    rest_.assign(skeleton.rest().begin(), skeleton.rest().end());
    joints_.resize(static_cast<std::size_t>(skeleton.num_joints()));
    for (std::size_t j = 0; j < joints_.size(); ++j) std::copy_n(skeleton.rest().data() + 12 * j, 12, joints_[j].rest);
    dials_.resize(dials_.size() - 12 * joints_.size());
    const std::vector<Channel>& channels = character.channels.list();
    for (int n = 0; n < static_cast<int>(channels.size()); ++n) {
        const Channel& channel = channels[n];
        list_.push_back(unknown_of(channel));
        const int axis = axis_of(channel.kind);
        if (channel.kind == ChannelKind::dial) {
            dials_[channel.control] = n;
        } else if (channel.kind <= ChannelKind::rotate_z) {
            add_turn(channel.joint, channel.place, {axis, n, 1.0});
        } else {
            Joint& joint = joints_[channel.joint];
            (channel.kind <= ChannelKind::translate_z ? joint.translations : joint.scales)[axis] = n;
        }
    }
    read_followers();
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        const Joint& joint = joints_[j];
        const auto has_channel = [](const std::array<int, 3>& axes) {
            return std::max({axes[0], axes[1], axes[2]}) >= 0;
        };
        if (joint.turns.empty() && !has_channel(joint.translations) && !has_channel(joint.scales)) continue;
        moved_.push_back(static_cast<std::int32_t>(j));
    }
}

void ChannelUnknowns::add_turn(int joint, int place, const Turn& turn) {
    std::vector<Turn>& turns = joints_[joint].turns;
    turns.resize(std::max(turns.size(), static_cast<std::size_t>(place) + 1));
    turns[place] = turn;
}

/// The rotations of joints by channels of others; rig::Channels has checked the entry.
void ChannelUnknowns::read_followers() {
    const Metadata& metadata = character_.tensors->metadata();
    if (!metadata.contains("channels")) return;
    const std::vector<std::string>& joints = character_.skeleton.names();
    for (const Metadata& entry : metadata.object("channels").objects("followers")) {
        const std::string name = entry.text("channel");
        const auto joint = std::find(joints.begin(), joints.end(), entry.text("joint"));
        const auto leader = std::find_if(list_.begin(), list_.end(), [&](const Unknown& u) { return u.name == name; });
        add_turn(static_cast<int>(joint - joints.begin()), static_cast<int>(entry.integer("place")),
                 {entry.text("axis")[0] - 'x', static_cast<int>(leader - list_.begin()), entry.number("factor")});
    }
}

void ChannelUnknowns::from_poses(View<const float, 2> poses, View<const float, 2>, View<double, 2> values) const {
    channels_from_poses(character_.channels, poses, values);
}

/// The bytes of rig::Channels::poses: joints without channels are at rest.
void ChannelUnknowns::pose(const double* values, const float*, float* pose) const {
    std::copy(rest_.begin(), rest_.end(), pose);
    for (const std::int32_t j : moved_) {
        const Joint& joint = joints_[j];
        double rotation[9], local[12], result[12];
        std::copy_n(identity, 9, rotation);
        for (const Turn& t : joint.turns) rig::turn(rotation, t.axis, t.factor * values[t.channel]);
        for (int c = 0; c < 3; ++c) {
            const double scale = joint.scales[c] < 0 ? 1.0 : values[joint.scales[c]];
            for (int r = 0; r < 3; ++r) local[r * 4 + c] = scale * rotation[r * 3 + c];
            local[c * 4 + 3] = joint.translations[c] < 0 ? 0.0 : values[joint.translations[c]];
        }
        rig::compose(joint.rest, local, result);
        std::copy_n(result, 12, pose + 12 * j);
    }
    float* dial = pose + 12 * joints_.size();
    for (const int channel : dials_) {
        const bool whole = character_.channels.list()[channel].whole;
        *dial++ = static_cast<float>(whole ? std::nearbyint(values[channel]) : values[channel]);
    }
}

void ChannelUnknowns::linearize(const double* values, const float*, rig::PoseDirections* out) const {
    out->joints.clear();
    out->dials.clear();
    std::vector<AxisAngle> angles;
    for (const std::int32_t joint : moved_) linearize_joint(joint, values, &angles, out);
    for (std::size_t k = 0; k < dials_.size(); ++k) {
        if (character_.channels.list()[dials_[k]].whole) continue;
        out->dials.push_back({dials_[k], static_cast<std::int32_t>(12 * joints_.size() + k)});
    }
}

/// The transform is L T(t) R S with R = R_a R_b ...; every channel changes one of its parts.
void ChannelUnknowns::linearize_joint(std::int32_t index, const double* values, std::vector<AxisAngle>* angles,
                                      rig::PoseDirections* out) const {
    const Joint& joint = joints_[index];
    const auto add = [&](int unknown) -> double* {
        return out->joints.emplace_back(rig::JointChange{unknown, index, {}}).change;
    };
    double rotation[9];  // R of the turns that are not yet in `left`
    std::copy_n(identity, 9, rotation);
    angles->clear();
    for (const Turn& t : joint.turns) {
        const double angle = radians_per_degree * t.factor * values[t.channel];
        angles->push_back({t.axis, std::cos(angle), std::sin(angle)});
        turn_after(angles->back(), rotation);
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (joint.translations[axis] >= 0) {
            double* change = add(joint.translations[axis]);
            for (int row = 0; row < 3; ++row) change[4 * row + 3] = joint.rest[4 * row + axis];
        }
        if (joint.scales[axis] < 0) continue;
        double* change = add(joint.scales[axis]);
        for (int row = 0; row < 3; ++row) {
            for (int k = 0; k < 3; ++k) change[4 * row + axis] += joint.rest[4 * row + k] * rotation[3 * k + axis];
        }
    }
    double left[9];  // the rest rotation and the turns before
    for (int i = 0; i < 9; ++i) left[i] = joint.rest[i / 3 * 4 + i % 3];
    for (std::size_t i = 0; i < angles->size(); ++i) {
        const Turn& t = joint.turns[i];
        double derivative[9];
        turn_derivative(left, t.axis, rotation, t.factor, derivative);
        double* change = add(t.channel);
        for (int e = 0; e < 9; ++e) {
            const int channel = joint.scales[e % 3];
            change[e / 3 * 4 + e % 3] = derivative[e] * (channel < 0 ? 1.0 : values[channel]);
        }
        turn_after((*angles)[i], left);
        turn_back((*angles)[i], rotation);
    }
}

}  // namespace rigcast::ik
