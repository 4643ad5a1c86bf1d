#include "inverse/joint.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "inverse/band_cholesky.h"
#include "inverse/bending.h"
#include "inverse/frame.h"
#include "inverse/newton.h"

namespace rigwright::inverse {
namespace {

class JointSolver {
public:
    JointSolver(const Structure& structure, const GramMatrix& gram, const Shot& shot, const ShotOptions& options,
                const ShotResult& result)
        : structure_(structure),
          shot_(shot),
          options_(options),
          result_(result),
          frames_(shot.projections.extent(0)),
          width_(structure.num_variables()),
          point_(frames_, Frame(structure, gram)),
          model_(frames_),
          linear_(frames_ * width_),
          quadratic_(frames_ * width_),
          trial_(frames_ * width_),
          optimality_(frames_),
          bend_(frames_) {
        parallel_for(frames_, 16, options.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                point_[t].load(shot_.terms(t));
                point_[t].set(result.weights.row(t));
            }
        });
    }

    JointReport solve() {
        JointReport report;
        bool polished = !structure_.has_knots();
        for (; report.iterations < options_.max_iterations; ++report.iterations) {
            const double ratio = look();
            if (options_.report) options_.report(report.iterations, ratio);
            if (ratio <= 1.0) {
                if (polished || !sweep()) break;
                polished = true;
            } else if (!newton() && !sweep()) {
                break;
            }
            settle();
        }
        look();
        for (std::int64_t t = 0; t < frames_; ++t) {
            std::copy_n(point_[t].x(), width_, result_.weights.row(t));
            result_.iterations(t) += report.iterations;
            result_.converged(t) = optimality_[t] <= options_.thresholds(t);
        }
        return report;
    }

private:
    /// A frame's terms with the temporal term in them, all other frames being as they are.
    Terms coupled_terms(std::int64_t t) {
        double *linear = linear_.data() + t * width_, *quadratic = quadratic_.data() + t * width_;
        for (std::int64_t k = 0; k < width_; ++k) {
            double others = 0.0;
            for (int distance = 1; distance <= 2; ++distance) {
                if (t >= distance) others += bend_(t - distance, distance) * point_[t - distance].x()[k];
                if (t + distance < frames_) others += bend_(t, distance) * point_[t + distance].x()[k];
            }
            linear[k] = shot_.linear(t, k) + 2.0 * shot_.bending(k) * others;
            quadratic[k] = shot_.quadratic(t, k) + shot_.bending(k) * bend_(t, 0);
        }
        return {shot_.projections.row(t), linear, quadratic, shot_.lower.row(t), shot_.upper.row(t)};
    }

