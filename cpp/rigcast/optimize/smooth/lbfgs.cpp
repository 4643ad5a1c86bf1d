#include "rigcast/optimize/smooth/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "rigcast/optimize/smooth/line_search.h"

namespace rigcast::optimize {
namespace {

constexpr std::size_t most_pairs = 20;

double inner(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Steps s and changes of the gradient y, whose products with a vector approximate those with the inverse Hessian.
class Pairs {
public:
    bool empty() const { return pairs_.empty(); }
    void clear() { pairs_.clear(); }

    /// Adds a pair unless its curvature s . y is not positive.
    void add(std::vector<double> step, std::vector<double> change) {
        const double curvature = inner(step, change);
        if (!(curvature > 1e-10 * std::sqrt(inner(step, step) * inner(change, change)))) return;
        if (pairs_.size() == most_pairs) pairs_.pop_front();
        pairs_.push_back({std::move(step), std::move(change), curvature});
    }

    /// -H gradient, by the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4).
    std::vector<double> direction(std::span<const double> gradient) const {
        std::vector<double> q(gradient.begin(), gradient.end());
        std::vector<double> shares(pairs_.size());
        for (std::size_t i = pairs_.size(); i-- > 0;) {
            shares[i] = inner(pairs_[i].step, q) / pairs_[i].curvature;
            add_scaled(-shares[i], pairs_[i].change, &q);
        }
        if (!empty()) {
            const Pair& last = pairs_.back();
            const double scale = last.curvature / inner(last.change, last.change);
            for (double& entry : q) entry *= scale;
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const double back = inner(pairs_[i].change, q) / pairs_[i].curvature;
            add_scaled(shares[i] - back, pairs_[i].step, &q);
        }
        for (double& entry : q) entry = -entry;
        return q;
    }

private:
    struct Pair {
        std::vector<double> step;
        std::vector<double> change;
        double curvature;
    };
    static void add_scaled(double scale, const std::vector<double>& x, std::vector<double>* y) {
        for (std::size_t i = 0; i < x.size(); ++i) (*y)[i] += scale * x[i];
    }

    std::deque<Pair> pairs_;
};

std::vector<double> difference(std::span<const double> a, std::span<const double> b) {
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
    return result;
}

}  // namespace

MinimizationReport minimize_lbfgs(const SmoothFunction& f, std::span<double> x, const MinimizationOptions& options) {
    MinimizationReport report;
    std::vector<double> gradient(x.size());
    double value = f(x, gradient);
    Convergence convergence("minimize_lbfgs", value, options, &report);
    report.converged = convergence.has_small_gradient(gradient);
    WolfeSearch line(f, x.size());
    Pairs pairs;
    bool over = report.converged || options.max_iterations <= 0;
    while (!over) {
        const std::vector<double> direction = pairs.direction(gradient);
        const double first = pairs.empty() ? 1.0 / std::max(1.0, std::sqrt(inner(gradient, gradient))) : 1.0;
        if (!line.search(x, value, gradient, direction, first)) {
            report.converged = pairs.empty();
            over = pairs.empty();
            pairs.clear();
            continue;
        }
        pairs.add(difference(line.point(), x), difference(line.gradient(), gradient));
        std::copy(line.point().begin(), line.point().end(), x.begin());
        gradient = line.gradient();
        value = line.value();
        over = convergence.finished(value, gradient);
    }
    report.evaluations = 1 + line.evaluations();
    return report;
}

}  // namespace rigcast::optimize
