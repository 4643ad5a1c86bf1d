#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/coupled/bending.h"
#include "rigcast/optimize/products/gram_point.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::optimize {

/// The temporal term of a shot,
///   sum_k bending_k sum_{0<t<T-1} (x_{t-1,k} - 2 x_{t,k} + x_{t+1,k})^2,
/// as a coupled solve needs it: as a function of one frame, and its change by a step of all frames.
class TemporalTerm {
public:
    /// Keeps a reference to `shot`.
    explicit TemporalTerm(const Shot& shot);

    const Bending& bending() const { return bending_; }
    /// The terms of frame t with the temporal term added as a function of x_t alone, all other frames staying at
    /// `points` (T). Valid until the next call for the same frame. Different frames may be asked for at the same time.
    Terms frame_terms(std::int64_t t, const std::vector<GramPoint>& points);
    /// The change of the term if all frames move from `points` (T) to `trial` (T, K).
    double change(const std::vector<GramPoint>& points, const std::vector<double>& trial) const;

private:
    const Shot& shot_;
    std::int64_t num_frames_;
    std::int64_t num_variables_;
    Bending bending_;
    std::vector<double> linear_;     // (T, K)
    std::vector<double> quadratic_;  // (T, K)
};

}  // namespace rigcast::optimize
