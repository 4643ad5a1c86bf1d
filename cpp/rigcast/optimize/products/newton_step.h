#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/linalg/active_set_cholesky.h"
#include "rigcast/optimize/products/quadratic_model.h"

namespace rigcast::optimize {

/// Newton steps over the free variables of one frame. Each may move on one piece of its range, between two neighboring
/// knots or bounds (see QuadraticModel).
/// Method: minimizes the quadratic model, with the Hessian H, over the free variables. A variable that would leave its
/// piece is fixed at the end of the piece, and the others are solved for again, until none leaves. A line search
/// follows. If no step with H lowers the objective, the Gauss-Newton matrix replaces H: it lacks the curvature of the
/// products. A singular H gets a ridge (see step_rules.h).
/// Chord steps: the last factorization is used again in the first step after a warm start, and in a step whose
/// predecessor reduced the optimality tenfold. Variables that are no longer free are removed from the factorization and
/// new ones appended, except in the first step of a frame, where new ones stay unmoved. A chord step is taken at full
/// length or not at all; if it is not, or if too many variables change, an ordinary step follows.
/// Guarantee: every step lowers the objective. Not thread-safe: use one per thread.
class NewtonStep {
public:
    /// Begins a new frame. If `is_warm`, its start is near the last frame's solution, and the factorization is kept.
    void start_frame(bool is_warm);
    /// Builds the model at the frame's point. Returns the point's optimality.
    double linearize(const GramPoint& point);
    /// Takes one step from the point that was linearized last. Returns false, with the point unmoved, if no step lowers
    /// the objective.
    bool step(GramPoint& point);
    /// Returns true if a Hessian of this frame was singular or nearly so. Its shapes are then nearly linearly
    /// dependent: two of them, for example, move the vertices almost alike.
    bool was_singular() const { return was_singular_; }

private:
    bool find_step();
    bool factorize();
    void solve_active();
    std::int64_t fix_leaving();
    void remove_fixed(std::int64_t num_fixed);
    bool fix_if_leaving(std::int32_t i);
    bool can_repeat() const;
    bool update_factorization(const GramPoint& point);
    bool chord_step(GramPoint& point);
    bool line_search(GramPoint& point, double shortest);
    double slope() const;

    QuadraticModel model_;
    linalg::ActiveSetCholesky cholesky_;  // of H over some of the free variables
    double optimality_ = 0.0;
    double previous_optimality_ = 0.0;  // before the last step
    bool is_first_step_ = false;        // of the frame
    bool was_singular_ = false;
    // per free variable
    std::vector<double> step_;
    std::vector<char> is_fixed_;        // its step ends at an end of its piece
    std::vector<double> right_side_;    // -g - H d for the steps d of the fixed variables
    std::vector<std::int32_t> active_;  // the free variables that are not fixed
    // working memory
    std::vector<double> solution_;
    std::vector<double> trial_;
    std::vector<char> is_factored_;
};

}  // namespace rigcast::optimize
