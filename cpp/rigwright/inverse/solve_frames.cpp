#include "rigwright/inverse/solve_frames.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigwright/core/parallel.h"
#include "rigwright/inverse/multistart.h"
#include "rigwright/linalg/dense_cholesky.h"
#include "rigwright/optimize/products/frame_solver.h"

namespace rigwright::inverse {
namespace {

// frames between restarts: the first ones, twice as many after each that found nothing better, up to the last ones
constexpr std::int64_t shortest_period = 32, longest_period = 128;
constexpr double jump = 0.3;      // a frame this much of itself away from the one before starts anew
constexpr double far_step = 0.1;  // of a weight's range: where combinations alone move something, it starts anew, too

/// The linear part of a rig, solved with a small ridge and clipped: a start.
class LinearStart {
public:
    LinearStart(const optimize::ProductModel& products, const linalg::GramMatrix& gram)
        : products_(products),
          count_(products.num_variables()),
          stride_(linalg::padded_width(count_)),
          factor_(count_ * stride_, 0.0),
          inverse_diagonal_(count_) {
        double trace = 0.0;
        for_plain([&](std::int64_t n, std::int32_t i) {
            for_plain([&](std::int64_t m, std::int32_t j) { factor_[i * stride_ + j] += gram(n, m); });
            trace += gram(n, n);
        });
        const double ridge = 1e-4 * trace / static_cast<double>(std::max<std::int64_t>(count_, 1));
        for (std::int64_t k = 0; k < count_; ++k) factor_[k * stride_ + k] += ridge > 0.0 ? ridge : 1.0;
        works_ = linalg::dense_cholesky().factorize(factor_.data(), count_, stride_, 0.0, inverse_diagonal_.data());
    }

    bool operator()(const optimize::Terms& terms, std::vector<double>& x) const {
        x.assign(stride_, 0.0);
        for_plain([&](std::int64_t n, std::int32_t k) { x[k] += terms.projection[n]; });
        for (std::int64_t k = 0; k < count_; ++k) x[k] -= 0.5 * terms.linear[k];
        if (works_) linalg::dense_cholesky().solve(factor_.data(), count_, stride_, inverse_diagonal_.data(), x.data());
        for (std::int64_t k = 0; k < count_; ++k) x[k] = std::clamp(x[k], terms.lower[k], terms.upper[k]);
        return works_;
    }

private:
    template <class F>
    void for_plain(F&& visit) const {
        for (std::int64_t n = 0; n < products_.num_columns(); ++n) {
            const auto drivers = products_.drivers(n);
            if (drivers.size() == 1 && !drivers[0].is_tent) visit(n, drivers[0].variable);
        }
    }

    const optimize::ProductModel& products_;
    std::int64_t count_, stride_;
    std::vector<double> factor_, inverse_diagonal_;
    bool works_ = false;
};

/// Whether x is near to a knot inside the box, and then where it is on the knot's other side.
bool across_knot(double knot, double lower, double upper, double x, double& across) {
    const double reach = at_knot * (upper - lower);
    across = x == knot ? knot - reach : 2.0 * knot - x;
    return knot > lower && knot < upper && std::abs(x - knot) <= reach;
}

/// Frames begin ... end - 1, one after another.
class Run {
public:
    Run(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const LinearStart& linear_start,
        const Multistart& multistart, const optimize::Shot& shot, const optimize::ShotOptions& options,
        const optimize::ShotResult& result)
        : products_(products),
          solver_(products, gram),
          linear_start_(linear_start),
          multistart_(multistart),
          shot_(shot),
          options_(options),
          result_(result),
          count_(products.num_variables()),
          causal_(std::any_of(shot.bending.begin(), shot.bending.end(), [](double s) { return s > 0.0; })) {}

    void solve(std::int64_t begin, std::int64_t end) {
        objective_.resize(end - begin);
        std::int64_t period = shortest_period, next = begin;
        for (std::int64_t t = begin; t < end; ++t) {
            const bool cold = t == begin || jumps(t) || !has_solution(t - 1);
            if (cold) given_.assign(result_.weights.row(t), result_.weights.row(t) + count_);
            const double* start = result_.weights.row(cold ? t : t - 1);
            solve_from(t, begin, start, cold ? optimize::Start::far : optimize::Start::nearby, true);
            const bool far = multistart_.count() > 0 && !cold && moves_far(t);
            const bool restart = !products_.is_linear() && (cold || far || t == next);
            bool won = products_.has_knots() && cross_knots(t, begin);
            if (!restart) {
                if (won && !causal_) go_back(t, begin);
                continue;
            }
            const optimize::Terms terms = terms_of(t);
            start_.assign(count_, 0.0);
            for (std::int64_t k = 0; k < count_; ++k) start_[k] = std::clamp(0.0, terms.lower[k], terms.upper[k]);
            if (!cold || start_ != given_)
                won = solve_from(t, begin, start_.data(), optimize::Start::far, false) || won;
            if (linear_start_(terms, start_))
                won = solve_from(t, begin, start_.data(), optimize::Start::far, false) || won;
            won = search_box(t, begin) || won;
            if (won && !causal_) go_back(t, begin);
            period = won || t == begin ? shortest_period : std::min(2 * period, longest_period);
            next = t + period;
        }
    }

private:
    /// Whether a frame's targets are far from those of the frame before.
    bool jumps(std::int64_t t) const {
        const double *now = shot_.projections.row(t), *before = shot_.projections.row(t - 1);
        double change = 0.0, size = 0.0;
        for (std::int64_t n = 0; n < products_.num_columns(); ++n) {
            change += (now[n] - before[n]) * (now[n] - before[n]);
            size += now[n] * now[n];
        }
        return change > jump * jump * size;
    }

