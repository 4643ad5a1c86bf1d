#pragma once
#include "rigcast/rig/character.h"

namespace rigcast::body {

/// Magnitudes up to which an evaluation cannot overflow, bounded from the magnitudes of a model's constants. The bound
/// exists since activations of the hidden layers are at most 1 (tanh), so that the coefficients of the basis, and with
/// them the offsets, are bounded for every pose.
struct Limits {
    /// Of pose values: beyond it, sums of the first layer may overflow.
    float pose = 0.0f;
    /// Of the entries of global transforms: beyond it, vertices may overflow. It is -1 if they may overflow for every
    /// transform: rig::check_overflow then refuses all poses.
    float transform = -1.0f;
};

/// The limits of a body model, whose tensors must have been checked.
Limits find_limits(const rig::Character& character);

}  // namespace rigcast::body
