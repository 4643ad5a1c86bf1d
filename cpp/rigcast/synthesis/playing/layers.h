#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// Controls with a life of their own, added to what the clips do to them. The values of a layer are functions of time
/// and of a player's seed alone: it is never out of step after a restart, and no two players of different seeds agree
/// but by chance.
///
/// blinks: one value, the closure of the lids from 0 to 1; one blink at a random moment of each interval, which lasts
///     `length` seconds, two fifths of which close.
/// gaze: two values from -1 to 1, across and up: eyes rest, and jump to a new direction within `length` seconds.
/// sway: one value per control, a draw of a Gaussian process in time of unit variance (SmoothNoise).
struct Layer {
    enum class Kind { blinks, gaze, sway };
    using Amounts = std::vector<std::pair<std::string, double>>;  // of controls, by name

    Kind kind = Kind::blinks;
    std::string name = "layer";
    double strength = 1.0;  // factor of all amounts
    std::uint64_t seed = 0;
    std::optional<double> frozen_at;  // seconds at which it stands still
    double per_minute = 15.0;         // blinks or jumps, at most 600
    double length = 0.25;             // seconds of one, at most half of their interval
    double timescale = 1.5;           // seconds in which sway changes, at least a millisecond
    std::vector<Amounts> amounts;     // per value: what a value of 1 adds to controls

    /// Throws ArgumentError, which names the kind ("Blinks"), if a number is out of its range, or the amounts are not
    /// as many as the kind has values.
    void check() const;
    /// Writes the values (T, amounts.size()) at times (T) in seconds. Throws ArgumentError if a time is too far from 0.
    void values(View<const double, 1> seconds, std::uint64_t player, View<double, 2> out) const;
};

/// Checked layers of one set of controls.
class Layers {
public:
    /// Throws ArgumentError, which names `function`, as Layer::check, if a layer names a control that does not exist or
    /// that another layer owns, or if two have one name.
    Layers(const char* function, std::vector<Layer> layers, const std::vector<std::string>& control_names);

    /// The layers but for those of some names. Throws ArgumentError, which names `function`, if there is none of a
    /// name.
    std::vector<bool> without(const char* function, std::span<const std::string> names) const;
    bool empty() const { return layers_.empty(); }
    /// Adds the values of chosen layers at times (T) to controls (T, N).
    void add(const std::vector<bool>& chosen, View<const double, 1> seconds, std::uint64_t player,
             View<double, 2> controls) const;

private:
    struct Weight {
        std::int64_t value, control;
        double amount;
    };

    std::vector<Layer> layers_;
    std::vector<std::vector<Weight>> weights_;
};

}  // namespace rigcast::synthesis
