#pragma once
#include "rigwright/rig/character.h"

namespace rigwright::body {

/// The largest pose values at which an evaluation surely does not overflow, from the magnitudes of a model's constants.
/// The hidden layers' activations are at most 1 (tanh), so that coefficients and offsets are bounded.
struct Limits {
    float pose = 0.0f;        // of pose values: beyond it, sums of the first layer may overflow
    float transform = -1.0f;  // of entries of global transforms: beyond it, vertices may overflow; -1: for any entry
};

/// The limits of a body model, whose tensors must have been checked.
Limits find_limits(const rig::Character& character);

}  // namespace rigwright::body
