#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/rig/character.h"
#include "rigcast/rig/derivatives/pose_directions.h"

namespace rigcast::ik {

/// A number that the solver changes.
struct Unknown {
    std::string name;
    double low = 0.0;  // bounds in the model; -inf, inf: none
    double high = 0.0;
    double scale = 1.0;  // typical range, positive: steps and preferences are measured in it
    bool fixed = false;  // keeps the value of the start
};

/// The N numbers that determine a pose. There are two kinds: channels, and rotation vectors of joints. Some are
/// relative to a reference pose (C), from which a solve starts. Immutable and thread-safe.
class Unknowns {
public:
    virtual ~Unknowns() = default;

    const std::vector<Unknown>& list() const { return list_; }
    std::int64_t size() const { return static_cast<std::int64_t>(list_.size()); }
    /// Returns true if the unknowns are the channels of the model.
    virtual bool are_channels() const = 0;
    /// Writes the unknowns (T, N) of poses (T, C), relative to the references (1, C) or (T, C). Throws ArgumentError as
    /// Channels::channels.
    virtual void from_poses(View<const float, 2> poses, View<const float, 2> references,
                            View<double, 2> values) const = 0;
    /// Writes the pose (C) of the unknowns (N).
    virtual void pose(const double* values, const float* reference, float* pose) const = 0;
    /// Writes the derivatives of a pose, as `pose` wrote it, with respect to the unknowns: a direction per unknown.
    virtual void linearize(const double* values, const float* pose, rig::PoseDirections* out) const = 0;

protected:
    std::vector<Unknown> list_;
};

/// Returns true if plain kinematics or a mechanism decides the poses of the model's channels.
bool channels_decide(const rig::Character& character);

/// The channels of a model if plain kinematics or a mechanism decides its poses, with their ranges. Otherwise a
/// rotation vector per joint (of those that turn in the training data, if the model has been trained), the translations
/// that vary in the training data, and the numeric controls.
std::unique_ptr<Unknowns> make_unknowns(const rig::Character& character);

/// The diagonal of the bounding box of the rest vertices; 1 if it is 0.
double character_size(const rig::Character& character);

}  // namespace rigcast::ik
