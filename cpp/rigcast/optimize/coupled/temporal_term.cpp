#include "rigcast/optimize/coupled/temporal_term.h"

namespace rigcast::optimize {

TemporalTerm::TemporalTerm(const Shot& shot)
    : shot_(shot),
      num_frames_(shot.lower.extent(0)),
      num_variables_(shot.lower.extent(1)),
      bending_(num_frames_),
      linear_(num_frames_ * num_variables_),
      quadratic_(num_frames_ * num_variables_) {}

Terms TemporalTerm::frame_terms(std::int64_t t, const std::vector<GramPoint>& points) {
    double* linear = linear_.data() + t * num_variables_;
    double* quadratic = quadratic_.data() + t * num_variables_;
    for (std::int64_t k = 0; k < num_variables_; ++k) {
        double others = 0.0;
        for (int distance = 1; distance <= 2; ++distance) {
            if (t >= distance) others += bending_(t - distance, distance) * points[t - distance].x()[k];
            if (t + distance < num_frames_) others += bending_(t, distance) * points[t + distance].x()[k];
        }
        linear[k] = shot_.linear(t, k) + 2.0 * shot_.bending(k) * others;
        quadratic[k] = shot_.quadratic(t, k) + shot_.bending(k) * bending_(t, 0);
    }
    return {shot_.projections.row(t), linear, quadratic, shot_.lower.row(t), shot_.upper.row(t)};
}

double TemporalTerm::change(const std::vector<GramPoint>& points, const std::vector<double>& trial) const {
    double change = 0.0;
    for (std::int64_t t = 1; t + 1 < num_frames_; ++t) {
        const double* before = trial.data() + (t - 1) * num_variables_;
        const double* here = before + num_variables_;
        const double* after = here + num_variables_;
        for (std::int64_t k = 0; k < num_variables_; ++k) {
            const double old = points[t - 1].x()[k] - 2.0 * points[t].x()[k] + points[t + 1].x()[k];
            const double now = before[k] - 2.0 * here[k] + after[k];
            change += shot_.bending(k) * (now - old) * (now + old);
        }
    }
    return change;
}

}  // namespace rigcast::optimize
