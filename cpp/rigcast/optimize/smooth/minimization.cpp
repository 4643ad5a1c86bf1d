#include "rigcast/optimize/smooth/minimization.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::optimize {

Convergence::Convergence(const char* function, double start, const MinimizationOptions& options,
                         MinimizationReport* report)
    : options_(&options), report_(report) {
    if (!std::isfinite(start)) {
        throw bad_argument(function, "start", "a point with the value " + std::to_string(start), "one of finite value");
    }
    report->values.assign(1, start);
    if (options.report) options.report(0, start);
}

bool Convergence::has_small_gradient(std::span<const double> gradient) const {
    return std::all_of(gradient.begin(), gradient.end(),
                       [&](double entry) { return std::abs(entry) <= options_->gradient_tolerance; });
}

bool Convergence::finished(double value, std::span<const double> gradient) {
    const double decrease = report_->values.back() - value;
    report_->values.push_back(value);
    if (options_->report) options_->report(report_->iterations(), value);
    const bool small = decrease <= options_->tolerance * std::max(1.0, std::abs(value));
    small_steps_ = small ? small_steps_ + 1 : 0;
    report_->converged = small_steps_ >= small_steps_to_converge || has_small_gradient(gradient);
    return report_->converged || report_->iterations() >= options_->max_iterations;
}

}  // namespace rigcast::optimize
