#include "rigcast/synthesis/latent/fit_latent_space.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/optimize/smooth/lbfgs.h"
#include "rigcast/optimize/smooth/scaled_conjugate_gradients.h"

namespace rigcast::synthesis {
namespace {

constexpr const char* fit_name = "fit_latent_space";
constexpr double perturbation = 0.1;
constexpr double frames_of_equal_curvature = 200.0;

/// The three hyper-parameters at the end of the unknowns, in the unit in which the minimizer sees them. The objective's
/// curvature by a hyper-parameter grows with the number of frames, N P / 2 of the log determinant; by a coordinate of
/// a point it does not: about 100 P with the noise of the start. Where they differ, quasi-Newton steps zigzag.
class HyperScale {
public:
    explicit HyperScale(std::int64_t frames)
        : factor_(std::sqrt(std::max(1.0, static_cast<double>(frames) / frames_of_equal_curvature))) {}

    void enter(std::span<double> unknowns) const {
        for (double& log : unknowns.last(3)) log *= factor_;
    }
    void leave(std::span<double> unknowns) const {
        for (double& log : unknowns.last(3)) log /= factor_;
    }

private:
    double factor_;
};

void check_fit(View<const double, 2> values, View<const double, 2> start, const LatentFitOptions& options) {
    check_shape<const double, 2>(fit_name, "start", start, {values.extent(0), -1});
    if (values.extent(0) < 2) throw bad_argument(fit_name, "values", "of one frame or none", "of two frames or more");
    if (values.extent(1) < 1 || start.extent(1) < 1) {
        throw bad_argument(fit_name, values.extent(1) < 1 ? "values" : "start", "without columns", "(N, 1) or wider");
    }
    check_finite(fit_name, "values", values);
    check_finite(fit_name, "start", start);
    check_threads(fit_name, options.threads);
    if (options.iterations < 0) {
        throw bad_argument(fit_name, "iterations", std::to_string(options.iterations), "0 or more");
    }
    if (options.starts < 1) throw bad_argument(fit_name, "starts", std::to_string(options.starts), "1 or more");
    if (!(options.tolerance >= 0.0)) {
        throw bad_argument(fit_name, "tolerance", std::to_string(options.tolerance), "at least 0");
    }
}

/// The start, centered and scaled to a mean square of 1.
std::vector<double> normalized(View<const double, 2> start) {
    const std::int64_t dimension = start.extent(1);
    std::vector<double> points(start.begin(), start.end());
    double sum = 0.0;
    for (std::int64_t a = 0; a < dimension; ++a) {
        double mean = 0.0;
        for (std::int64_t i = 0; i < start.extent(0); ++i) mean += start(i, a);
        mean /= static_cast<double>(start.extent(0));
        for (std::int64_t i = 0; i < start.extent(0); ++i) {
            double& entry = points[i * dimension + a];
            entry -= mean;
            sum += entry * entry;
        }
    }
    const double root = std::sqrt(sum / static_cast<double>(start.size()));
    const double largest = std::abs(
        *std::max_element(start.begin(), start.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (!std::isfinite(root) || root <= 1e-12 * largest) {
        throw bad_argument(fit_name, "start", "of equal points, or too large to square", "points that differ");
    }
    for (double& entry : points) entry /= root;
    return points;
}

/// Adds normal numbers (Box and Muller 1958), the same on every platform.
void perturb(std::vector<double>* points, std::uint64_t seed, std::int64_t start) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(start)};
    std::mt19937_64 generator(sequence);
    const auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
    for (double& entry : *points) {
        const double radius = std::sqrt(-2.0 * std::log(uniform()));
        entry += perturbation * radius * std::cos(2.0 * std::numbers::pi * uniform());
    }
}

/// One start: its end, and the record of the way there.
struct Run {
    std::vector<double> unknowns;
    std::vector<double> seconds;
    optimize::MinimizationReport report;
};

}  // namespace

FittedLatentSpace fit_latent_space(View<const double, 2> values, const std::vector<Segment>& segments,
                                   View<const double, 2> start, const LatentTerms& terms,
                                   const LatentFitOptions& options) {
    check_fit(values, start, options);
    const auto began = std::chrono::steady_clock::now();
    const std::vector<double> points = normalized(start);
    LatentObjective objective(values, start.extent(1), segments, terms, options.threads);
    const HyperScale scale(values.extent(0));
    std::vector<double> at(static_cast<std::size_t>(objective.num_unknowns()));
    const optimize::SmoothFunction f = [&](std::span<const double> unknowns, std::span<double> gradient) {
        std::copy(unknowns.begin(), unknowns.end(), at.begin());
        scale.leave(at);
        const double value = objective.evaluate(at, gradient);
        scale.leave(gradient);
        return value;
    };
    Run best;
    std::vector<double> ends;
    std::int64_t before = 0;  // iterations of earlier starts
    for (std::int64_t number = 0; number < options.starts; ++number) {
        std::vector<double> from = points;
        if (number > 0) perturb(&from, options.seed, number);
        Run run{objective.start({from.data(), start.extents()}), {}, {}};
        scale.enter(run.unknowns);
        optimize::MinimizationOptions limits{options.iterations, options.tolerance, 0.0, {}};
        limits.report = [&](std::int64_t iteration, double value) {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
            run.seconds.push_back(passed.count());
            if (iteration > 0 && options.report) options.report(before + iteration, value);
        };
        run.report = options.method == LatentMethod::lbfgs
                         ? optimize::minimize_lbfgs(f, run.unknowns, limits)
                         : optimize::minimize_scaled_conjugate_gradients(f, run.unknowns, limits);
        scale.leave(run.unknowns);
        before += run.report.iterations();
        ends.push_back(run.report.values.back());
        if (number == 0 || ends.back() < best.report.values.back()) best = std::move(run);
    }
    return {LatentSpace(objective.points(best.unknowns), values, objective.kernel(best.unknowns),
                        objective.inducing(best.unknowns), options.threads),
            std::move(best.report.values), std::move(best.seconds), best.report.converged, std::move(ends)};
}

}  // namespace rigcast::synthesis
