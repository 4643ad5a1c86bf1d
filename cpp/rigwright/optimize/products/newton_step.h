#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/active_set_cholesky.h"
#include "rigwright/optimize/products/quadratic_model.h"

namespace rigwright::optimize {

/// Newton steps over the free variables of one frame.
/// Method: minimizes the quadratic model over all free variables. Those that would leave their piece are fixed at its
/// end, and the others are solved for again, until none leaves. A line search follows. If H with the curvature of the
/// products gives no step, the Gauss-Newton matrix is tried. If H is singular, it gets a ridge (see step_rules.h).
/// Chord steps: a step uses the last factorization again if the start is warm or if the last step reduced the
/// optimality tenfold. Variables that are no longer free are removed from the factorization, new ones appended.
/// Guarantee: every step lowers the objective. Not thread-safe: use one per thread.
class NewtonStep {
public:
    /// Begins a new frame. After a warm start, near the last frame's solution, the factorization is kept.
    void start_frame(bool is_warm);
    /// Builds the model at the frame's point. Returns the point's optimality.
    double linearize(const GramPoint& point);
    /// One step from the point that was linearized last. Returns false, with the point unmoved, if none lowers the
    /// objective.
    bool step(GramPoint& point);
    /// Returns true if a Hessian of this frame was singular or nearly so: two shapes move the vertices almost alike.
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
    // by free variables
    std::vector<double> step_;
    std::vector<char> is_fixed_;        // the step ends at an end of the piece
    std::vector<double> right_side_;    // -g - H d for the steps d of the fixed variables
    std::vector<std::int32_t> active_;  // those not fixed
    // working memory
    std::vector<double> solution_;
    std::vector<double> trial_;
    std::vector<char> is_factored_;
};

}  // namespace rigwright::optimize
