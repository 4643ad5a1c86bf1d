#include "rigcast/rig/channels/channels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/rotations/channel_angles.h"

namespace rigcast::rig {
namespace {

constexpr std::int64_t frames_per_task = 64;  // not sensitive: a task is far longer than its start
constexpr int max_turns = 32;                 // rotations per joint; hosts have three

/// The axis of a rotation, translation or scale: 0, 1 or 2.
int axis_of(ChannelKind kind) {
    return static_cast<int>(kind) % 3;
}
bool is_rotation(ChannelKind kind) {
    return kind <= ChannelKind::rotate_z;
}
bool is_translation(ChannelKind kind) {
    return kind >= ChannelKind::translate_x && kind <= ChannelKind::translate_z;
}
bool moves_joint(ChannelKind kind) {
    return kind < ChannelKind::dial;
}

ArgumentError wrong(const std::string& name, const std::string& got, const std::string& expected) {
    return bad_argument("Channels", "channel '" + name + "'", got, expected);
}

/// The inverse of a 3x4 transform whose 3x3 part is invertible (Skeleton has checked it).
std::array<double, 12> inverse_of(const std::array<double, 12>& m) {
    std::array<double, 12> out{};
    for (int r = 0; r < 3; ++r) {
        const int a = (r + 1) % 3;
        const int b = (r + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            const int d = (c + 1) % 3;
            const int e = (c + 2) % 3;
            out[c * 4 + r] = m[a * 4 + d] * m[b * 4 + e] - m[a * 4 + e] * m[b * 4 + d];  // the cofactor of (r, c)
        }
    }
    const double determinant = m[0] * out[0] + m[1] * out[4] + m[2] * out[8];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out[r * 4 + c] /= determinant;
    }
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) out[r * 4 + 3] -= out[r * 4 + k] * m[k * 4 + 3];
    }
    return out;
}

void check_range(const Channel& channel) {
    for (const double x : {channel.low, channel.high, channel.rest}) {
        if (!(std::abs(x) <= std::numeric_limits<float>::max())) {
            throw wrong(channel.name, "with a range or rest value that is not finite in float32", "finite");
        }
    }
    if (channel.low > channel.high)
        throw wrong(channel.name, "with its lower bound above the upper one", "low <= high");
}

}  // namespace

const char* Channel::unit() const {
    if (kind == ChannelKind::control) return control_unit.c_str();
    return is_rotation(kind) ? "degrees" : is_translation(kind) ? "rig" : "";
}

Channels::Channels(std::vector<Channel> list, const std::vector<Follower>& followers,
                   const std::map<std::string, std::string>& posed_elsewhere, const Skeleton& skeleton,
                   const std::vector<std::string>& numeric_controls, std::shared_ptr<const Mechanism> mechanism)
    : list_(std::move(list)),
      mechanism_(std::move(mechanism)),
      joint_names_(skeleton.names()),
      dials_(numeric_controls.size(), -1) {
    joints_.resize(joint_names_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        const float* rest = skeleton.rest().row(static_cast<std::int64_t>(j));
        std::copy_n(rest, 12, joints_[j].rest.begin());
        joints_[j].inverse = inverse_of(joints_[j].rest);
    }
    for (int n = 0; n < static_cast<int>(list_.size()); ++n) {
        const Channel& channel = list_[n];
        check_range(channel);
        assign(n);
        if (!channel.reason.empty()) undecided_.emplace_back("channel '" + channel.name + "'", channel.reason);
    }
    for (const Follower& f : followers) {
        const bool known = f.joint >= 0 && f.joint < static_cast<int>(joints_.size()) && f.channel >= 0 &&
                           f.channel < static_cast<int>(list_.size()) && f.axis >= 0 && f.axis < 3;
        if (!known || !(std::abs(f.factor) <= std::numeric_limits<float>::max())) {
            throw bad_argument("Channels", "followers", "without a known joint, channel, axis or a finite factor",
                               "complete");
        }
        add_turn(f.joint, f.place, {f.axis, f.channel, f.factor, true});
    }
    check_places();
    const std::set<std::string> known_joints(joint_names_.begin(), joint_names_.end());
    for (const auto& [joint, reason] : posed_elsewhere) {
        if (known_joints.count(joint) == 0) {
            throw bad_argument("Channels", "joints", "naming '" + joint + "'", "a joint of the skeleton");
        }
        undecided_.emplace_back("joint '" + joint + "'", reason);
    }
    for (std::size_t k = 0; k < dials_.size(); ++k) {
        if (dials_[k] < 0) undecided_.emplace_back("control '" + numeric_controls[k] + "'", "no channel sets it");
    }
}

