#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/skeleton.h"

namespace rigwright::rig {

/// What a channel changes: a rotation (degrees), a translation (rig units) or a scale (a factor) of a joint along its
/// rest axes, a numeric control of the pose, or something that the rig does not describe.
enum class ChannelKind {
    rotate_x,
    rotate_y,
    rotate_z,
    translate_x,
    translate_y,
    translate_z,
    scale_x,
    scale_y,
    scale_z,
    dial,
    other
};
inline constexpr std::array<const char*, 11> channel_kind_names{"rotate_x",    "rotate_y",    "rotate_z", "translate_x",
                                                                "translate_y", "translate_z", "scale_x",  "scale_y",
                                                                "scale_z",     "dial",        "other"};

/// One number that an artist changes.
struct Channel {
    std::string name;
    ChannelKind kind = ChannelKind::other;
    int joint = -1;      // of a rotation, translation or scale
    int control = -1;    // of a dial: the numeric control with its name
    int place = 0;       // of a rotation: its position in the joint's product, 0 leftmost
    bool whole = false;  // of a dial: the rig rounds it to a whole number, half to even
    double low = 0.0, high = 0.0, rest = 0.0;
    std::string reason;  // why plain kinematics does not decide what it does; empty if it does

    /// "degrees", "rig" (the rig's unit of length) or "".
    const char* unit() const;
};

/// A rotation of a joint that a channel of another joint drives: its angle is factor times the channel's value.
struct Follower {
    int joint = -1, channel = -1, axis = 0;
    int place = 0;  // in the joint's product, among its own rotations
    double factor = 1.0;
};

/// The N channels of a rig and the poses that they give by plain kinematics. In column vectors, for a joint with
/// parent-relative rest transform L:
///
///     pose = L T(translations) R_a(rotation 0) R_b(rotation 1) ... S(scales);
///
/// dials are the numeric controls. If constraints, drivers or anything else pose a joint, the channels concerned carry
/// a reason, and both directions throw ArgumentError that names them. Immutable; const members are thread-safe.
class Channels {
public:
    Channels() = default;
    /// `elsewhere`: joints that something other than their channels poses, with the reason. Throws ArgumentError if a
    /// number is not finite in float32, low > high, a joint, channel or control does not exist, two channels share an
    /// axis or a control, or the places of a joint's rotations are not 0, 1, ....
    Channels(std::vector<Channel> list, const std::vector<Follower>& followers,
             const std::map<std::string, std::string>& elsewhere, const Skeleton& skeleton,
             const std::vector<std::string>& numeric_controls);

    std::int64_t size() const { return static_cast<std::int64_t>(list_.size()); }
    const std::vector<Channel>& list() const { return list_; }

    enum class Undecided { refuse, ignore };
    /// Writes the poses (T, C) of channels (T, N). `ignore`: the poses that plain kinematics alone would give.
    /// Throws ArgumentError on a wrong width, values that are not finite, poses that overflow float32, and, unless
    /// `ignore`, if something other than the channels decides a pose.
    void poses(View<const double, 2> channels, View<float, 2> poses, Undecided undecided = Undecided::refuse) const;
    /// Writes channels (T, N) of poses (T, C): Euler angles by fit_angles, inside their ranges if possible, continuous
    /// from row to row; scales are positive. residuals (T): the largest absolute difference between an entry of the
    /// pose and of the pose that the found channels give. Throws ArgumentError on a wrong width, values that are not
    /// finite, channels that overflow float32, if something other than the channels decides a pose, and if a joint's
    /// rotation order is one that fit_angles does not take.
    void channels(View<const float, 2> poses, View<float, 2> channels, View<float, 1> residuals) const;

private:
    struct Turn {
        int axis = -1, channel = -1;
        double factor = 1.0;
        bool follows = false;
    };
    struct Joint {
        std::array<double, 12> rest, inverse;
        std::vector<Turn> turns;                // its rotations, leftmost first
        std::array<int, 3> shifts{-1, -1, -1};  // channels
        std::array<int, 3> scales{-1, -1, -1};
    };

    void place(int index);
    void add_turn(int joint, int place, const Turn& turn);
    void check_places() const;
    void check_orders(const char* function) const;
    void refuse_undecided(const char* function) const;
    void local_pose(const Joint& joint, const double* row, float* pose) const;
    void write_pose(const double* row, float* pose) const;
    /// Writes a joint's translations and scales, and its rotations (T, 3, 3).
    void split_joint(std::size_t joint, View<const float, 2> poses, View<float, 2> channels, double* rotations) const;
    void fit_joint(std::size_t joint, View<const float, 2> poses, View<float, 2> channels) const;
    std::int64_t width() const { return static_cast<std::int64_t>(12 * joints_.size() + dials_.size()); }

    std::vector<Channel> list_;
    std::vector<std::string> joint_names_;
    std::vector<Joint> joints_;
    std::vector<int> dials_;  // per numeric control: its channel, -1 if none sets it
    std::vector<std::pair<std::string, std::string>> undecided_;  // what, why
};

/// The channels of a model file: its metadata entry "channels". Without the entry a model without joints has its
/// numeric controls as dials in their `ranges` (K, 2), any other has none. The entry is
///
///     {"list": [{"name", "kind", "joint" (name or null), "place", "low", "high", "rest", "unit", "whole", "reason"},
///     ...],
///      "followers": [{"joint", "channel" (names), "axis" ("x", "y" or "z"), "place", "factor"}, ...],
///      "joints": {name: reason, ...}}
///
/// where "whole" and "reason" may be left out and names are not empty and do not repeat. Throws ArgumentError on
/// anything else.
Channels read_channels(const TensorFile& tensors, const Skeleton& skeleton,
                       const std::vector<std::string>& numeric_controls, View<const float, 2> ranges);
/// The same from the JSON text of the entry alone.
Channels parse_channels(const std::string& entry, const Skeleton& skeleton,
                        const std::vector<std::string>& numeric_controls);

}  // namespace rigwright::rig
