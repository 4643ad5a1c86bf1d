#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/frame_residuals.h"

namespace rigcast::capture {

/// How much each weight is smoothed in a frame, by the motion of the points since the frame before; see solve_points.
class SmoothingGates {
public:
    /// Keeps the derivatives of a solved frame: those of the last `linearize` of `residuals`.
    void keep(const FrameResiduals& residuals, const FramePoints& frame, std::int64_t num_points);
    /// Nothing is known of the frame before: every gate is 0.
    void forget() { observed_.clear(); }
    /// Writes K gates in [0, 1].
    void measure(const FramePoints& frame, const PointTerms& terms, std::int64_t num_shapes, double* gates);

private:
    bool remove_head(std::int64_t num_shapes);

    std::vector<std::int32_t> observed_;
    std::vector<double> points_;  // (P, D) of the frame before
    std::vector<double> rows_;    // (D rows of each observed point, K + 6)
    std::vector<double> used_;    // (rows, K + 6) of the points that both frames have
    std::vector<double> moved_;   // (rows)
    std::vector<double> matrix_;
    std::vector<double> right_;
};

}  // namespace rigcast::capture
