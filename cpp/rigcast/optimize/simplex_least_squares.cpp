#include "rigcast/optimize/simplex_least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigcast::optimize {
namespace {

/// Pivots below this share of their diagonal entry are rounding.
constexpr double pivot_rounding = 64 * std::numeric_limits<double>::epsilon();
/// Descents below this share of the smallest diagonal entry of D, the value of the start, are rounding.
constexpr double descent_rounding = 1e-12;
/// A bound on the iterations: 20 per column. Chosen, not tuned.
constexpr int max_iterations_per_column = 20;

}  // namespace

double SimplexLeastSquares::gradient(int i) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < used_.size(); ++k) sum += gram(i, used_[k]) * weight_[k];
    return sum;
}

double SimplexLeastSquares::value() const {
    double sum = 0.0;
    for (std::size_t k = 0; k < used_.size(); ++k) sum += weight_[k] * gradient(used_[k]);
    return sum;
}

/// Fills `value` and `gap` of the report. Returns the column, neither in use nor refused, with the smallest entry of
/// D w, or -1 if none is below the value by more than rounding.
int SimplexLeastSquares::steepest(SimplexReport* report) const {
    report->value = value();
    report->gap = 0.0;
    int best = -1;
    double largest = rounding_;
    for (int i = 0; i < static_cast<int>(columns_->size()); ++i) {
        const double descent = report->value - gradient(i);
        report->gap = std::max(report->gap, descent);
        if (descent > largest && !is_refused_[i] && std::find(used_.begin(), used_.end(), i) == used_.end()) {
            largest = descent;
            best = i;
        }
    }
    return best;
}

/// target_ = u / sum u with (D + c 1 1^T) u = 1 over the columns in use. If the columns are dependent, a pivot vanishes
/// and is replaced by its rounding: the target then lies far along the dependent direction, and the retreat from it
/// ends at the first weight that reaches 0. Returns false if u overflows or has no positive sum.
bool SimplexLeastSquares::find_affine_minimizer() {
    const int n = static_cast<int>(used_.size());
    cholesky_.resize(static_cast<std::size_t>(n) * n);
    target_.assign(n, 1.0);
    for (int r = 0; r < n; ++r) {
        double* row = cholesky_.data() + static_cast<std::size_t>(r) * n;
        for (int c = 0; c <= r; ++c) {
            const double* other = cholesky_.data() + static_cast<std::size_t>(c) * n;
            double sum = gram(used_[r], used_[c]) + shift_;
            for (int k = 0; k < c; ++k) sum -= row[k] * other[k];
            if (c < r) {
                row[c] = sum / other[c];
            } else {
                row[r] = std::sqrt(std::max(sum, pivot_rounding * (gram(used_[r], used_[r]) + shift_)));
            }
        }
        for (int k = 0; k < r; ++k) target_[r] -= row[k] * target_[k];
        target_[r] /= row[r];
    }
    double total = 0.0;
    for (int r = n; r-- > 0;) {
        for (int k = r + 1; k < n; ++k) target_[r] -= cholesky_[static_cast<std::size_t>(k) * n + r] * target_[k];
        target_[r] /= cholesky_[static_cast<std::size_t>(r) * n + r];
        total += target_[r];
    }
    if (!(total > 0.0 && std::isfinite(total))) return false;
    for (double& t : target_) t /= total;
    return true;
}

/// Moves toward target_ until the first weight reaches 0. Removes its column and all others whose weight is then 0.
void SimplexLeastSquares::retreat() {
    double length = 1.0;
    std::size_t blocking = 0;
    for (std::size_t k = 0; k < used_.size(); ++k) {
        if (target_[k] > 0.0) continue;
        const double reach = weight_[k] > 0.0 ? weight_[k] / (weight_[k] - target_[k]) : 0.0;
        if (reach > length) continue;
        length = reach;
        blocking = k;
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < used_.size(); ++k) {
        const double moved = weight_[k] + length * (target_[k] - weight_[k]);
        if (k == blocking || (target_[k] <= 0.0 && moved <= 0.0)) continue;
        used_[kept] = used_[k];
        weight_[kept++] = moved;
    }
    used_.resize(kept);
    weight_.resize(kept);
}

/// Adds a column and moves to the minimizer over the columns that keep a positive weight. Returns false, with nothing
/// changed, if that does not lower the value.
bool SimplexLeastSquares::step(int entering) {
    old_used_ = used_;
    old_weight_ = weight_;
    const double before = value();
    used_.push_back(entering);
    weight_.push_back(0.0);
    bool good = find_affine_minimizer();
    while (good && *std::min_element(target_.begin(), target_.end()) <= 0.0) {
        retreat();
        good = !used_.empty() && find_affine_minimizer();
    }
    if (good) weight_ = target_;
    if (good && value() < before) return true;
    used_ = old_used_;
    weight_ = old_weight_;
    return false;
}

SimplexReport SimplexLeastSquares::solve(View<const double, 2> gram_matrix, const std::vector<int>& columns,
                                         double* weights) {
    data_ = gram_matrix.data();
    stride_ = gram_matrix.extent(1);
    columns_ = &columns;
    const int count = static_cast<int>(columns.size());
    int first = 0;
    for (int i = 1; i < count; ++i) {
        if (gram(i, i) < gram(first, first)) first = i;
    }
    used_.assign(1, first);
    weight_.assign(1, 1.0);
    is_refused_.assign(count, 0);
    shift_ = std::max(gram(first, first), std::numeric_limits<double>::min());
    rounding_ = descent_rounding * gram(first, first);

    SimplexReport report;
    for (const int limit = max_iterations_per_column * (count + 1); report.iterations < limit; ++report.iterations) {
        const int entering = steepest(&report);
        report.converged = entering < 0;
        if (report.converged) break;
        if (step(entering)) {
            std::fill(is_refused_.begin(), is_refused_.end(), char{0});
        } else {
            is_refused_[entering] = 1;
        }
    }
    report.value = std::max(report.value, 0.0);
    std::fill_n(weights, count, 0.0);
    for (std::size_t k = 0; k < used_.size(); ++k) weights[used_[k]] = weight_[k];
    return report;
}

}  // namespace rigcast::optimize
