#pragma once
#include <string>

#include "rigcast/synthesis/player/event_record.h"
#include "rigcast/synthesis/player/simulation.h"

namespace rigcast::synthesis {

/// A saved player: what decides its next frames, the events that it names, and how many commands of its schedule were
/// given.
struct SavedState {
    CharacterState state;
    EventRecord record;
    std::int64_t told = 0;
};

/// The text of a saved player, JSON: {"told": 0, "seed": 3, "character": {"frame": 24, ...}}.
std::string state_text(const Simulation& simulation, const CharacterState& state, const EventRecord& record,
                       std::int64_t told);

/// The saved player of a text, its begun item simulated again. Throws ArgumentError, which names `function`, if it is
/// no such text, or of another synthesizer. scheduled: commands of the schedule, which `told` must not exceed.
SavedState read_state_text(const char* function, const Simulation& simulation, const std::string& text,
                           std::int64_t scheduled);

}  // namespace rigcast::synthesis