void Channels::assign(int index) {
    const Channel& channel = list_[index];
    if (channel.kind == ChannelKind::other) {
        if (channel.reason.empty()) throw wrong(channel.name, "of kind other without a reason", "given with a reason");
        return;
    }
    if (channel.kind == ChannelKind::control) {
        if (mechanism_ == nullptr) throw wrong(channel.name, "of kind control without a mechanism", "given with one");
        return;
    }
    const bool on_joint = moves_joint(channel.kind);
    const int owner = on_joint ? channel.joint : channel.control;
    if (owner < 0 || owner >= static_cast<int>(on_joint ? joints_.size() : dials_.size())) {
        throw wrong(channel.name, "without its joint or control",
                    on_joint ? "on a joint of the skeleton" : "named like a numeric control");
    }
    if (is_rotation(channel.kind)) {
        add_turn(owner, channel.place, {axis_of(channel.kind), index, 1.0, false});
        return;
    }
    const int axis = axis_of(channel.kind);
    int& slot = !on_joint                      ? dials_[owner]
                : is_translation(channel.kind) ? joints_[owner].translations[axis]
                                               : joints_[owner].scales[axis];
    if (slot >= 0) {
        throw wrong(channel.name, "on what '" + list_[slot].name + "' sets", "the only channel of an axis or control");
    }
    slot = index;
}

void Channels::add_turn(int joint, int place, const Turn& turn) {
    const std::string& name = list_[turn.channel].name;
    if (place < 0 || place >= max_turns) {
        throw wrong(name, "in place " + std::to_string(place), "in a place from 0 to " + std::to_string(max_turns - 1));
    }
    std::vector<Turn>& turns = joints_[joint].turns;
    turns.resize(std::max(turns.size(), static_cast<std::size_t>(place) + 1));
    if (turns[place].channel >= 0) throw wrong(name, "in a place that another rotation has", "in a free place");
    turns[place] = turn;
}

void Channels::check_places() const {
    for (const Joint& joint : joints_) {
        for (std::size_t place = 0; place < joint.turns.size(); ++place) {
            if (joint.turns[place].channel >= 0) continue;
            throw wrong(list_[joint.turns.back().channel].name,
                        "on a joint without a rotation in place " + std::to_string(place),
                        "on one whose places are 0, 1, ...");
        }
    }
}

void Channels::refuse_undecided(const char* function) const {
    if (list_.empty()) {
        throw bad_argument(function, "model", "without channels: its file was made from data that has none",
                           "made from a data set that has channels");
    }
    if (undecided_.empty()) return;
    std::string text = "of a rig for which plain kinematics does not decide ";
    for (std::size_t i = 0; i < std::min<std::size_t>(undecided_.size(), 3); ++i) {
        text += (i > 0 ? ", " : "") + undecided_[i].first + " (" + undecided_[i].second + ")";
    }
    if (undecided_.size() > 3) text += " and " + std::to_string(undecided_.size() - 3) + " more";
    throw bad_argument(function, "model", text, "of one whose channels alone decide the pose");
}

void Channels::local_pose(const Joint& joint, const double* row, float* pose) const {
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (const Turn& t : joint.turns) turn(rotation, t.axis, t.factor * row[t.channel]);
    double local[12];
    for (int c = 0; c < 3; ++c) {
        const double scale = joint.scales[c] < 0 ? 1.0 : row[joint.scales[c]];
        for (int r = 0; r < 3; ++r) local[r * 4 + c] = scale * rotation[r * 3 + c];
        local[c * 4 + 3] = joint.translations[c] < 0 ? 0.0 : row[joint.translations[c]];
    }
    double result[12];
    compose(joint.rest.data(), local, result);
    for (int i = 0; i < 12; ++i) pose[i] = static_cast<float>(result[i]);
}

std::vector<double> Channels::rounded(const double* row) const {
    std::vector<double> values(row, row + size());
    for (std::size_t n = 0; n < values.size(); ++n) {
        if (list_[n].whole) values[n] = std::nearbyint(values[n]);
    }
    return values;
}

void Channels::write_pose(const double* row, Mechanism::Poses* bones, float* pose) const {
    const std::vector<double> values = rounded(row);
    if (mechanism_ != nullptr) mechanism_->evaluate(values.data(), Mechanism::Accuracy::as_rigged, bones);
    for (std::size_t j = 0; j < joints_.size(); ++j, pose += 12) {
        if (mechanism_ == nullptr || !mechanism_->poses_joint(j)) {
            local_pose(joints_[j], values.data(), pose);
            continue;
        }
        double transform[12];
        mechanism_->write_joint(*bones, j, transform);
        for (int i = 0; i < 12; ++i) pose[i] = static_cast<float>(transform[i]);
    }
    for (const int dial : dials_) *pose++ = static_cast<float>(dial < 0 ? 0.0 : values[dial]);
}

void Channels::poses(View<const double, 2> channels, View<float, 2> poses, Undecided undecided) const {
    const char* function = "poses_from_channels";
    if (undecided == Undecided::refuse) refuse_undecided(function);
    check_shape<const double, 2>(function, "channels", channels, {-1, size()});
    check_shape<float, 2>(function, "poses", poses, {channels.extent(0), width()});
    check_finite(function, "channels", channels);
    parallel_for(channels.extent(0), frames_per_task, 0, [&](std::int64_t begin, std::int64_t end) {
        Mechanism::Poses bones;
        for (std::int64_t t = begin; t < end; ++t) write_pose(channels.row(t), &bones, poses.row(t));
    });
    if (!std::all_of(poses.begin(), poses.end(), [](float x) { return std::isfinite(x); })) {
        throw bad_argument(function, "channels", "so large that poses overflow float32", "smaller");
    }
}

}  // namespace rigcast::rig
