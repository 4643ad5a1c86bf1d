#pragma once
#include <memory>
#include <vector>

#include "rigcast/synthesis/model/synthesizer.h"
#include "rigcast/synthesis/player/items.h"
#include "rigcast/synthesis/playing/ground.h"

namespace rigcast::synthesis {

/// What all characters of a player share: the synthesizer, its grounds, and the simulation of their items.
/// Immutable but for paths that are kept; const calls are thread-safe.
class Simulation {
public:
    /// Throws ArgumentError if a setting is out of its range.
    Simulation(std::shared_ptr<const Synthesizer> synth, const PlaySettings& settings);

    const Synthesizer& synth() const { return *synth_; }
    const PlaySettings& settings() const { return settings_; }
    const Ground& ground(std::int64_t label) const { return *grounds_[static_cast<std::size_t>(label)]; }
    /// Writes the controls (N) of a latent point (D).
    void write_controls(std::int64_t label, const double* x, float* out) const;

    /// Fills in the tracks and controls of items, those of one label together. Guarantee: an item's bytes depend on
    /// nothing but itself.
    void simulate(const std::vector<Item*>& items) const;

private:
    void step(std::int64_t label, const std::vector<ItemTrack*>& tracks, const std::vector<std::int64_t>& first) const;
    void mix(Item& item) const;

    std::shared_ptr<const Synthesizer> synth_;
    PlaySettings settings_;
    std::vector<std::unique_ptr<const Ground>> grounds_;
};

}  // namespace rigcast::synthesis
