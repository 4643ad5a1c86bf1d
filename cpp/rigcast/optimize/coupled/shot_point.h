#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/quadratic_model.h"

namespace rigcast::optimize {

/// The current point of a coupled solve: every frame's point and the quadratic model around it. The models include the
/// temporal term as a function of their own frame (see TemporalTerm::frame_terms).
struct ShotPoint {
    std::vector<GramPoint> points;       // (T)
    std::vector<QuadraticModel> models;  // (T)

    std::int64_t num_frames() const { return static_cast<std::int64_t>(points.size()); }
};

/// A step over the free variables of all frames, each kept on its piece: S entries, frame by frame in the order of
/// QuadraticModel::variables.
struct ShotStep {
    std::vector<std::int64_t> begin;  // (T + 1): first entry of each frame
    std::vector<double> change;       // (S): of the variables, for the full step
    std::vector<char> is_fixed;       // (S): the full step ends at an end of the variable's piece
    double slope = 0.0;               // of the objective along the step
    /// Some variables were clamped to their pieces and the others not solved for again.
    bool is_clamped = false;

    std::int64_t size() const { return begin.back(); }
};

}  // namespace rigcast::optimize
