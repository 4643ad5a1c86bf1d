#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/channels/skeleton.h"
#include "rigcast/rig/mechanism/mechanism.h"

namespace rigcast::rig {

/// What a channel controls: a rotation (degrees), translation (rig units) or scale (1: none) of a joint along its rest
/// axes; a numeric control of the pose (dial); bones of the rig's mechanism (control); or something that the rig does
/// not describe (other).
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
    control,
    other
};
inline constexpr std::array<const char*, 12> channel_kind_names{"rotate_x",    "rotate_y",    "rotate_z", "translate_x",
                                                                "translate_y", "translate_z", "scale_x",  "scale_y",
                                                                "scale_z",     "dial",        "control",  "other"};

/// A number that an artist sets.
struct Channel {
    std::string name;
    ChannelKind kind = ChannelKind::other;
    int joint = -1;      // of a rotation, translation or scale
    int control = -1;    // of a dial: the numeric control with its name
    int place = 0;       // of a rotation: its position in the joint's product, 0 is leftmost
    bool whole = false;  // of a dial: the rig rounds it to a whole number, half to even
    double low = 0.0;
    double high = 0.0;
    double rest = 0.0;
    /// Why plain kinematics does not decide the channel's effect; empty if it does. Kind other must have a reason.
    std::string reason;

    /// Of kind control: "degrees", "rig" or "".
    std::string control_unit;

    /// "degrees", "rig" (the rig's unit of length) or "".
    const char* unit() const;
};

/// A rotation of a joint by another joint's channel: its angle is `factor` times the channel's value.
struct Follower {
    int joint = -1;  // the joint that is rotated
    int channel = -1;
    int axis = 0;   // 0, 1, 2: x, y, z
    int place = 0;  // position in the joint's product, as Channel::place
    double factor = 1.0;
};

/// The N channels of a rig, and the conversion between channels and poses by plain kinematics.
///
/// A pose has C = 12 J + K numbers: a parent-relative transform (3, 4) per joint, then the K numeric controls. For a
/// joint with the parent-relative rest transform L, in column vectors:
///
///     transform = L T(translations) R_a(rotation 0) R_b(rotation 1) ... S(scales).
///
/// Dials are copied to their numeric controls. If the rig has a mechanism, it poses the joints that it knows.
///
/// Undecided rigs: neither plain kinematics nor a mechanism decides the pose if a channel has a reason, if something
/// else (a constraint, a driver) poses a joint, or if a numeric control has no channel. Both conversions then throw
/// ArgumentError with the reasons; only `poses` can ignore them. Immutable; const members are thread-safe.
class Channels {
public:
    Channels() = default;
    /// `posed_elsewhere`: the names of the joints that something other than channels poses, with the reasons.
    /// Throws ArgumentError if a number is not finite in float32, low > high, a joint, channel or control does not
    /// exist, a channel of kind other has no reason, one of kind control no mechanism, two channels set the same
    /// translation, scale or control, or the places of a joint's rotations are not 0, 1, 2, ... (at most 32).
    Channels(std::vector<Channel> list, const std::vector<Follower>& followers,
             const std::map<std::string, std::string>& posed_elsewhere, const Skeleton& skeleton,
             const std::vector<std::string>& numeric_controls, std::shared_ptr<const Mechanism> mechanism = nullptr);

    std::int64_t size() const { return static_cast<std::int64_t>(list_.size()); }
    const std::vector<Channel>& list() const { return list_; }
    /// Null if the rig has none.
    const Mechanism* mechanism() const { return mechanism_.get(); }
    /// A row (N) with whole numbers rounded, as the rig takes it.
    std::vector<double> rounded(const double* row) const;