    /// Whether a frame ended with numbers: a start that is NaN, or terms that overflow, leave none.
    bool has_solution(std::int64_t t) const {
        const double* x = result_.weights.row(t);
        return std::all_of(x, x + count_, [](double value) { return std::isfinite(value); });
    }

    /// Whether a weight of a frame's solution is far from that of the frame before.
    bool moves_far(std::int64_t t) const {
        const double *now = result_.weights.row(t), *before = result_.weights.row(t - 1);
        for (std::int64_t k = 0; k < count_; ++k) {
            if (std::abs(now[k] - before[k]) > far_step * (shot_.upper(t, k) - shot_.lower(t, k))) return true;
        }
        return false;
    }

    optimize::Terms terms_of(std::int64_t t) {
        optimize::Terms terms = shot_.terms(t);
        if (!causal_ || t < 2) return terms;
        linear_.assign(terms.linear, terms.linear + count_);
        quadratic_.assign(terms.quadratic, terms.quadratic + count_);
        for (std::int64_t k = 0; k < count_; ++k) {
            const double ahead = 2.0 * result_.weights(t - 1, k) - result_.weights(t - 2, k);
            linear_[k] -= 2.0 * shot_.bending(k) * ahead;
            quadratic_[k] += shot_.bending(k);
        }
        terms.linear = linear_.data();
        terms.quadratic = quadratic_.data();
        return terms;
    }

    /// Solves frame t from a start; keeps the result if it is the first or better than what the frame has.
    bool solve_from(std::int64_t t, std::int64_t begin, const double* start, optimize::Start kind, bool first) {
        const optimize::Terms terms = terms_of(t);
        point_.resize(count_);
        for (std::int64_t k = 0; k < count_; ++k) point_[k] = std::clamp(start[k], terms.lower[k], terms.upper[k]);
        const optimize::FrameReport report =
            solver_.solve(terms, point_.data(), kind, options_.thresholds(t), options_.max_iterations,
                          first ? nullptr : result_.weights.row(t), point_.data());
        double& best = objective_[t - begin];
        result_.iterations(t) = report.iterations + (first ? 0 : result_.iterations(t));
        const bool lower = report.objective < best - 1e-10 * std::abs(best);
        const bool first_number = std::isnan(best) && !std::isnan(report.objective);
        const bool settles =
            !first && report.converged && !result_.converged(t) && report.objective <= best + 1e-10 * std::abs(best);
        const bool better = first || lower || first_number || settles;
        found_again_ = report.is_known || std::abs(report.objective - best) <= 1e-10 * std::abs(best);
        if (!better) return false;
        best = report.objective;
        result_.converged(t) = report.converged;
        std::copy(point_.begin(), point_.end(), result_.weights.row(t));
        return true;
    }

    /// Starts again with one weight at a time mirrored at a knot that it is near to: at a knot the objective may have a
    /// minimum on either side, and which one a solve finds depends on where it comes from.
    bool cross_knots(std::int64_t t, std::int64_t begin) {
        bool won = false;
        const optimize::Terms terms = terms_of(t);
        for (std::int64_t k = 0; k < count_; ++k) {
            for (const double knot : products_.knots(k)) {
                const double* best = result_.weights.row(t);
                double across = 0.0;
                if (!across_knot(knot, terms.lower[k], terms.upper[k], best[k], across)) continue;
                start_.assign(best, best + count_);
                start_[k] = across;
                won = solve_from(t, begin, start_.data(), optimize::Start::across, false) || won;
            }
        }
        return won;
    }

    /// Starts from all over the box until enough starts have ended at the best.
    bool search_box(std::int64_t t, std::int64_t begin) {
        bool won = false;
        int agreed = 0;
        for (std::int64_t i = 0; i < multistart_.count() && agreed < Multistart::enough; ++i) {
            const optimize::Terms terms = terms_of(t);
            const double* place = multistart_.place(i);
            start_.assign(result_.weights.row(t), result_.weights.row(t) + count_);
            for (std::int64_t k = 0; k < count_; ++k) {
                const double lower = terms.lower[k], upper = terms.upper[k];
                if (place[k] >= 0.0) start_[k] = lower + place[k] * (upper - lower);
            }
            const bool better = solve_from(t, begin, start_.data(), optimize::Start::far, false);
            agreed = better ? 1 : agreed + found_again_;
            won = won || better;
        }
        if (won) cross_knots(t, begin);
        return won;
    }

    void go_back(std::int64_t t, std::int64_t begin) {
        while (t-- > begin && solve_from(t, begin, result_.weights.row(t + 1), optimize::Start::nearby, false)) {
        }
    }

    const optimize::ProductModel& products_;
    optimize::FrameSolver solver_;
    const LinearStart& linear_start_;
    const Multistart& multistart_;
    const optimize::Shot& shot_;
    const optimize::ShotOptions& options_;
    const optimize::ShotResult& result_;
    std::int64_t count_;
    bool causal_;
    bool found_again_ = false;  // by the last solve: what was known
    std::vector<double> objective_, start_, given_, point_, linear_, quadratic_;
};

}  // namespace

void solve_frames(const optimize::ProductModel& products, const linalg::GramMatrix& gram, const optimize::Shot& shot,
                  const optimize::ShotOptions& options, const optimize::ShotResult& result) {
    const LinearStart linear_start(products, gram);
    const Multistart multistart(products, gram.padded());
    const std::int64_t frames = shot.projections.extent(0);
    const bool causal = std::any_of(shot.bending.begin(), shot.bending.end(), [](double s) { return s > 0.0; });
    parallel_for(frames, causal ? frames : frames_per_run, options.threads, [&](std::int64_t begin, std::int64_t end) {
        Run(products, gram, linear_start, multistart, shot, options, result).solve(begin, end);
    });
}

}  // namespace rigwright::inverse
