#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/rig/derivatives/pose_directions.h"

namespace rigcast::rig {

class Deformer;

/// Evaluates one pose after another and differentiates at the last one, as least squares do. It caches what both share,
/// and allocates nothing after the first calls. Made by Linearizer::start. Not thread-safe: one per thread.
class Linearization {
public:
    virtual ~Linearization() = default;

    /// Writes the vertices (V, 3) of a pose (C): those of Deformer::evaluate up to rounding. Throws ArgumentError as it
    /// does.
    virtual void evaluate(const float* pose, float* vertices) = 0;
    /// Writes the derivatives (3 V, N) of the vertices at the last pose along N directions: with at least three digits,
    /// which steps of least squares need. Requires: evaluate was called.
    virtual void differentiate(const PoseDirections& directions, std::int64_t count, double* derivatives) = 0;
};

/// What linearizations of a model share. Made by Deformer::linearizer; the model must outlive both. Immutable and
/// thread-safe.
class Linearizer {
public:
    virtual ~Linearizer() = default;
    virtual std::unique_ptr<Linearization> start() const = 0;
};

/// For all models: one jvp per direction or one vjp per coordinate, whichever are fewer. `has_jacobian`: the model's
/// own Jacobian, times the directions, instead.
std::unique_ptr<Linearizer> general_linearizer(const Deformer& model, bool has_jacobian);

}  // namespace rigcast::rig
