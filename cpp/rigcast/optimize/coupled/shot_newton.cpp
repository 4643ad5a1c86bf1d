#include "rigcast/optimize/coupled/shot_newton.h"

#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {
namespace {

// Steps below were counted on a constructed rig (60 shapes, 60 pairs; 200 frames) with a smoothness of 1e4 and 1e6.

/// Share of the variables that `find_step` may leave clamped. Trades solves per step for steps, and is not tuned for
/// stiff shots: 0.01 takes 23 and 85 steps instead of 28 and 130, 0.2 takes 21 and 130.
constexpr double clamped_share = 0.05;
/// Solves of one step: each fixes the variables that left their pieces in the one before. Not sensitive: 2 and 16 take
/// as many steps within 1 %.
constexpr int max_solves = 8;
/// Frames whose Hessians are assembled at once: enough for all threads, few enough to stay in the cache until the
/// factorization reads them. Not sensitive on one thread: 8 and 128 take the same time.
constexpr std::int64_t frames_per_batch = 32;
constexpr std::int64_t frames_per_task = 4;

/// Clamps a step to the pieces of its variables. Returns how many entries that fixed.
std::int64_t clamp_to_pieces(const ShotPoint& point, ShotStep& step) {
    std::int64_t count = 0;
    for (std::size_t t = 0; t < point.models.size(); ++t) {
        const QuadraticModel& model = point.models[t];
        for (std::int64_t i = 0; i < model.size(); ++i) {
            const std::int64_t entry = step.begin[t] + i;
            const double inside = step_within(step.change[entry], model.x()[i], model.low()[i], model.high()[i]);
            if (inside == step.change[entry] || step.is_fixed[entry]) continue;
            step.change[entry] = inside;
            step.is_fixed[entry] = true;
            ++count;
        }
    }
    return count;
}

double slope_along(const ShotPoint& point, const ShotStep& step) {
    double slope = 0.0;
    for (std::size_t t = 0; t < point.models.size(); ++t) {
        const std::vector<double>& gradient = point.models[t].gradient();
        for (std::size_t i = 0; i < gradient.size(); ++i) slope += step.change[step.begin[t] + i] * gradient[i];
    }
    return slope;
}

}  // namespace

template <class Real>
bool ShotNewton<Real>::find_step(const ShotPoint& point, bool curvature, ShotStep& step) {
    step.begin.assign(1, 0);
    for (const QuadraticModel& model : point.models) step.begin.push_back(step.begin.back() + model.size());
    step.change.assign(step.size(), 0.0);
    step.is_fixed.assign(step.size(), 0);
    return solve_on_pieces(point, curvature, clamped_share, step);
}

template <class Real>
bool ShotNewton<Real>::complete_step(const ShotPoint& point, bool curvature, ShotStep& step) {
    return solve_on_pieces(point, curvature, 0.0, step);
}

/// Repeats solve and clamp until a round clamps at most the tolerated share of the variables, or more than the round
/// before: it might not terminate.
template <class Real>
bool ShotNewton<Real>::solve_on_pieces(const ShotPoint& point, bool curvature, double tolerated_share, ShotStep& step) {
    const double tolerated = tolerated_share * static_cast<double>(step.size());
    std::int64_t before = step.size();
    for (int i = 0; i < max_solves; ++i) {
        if (!solve(point, curvature, step)) return false;
        const std::int64_t count = clamp_to_pieces(point, step);
        step.is_clamped = count > 0;
        if (static_cast<double>(count) <= tolerated || count > before) break;
        before = count;
    }
    step.slope = slope_along(point, step);
    return step.slope < 0.0;
}

/// Solves for the entries that are not fixed, given those that are.
template <class Real>
bool ShotNewton<Real>::solve(const ShotPoint& point, bool curvature, ShotStep& step) {
    number_rows(point, step);
    solution_.assign(matrix_.size(), Real{0});
    for (std::int64_t t = 0; t < point.num_frames(); ++t) {
        if (t % frames_per_batch == 0) assemble_hessians(point, curvature, t);
        matrix_.clear_block(t);
        assemble_rows(point, step, t, hessians_[t % frames_per_batch]);
        if (!matrix_.factorize_block(t, solution_.data())) return false;
    }
    matrix_.solve_back(solution_.data());
    for (std::int64_t i = 0; i < step.size(); ++i) {
        if (row_of_[i] >= 0) step.change[i] = solution_[row_of_[i]];
    }
    return true;
}

