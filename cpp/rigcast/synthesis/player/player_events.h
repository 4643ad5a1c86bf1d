#pragma once
#include <vector>

#include "rigcast/synthesis/player/character.h"

namespace rigcast::synthesis {

/// Events of a character, in the order of time.
std::vector<PlayEvent> events_of(const Simulation& simulation, const Character& character);

}  // namespace rigcast::synthesis
