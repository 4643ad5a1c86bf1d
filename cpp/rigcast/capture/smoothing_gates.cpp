#include "rigcast/capture/smoothing_gates.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::capture {
namespace {

constexpr std::int64_t head = 6;       // unknowns of the head
constexpr double pivot_floor = 1e-12;  // of the diagonal
constexpr double seen_motion = 1e-6;   // noises: a shape at whose full weight all points move less is not seen

}  // namespace

void SmoothingGates::keep(const FrameResiduals& residuals, const FramePoints& frame, std::int64_t num_points) {
    observed_ = residuals.observed();
    rows_ = residuals.projected();
    points_.assign(frame.points, frame.points + frame.dimensions * num_points);
}

/// Subtracts from the motion what a small motion of the head makes of it. Returns false if it is not determined.
bool SmoothingGates::remove_head(std::int64_t num_shapes) {
    const std::int64_t n = num_shapes + head, stride = linalg::padded_width(head);
    matrix_.assign(static_cast<std::size_t>(stride * head), 0.0);
    right_.assign(static_cast<std::size_t>(stride), 0.0);
    double inverse_diagonal[head];
    for (std::size_t r = 0; r < moved_.size(); ++r) {
        const double* row = used_.data() + static_cast<std::int64_t>(r) * n + num_shapes;
        for (std::int64_t i = 0; i < head; ++i) {
            for (std::int64_t j = 0; j < head; ++j) matrix_[i * stride + j] += row[i] * row[j];
            right_[i] += row[i] * moved_[r];
        }
    }
    const linalg::DenseCholesky& cholesky = linalg::dense_cholesky();
    if (!cholesky.factorize(matrix_.data(), head, stride, pivot_floor, inverse_diagonal)) return false;
    cholesky.solve(matrix_.data(), head, stride, inverse_diagonal, right_.data());
    for (std::size_t r = 0; r < moved_.size(); ++r) {
        const double* row = used_.data() + static_cast<std::int64_t>(r) * n + num_shapes;
        for (std::int64_t i = 0; i < head; ++i) moved_[r] -= row[i] * right_[i];
    }
    return true;
}

void SmoothingGates::measure(const FramePoints& frame, const PointTerms& terms, std::int64_t num_shapes,
                             double* gates) {
    std::fill(gates, gates + num_shapes, observed_.empty() ? 0.0 : 1.0);
    if (observed_.empty() || terms.gate <= 0.0) return;
    const std::int64_t n = num_shapes + head;
    const int d = frame.dimensions;
    used_.clear();
    moved_.clear();
    for (std::size_t at = 0; at < observed_.size(); ++at) {
        const std::int32_t i = observed_[at];
        if (!(frame.certainty[i] > 0.0)) continue;
        bool is_known = true;
        for (int a = 0; a < d; ++a) is_known = is_known && std::isfinite(frame.points[d * i + a]);
        if (!is_known) continue;
        const double* rows = rows_.data() + static_cast<std::int64_t>(at) * d * n;
        used_.insert(used_.end(), rows, rows + d * n);
        for (int a = 0; a < d; ++a) moved_.push_back(frame.points[d * i + a] - points_[d * i + a]);
    }
    if (!remove_head(num_shapes)) return;
    for (std::int64_t k = 0; k < num_shapes; ++k) {
        double along = 0.0, size = 0.0;
        for (std::size_t r = 0; r < moved_.size(); ++r) {
            const double u = used_[static_cast<std::int64_t>(r) * n + k];
            along += u * moved_[r];
            size += u * u;
        }
        if (!(size > seen_motion * seen_motion * terms.noise * terms.noise)) continue;
        const double z = along / (terms.noise * std::sqrt(2.0 * size) * terms.gate);
        gates[k] = std::exp(-z * z);
    }
}

}  // namespace rigcast::capture