    /// What `poses` does for an undecided rig, or one without channels: throw, or write the poses that plain kinematics
    /// alone would give, with 0 for numeric controls without a channel.
    enum class Undecided { refuse, ignore };
    /// Writes the poses (T, C) of channels (T, N).
    /// Throws ArgumentError if a shape is wrong, a value is not finite, a pose overflows float32, or if `undecided` is
    /// `refuse` and the rig is undecided or has no channels.
    void poses(View<const double, 2> channels, View<float, 2> poses, Undecided undecided = Undecided::refuse) const;
    /// Writes the channels (T, N) of poses (T, C): Euler angles by fit_angles, inside their ranges if possible and
    /// continuous from frame to frame. Scales are not negative. `residuals` (T): the largest absolute difference
    /// between each given pose and the pose of the channels found. With a mechanism, least squares by
    /// Levenberg-Marquardt inside the ranges, from the frame before and from rest, and from better values in the
    /// ranges if that ends in a local minimum (RangeSearch); channels without effect stay at rest. Throws ArgumentError
    /// if a shape is wrong, a value is not finite, a channel overflows float32, the rig is undecided or has no
    /// channels, or fit_angles does not support a joint's rotation order.
    void channels(View<const float, 2> poses, View<float, 2> channels, View<float, 1> residuals) const;

private:
    /// A rotation in a joint's product.
    struct Turn {
        int axis = -1;
        int channel = -1;
        double factor = 1.0;
        bool follows = false;  // of a Follower
    };
    struct Joint {
        std::array<double, 12> rest;
        std::array<double, 12> inverse;
        std::vector<Turn> turns;                      // leftmost first
        std::array<int, 3> translations{-1, -1, -1};  // channels per axis; -1: none
        std::array<int, 3> scales{-1, -1, -1};
    };

    /// Assigns channel `index` to its joint or control.
    void assign(int index);
    void add_turn(int joint, int place, const Turn& turn);
    void check_places() const;
    void check_orders(const char* function) const;
    void refuse_undecided(const char* function) const;
    void local_pose(const Joint& joint, const double* row, float* pose) const;
    void write_pose(const double* row, Mechanism::Poses* bones, float* pose) const;
    /// Writes the translation and scale channels of a joint, and its rotations (T, 3, 3).
    void split_joint(std::size_t joint, View<const float, 2> poses, View<float, 2> channels, double* rotations) const;
    void fit_joint(std::size_t joint, View<const float, 2> poses, View<float, 2> channels) const;
    void fit_mechanism(View<const float, 2> poses, View<float, 2> channels) const;
    std::vector<std::vector<double>> starts_at(const float* pose, const std::vector<double>& before,
                                               const std::vector<double>& rest) const;
    std::int64_t width() const { return static_cast<std::int64_t>(12 * joints_.size() + dials_.size()); }

    std::vector<Channel> list_;
    std::shared_ptr<const Mechanism> mechanism_;
    std::vector<std::string> joint_names_;
    std::vector<Joint> joints_;
    std::vector<int> dials_;  // per numeric control: its channel, -1 if none sets it
    std::vector<std::pair<std::string, std::string>> undecided_;  // name and reason
};

/// The channels of a model file, from its metadata entry "channels":
///
///     {"list": [{"name", "kind", "joint" (name or null), "place", "low", "high", "rest", "unit", "whole", "reason"}],
///      "followers": [{"joint", "channel" (names), "axis" ("x", "y" or "z"), "place", "factor"}],
///      "joints": {name: reason}, "mechanism": {...}}
///
/// "whole", "reason" and "mechanism" (see read_mechanism) are optional. Channel names are unique and not empty. A dial
/// has the name of its numeric control. If the entry is missing, a model without joints has its numeric controls as
/// dials with their `ranges` (K, 2); any other model has no channels. Throws ArgumentError if the entry breaks one of
/// these rules.
Channels read_channels(const TensorFile& tensors, const Skeleton& skeleton,
                       const std::vector<std::string>& numeric_controls, View<const float, 2> ranges);
/// The same from the JSON text of the entry.
Channels parse_channels(const std::string& entry, const Skeleton& skeleton,
                        const std::vector<std::string>& numeric_controls);

}  // namespace rigcast::rig
