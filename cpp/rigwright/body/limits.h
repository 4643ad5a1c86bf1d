#pragma once
#include "rigwright/rig/character.h"

namespace rigwright::body {

/// How large the numbers of a pose may be before an evaluation overflows, from the magnitudes of a model's constants.
/// The activations of hidden layers are at most 1, so that coefficients and offsets are bounded.
struct Limits {
    float pose = 0.0f;        // of pose values: beyond, sums of the first layer may overflow
    float transform = -1.0f;  // of the joints' global transforms: beyond, vertices may; -1: always
};

/// For the tensors of BodyModel, which must have been checked.
Limits find_limits(const rig::Character& character);

}  // namespace rigwright::body