/// Fills num_rows_, row_of_ and entry_of_ and sizes the matrix.
template <class Real>
void ShotNewton<Real>::number_rows(const ShotPoint& point, const ShotStep& step) {
    const std::int64_t frames = point.num_frames();
    const std::int64_t num_variables = shot_.lower.extent(1);
    num_rows_.assign(frames, 0);
    entry_of_.assign(frames * num_variables, -1);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t i = step.begin[t]; i < step.begin[t + 1]; ++i) {
            entry_of_[t * num_variables + point.models[t].variables()[i - step.begin[t]]] = i;
            num_rows_[t] += step.is_fixed[i] ? 0 : 1;
        }
    }
    matrix_.reset(num_rows_);
    row_of_.assign(step.size(), -1);
    for (std::int64_t t = 0; t < frames; ++t) {
        std::int64_t next = matrix_.begin(t);
        for (std::int64_t i = step.begin[t]; i < step.begin[t + 1]; ++i) {
            if (!step.is_fixed[i]) row_of_[i] = next++;
        }
    }
}

/// Assembles the Hessians of a batch of frames, from `first_frame` on.
template <class Real>
void ShotNewton<Real>::assemble_hessians(const ShotPoint& point, bool curvature, std::int64_t first_frame) {
    const std::int64_t count = std::min(frames_per_batch, point.num_frames() - first_frame);
    hessians_.resize(frames_per_batch);
    parallel_for(count, frames_per_task, threads_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t t = first_frame + i;
            hessians_[i].assemble(point.points[t], point.models[t].free_variables(), curvature);
        }
    });
}

/// Writes one frame's rows of the matrix (upper triangle) and of the right side.
template <class Real>
void ShotNewton<Real>::assemble_rows(const ShotPoint& point, const ShotStep& step, std::int64_t t,
                                     const Hessian<Real>& hessian) {
    constexpr Real ridge = sizeof(Real) == 4 ? 1e-6 : 1e-13;  // share of each diagonal entry: just beyond rounding
    const QuadraticModel& model = point.models[t];
    const bool has_fixed = num_rows_[t] != model.size();
    for (std::int64_t i = 0; i < model.size(); ++i) {
        const std::int64_t index = row_of_[step.begin[t] + i];
        if (index < 0) continue;
        const Row row{index, matrix_.begin(t), matrix_.row(t, index)};
        Real& diagonal = row.entries[index - row.first_column];
        diagonal = Real{0};
        solution_[index] -= static_cast<Real>(model.gradient()[i]);
        const Real* entries = hessian.entries().data() + i * hessian.stride();
        if (has_fixed) {
            for (std::int64_t j = 0; j < model.size(); ++j) add_entry(step, row, step.begin[t] + j, entries[j]);
        } else {
            std::copy(entries + i, entries + model.size(), &diagonal);
        }
        add_temporal_term(step, t, model.variables()[i], row);
        diagonal *= 1 + ridge;
    }
}

/// Adds the entries of the temporal term that couple a variable of frame t to itself in other frames.
template <class Real>
void ShotNewton<Real>::add_temporal_term(const ShotStep& step, std::int64_t t, std::int64_t variable, const Row& row) {
    const std::int64_t frames = shot_.lower.extent(0);
    const std::int64_t num_variables = shot_.lower.extent(1);
    const double scale = 2.0 * shot_.bending(variable);
    for (int distance = 1; distance <= 2; ++distance) {
        const std::int64_t before = t >= distance ? entry_of_[(t - distance) * num_variables + variable] : -1;
        const std::int64_t after = t + distance < frames ? entry_of_[(t + distance) * num_variables + variable] : -1;
        if (before >= 0) add_entry(step, row, before, scale * bending_(t - distance, distance));
        if (after >= 0) add_entry(step, row, after, scale * bending_(t, distance));
    }
}

/// Adds the Hessian's entry of a row and another entry of the step: to the matrix if it is in the upper triangle, to
/// the right side if the other one is fixed.
template <class Real>
void ShotNewton<Real>::add_entry(const ShotStep& step, const Row& row, std::int64_t other, double value) {
    const std::int64_t column = row_of_[other];
    if (column < 0) {
        solution_[row.index] -= static_cast<Real>(value * step.change[other]);
    } else if (column >= row.index) {
        row.entries[column - row.first_column] += static_cast<Real>(value);
    }
}

template class ShotNewton<float>;
template class ShotNewton<double>;

}  // namespace rigcast::optimize