    /// The largest ratio of optimality to threshold.
    double look() {
        parallel_for(frames_, 16, options_.threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                point_[t].load(coupled_terms(t));
                optimality_[t] = model_[t].look(point_[t]);
            }
        });
        double ratio = 0.0;
        for (std::int64_t t = 0; t < frames_; ++t) {
            if (optimality_[t] > 0.0) ratio = std::max(ratio, optimality_[t] / options_.thresholds(t));
        }
        return ratio;
    }

    /// Newton steps in frames that are not solved, one after another, all others being as they are: where a few
    /// variables leave or meet their bounds this finds them for far less than another step over the whole shot.
    void settle() {
        constexpr int steps = 2;
        for (std::int64_t t = 0; t < frames_; ++t) {
            point_[t].load(coupled_terms(t));
            local_.begin(true);
            for (int i = 0; i < steps && local_.look(point_[t]) > options_.thresholds(t); ++i) {
                if (!local_.take(point_[t])) break;
            }
        }
    }

    /// Exact steps in single variables, frame by frame.
    bool sweep() {
        bool moved = false;
        for (std::int64_t t = 0; t < frames_; ++t) {
            point_[t].load(coupled_terms(t));
            for (std::int64_t k = 0; k < width_; ++k) moved = point_[t].minimise(k, false) || moved;
        }
        return moved;
    }

    bool newton() {
        for (const bool curvature : {true, false}) {
            parallel_for(frames_, 16, options_.threads, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t t = begin; t < end; ++t) model_[t].form(point_[t], curvature);
            });
            if (direction() && search()) return true;
            if (structure_.is_linear()) break;
        }
        return false;
    }

    /// step_ over the free variables of all frames, kept inside their pieces.
    bool direction() {
        constexpr int rounds = 8;
        constexpr double few = 0.05;  // of the steps: so many cut short are left to the next Newton step
        begin_.assign(1, 0);
        for (const QuadraticModel& model : model_) begin_.push_back(begin_.back() + model.size());
        step_.assign(begin_.back(), 0.0);
        held_.assign(begin_.back(), 0);
        for (int round = 0; round < rounds; ++round) {
            if (!solve_free()) return false;
            std::int64_t clamped = 0;
            for (std::int64_t t = 0; t < frames_; ++t) {
                const QuadraticModel& model = model_[t];
                for (std::int64_t i = 0; i < model.size(); ++i) {
                    double& step = step_[begin_[t] + i];
                    const double x = model.at()[i];
                    const double inside = std::clamp(step, model.low()[i] - x, model.high()[i] - x);
                    if (inside == step || held_[begin_[t] + i]) continue;
                    step = inside;
                    held_[begin_[t] + i] = true;
                    ++clamped;
                }
            }
            if (static_cast<double>(clamped) <= few * static_cast<double>(begin_.back())) break;
        }
        along_ = 0.0;
        for (std::int64_t t = 0; t < frames_; ++t) {
            for (std::int64_t i = 0; i < model_[t].size(); ++i) {
                along_ += step_[begin_[t] + i] * model_[t].gradient()[i];
            }
        }
        return along_ < 0.0;
    }

    /// Solves for the steps that are not held, given those that are.
    bool solve_free() {
        number();
        rhs_.assign(matrix_.size(), 0.0);
        if (!matrix_.solve(rhs_.data(), [&](std::int64_t t) { assemble(t); })) return false;
        for (std::int64_t i = 0; i < begin_.back(); ++i) {
            if (place_[i] >= 0) step_[i] = rhs_[place_[i]];
        }
        return true;
    }

    /// Rows of the matrix: place_[i] for step i, -1 where it is held; index_ is the step of a frame's variable, or -1.
    void number() {
        size_.assign(frames_, 0);
        index_.assign(frames_ * width_, -1);
        for (std::int64_t t = 0; t < frames_; ++t) {
            for (std::int64_t i = begin_[t]; i < begin_[t + 1]; ++i) {
                index_[t * width_ + model_[t].free()[i - begin_[t]]] = i;
                size_[t] += held_[i] ? 0 : 1;
            }
        }
        matrix_.reset(size_);
        place_.assign(begin_.back(), -1);
        for (std::int64_t t = 0; t < frames_; ++t) {
            std::int64_t next = matrix_.begin(t);
            for (std::int64_t i = begin_[t]; i < begin_[t + 1]; ++i) {
                if (!held_[i]) place_[i] = next++;
            }
        }
    }

    /// A frame's rows of the matrix, upper triangle, and of the right side.
    void assemble(std::int64_t t) {
        QuadraticModel& model = model_[t];
        const bool whole = size_[t] == model.size();  // nothing is held
        for (std::int64_t i = 0; i < model.size(); ++i) {
            const std::int64_t own = begin_[t] + i, at = place_[own];
            if (at < 0) continue;
            double* row = matrix_.row(t, at) - matrix_.begin(t);
            row[at] = 0.0;
            rhs_[at] -= model.gradient()[i];
            const auto couple = [&](std::int64_t other, double entry) {
                if (place_[other] < 0) {
                    rhs_[at] -= entry * step_[other];
                } else if (place_[other] >= at) {
                    row[place_[other]] += entry;
                }
            };
            const double* hessian = model.hessian().entries().data() + i * model.hessian().stride();
            if (whole) {
                std::copy(hessian + i, hessian + model.size(), row + at);
            } else {
                for (std::int64_t j = 0; j < model.size(); ++j) couple(begin_[t] + j, hessian[j]);
            }
            const std::int64_t k = model.free()[i];
            for (int distance = 1; distance <= 2; ++distance) {
                const double scale = 2.0 * shot_.bending(k);
                const std::int64_t before = t >= distance ? index_[(t - distance) * width_ + k] : -1;
                const std::int64_t after = t + distance < frames_ ? index_[(t + distance) * width_ + k] : -1;
                if (before >= 0) couple(before, scale * bend_(t - distance, distance));
                if (after >= 0) couple(after, scale * bend_(t, distance));
            }
            row[at] *= 1.0 + 1e-13;
        }
    }

    bool search() {
        for (double length = 1.0; length > 1e-3; length *= 0.5) {
            for (std::int64_t t = 0; t < frames_; ++t) {
                const QuadraticModel& model = model_[t];
                double* trial = trial_.data() + t * width_;
                std::copy_n(point_[t].x(), width_, trial);
                for (std::int64_t i = 0; i < model.size(); ++i) {
                    const double step = step_[begin_[t] + i], low = model.low()[i], high = model.high()[i];
                    const bool end = held_[begin_[t] + i] && length == 1.0 && step != 0.0;
                    trial[model.free()[i]] =
                        end ? (step < 0.0 ? low : high) : std::clamp(model.at()[i] + length * step, low, high);
                }
            }
            double change = bending_change();
            for (std::int64_t t = 0; t < frames_; ++t) {
                point_[t].load(shot_.terms(t));
                change += point_[t].move(trial_.data() + t * width_);
            }
            if (change <= 1e-4 * length * along_) return true;
            for (Frame& frame : point_) frame.undo();
        }
        for (std::int64_t t = 0; t < frames_; ++t) point_[t].load(coupled_terms(t));
        return false;
    }

    /// What the temporal term gains on the way from the point to trial_.
    double bending_change() const {
        double change = 0.0;
        for (std::int64_t t = 1; t + 1 < frames_; ++t) {
            const double *before = trial_.data() + (t - 1) * width_, *here = before + width_, *after = here + width_;
            for (std::int64_t k = 0; k < width_; ++k) {
                const double old = point_[t - 1].x()[k] - 2.0 * point_[t].x()[k] + point_[t + 1].x()[k];
                const double now = before[k] - 2.0 * here[k] + after[k];
                change += shot_.bending(k) * (now - old) * (now + old);
            }
        }
        return change;
    }

    const Structure& structure_;
    const Shot& shot_;
    const ShotOptions& options_;
    const ShotResult& result_;
    std::int64_t frames_, width_;
    std::vector<Frame> point_;
    std::vector<QuadraticModel> model_;
    std::vector<double> linear_, quadratic_;  // coupled terms
    std::vector<double> trial_, optimality_, step_;
    Bending bend_;
    std::vector<std::int64_t> begin_;  // of each frame in step_
    std::vector<char> held_;
    BandCholesky matrix_;
    NewtonStep local_;
    std::vector<std::int64_t> place_, size_, index_;  // see assemble
    std::vector<double> rhs_;
    double along_ = 0.0;
};

}  // namespace

JointReport solve_joint(const Structure& structure, const GramMatrix& gram, const Shot& shot,
                        const ShotOptions& options, const ShotResult& result) {
    return JointSolver(structure, gram, shot, options, result).solve();
}

}  // namespace rigwright::inverse
