#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/active_set_cholesky.h"
#include "rigwright/optimize/products/hessian.h"

namespace rigwright::optimize {

/// The second-order model of one frame's objective at a point: its free variables (off their bounds and the kinks of
/// tents, or with descent away from them), the piece that each may move on, gradient and Hessian.
class QuadraticModel {
public:
    enum class Scope {
        free,  // those off their bounds and the kinks of tents, or with descent away from them
        all    // these and all others whose box leaves room, but those at rest on the kink of a tent
    };
    /// Reads a frame's point and which variables the model is over. Returns its optimality (see GramPoint::optimality).
    double look(const GramPoint& frame, Scope scope = Scope::free);
    /// Forms the Hessian over the free variables (see Hessian::form).
    void form(const GramPoint& frame, bool curvature) { hessian_.form(frame, free_, curvature); }

    /// Writes the column of the Hessian that belongs to a free variable, at other free variables; its diagonal entry.
    /// Of the curvature only that of products of two weights is in it.
    double column(const GramPoint& frame, std::int32_t variable, const std::vector<std::int32_t>& at, double* result);

    std::int64_t size() const { return free_.size(); }
    const FreeVariables& free_variables() const { return free_; }
    const std::vector<std::int32_t>& free() const { return free_.variables; }
    /// A variable's place in free(), or -1.
    std::int32_t position(std::int32_t variable) const { return free_.position[variable]; }
    const std::vector<double>& gradient() const { return gradient_; }
    /// The free variables' values, and the ends of their pieces.
    const std::vector<double>& at() const { return at_; }
    const std::vector<double>& low() const { return low_; }
    const std::vector<double>& high() const { return high_; }
    const Hessian<double>& hessian() const { return hessian_; }

private:
    FreeVariables free_;
    std::vector<double> slopes_, gradient_, at_, low_, high_;
    Hessian<double> hessian_;
    LineVector<double> image_;  // of a variable's slopes, and what it is the sum of
    std::vector<double> entry_value_;
    std::vector<const double*> entry_row_;
};

/// Newton steps over the free variables of one frame, kept inside their pieces: variables that would leave are put on
/// the end of their piece and the others solved for again; then a line search, so that the objective always falls. A
/// factor is used again (a chord step) where it is likely to do: for the first step of a frame that starts from its
/// neighbor's solution, whose factor is at hand, and where the last step brought the optimality down ten times or
/// variables have been freed since. Variables that are no longer free leave the factor first, new ones enter it. One a
/// thread.
class NewtonStep {
public:
    /// A new frame; `cold` where its start is far from the last frame's solution.
    void begin(bool cold);
    /// Looks at a frame's point; see QuadraticModel::look.
    double look(const GramPoint& frame);
    /// One step from the point looked at. False, with the frame unmoved, where none lowers the objective.
    bool take(GramPoint& frame);
    /// Whether a Hessian of this frame was singular or, by a variable's angle to the others, nearly so.
    bool was_singular() const { return was_singular_; }

private:
    bool direction();
    bool factor(const std::vector<std::int32_t>& active);
    void solve();
    bool search(GramPoint& frame, double shortest);
    bool may_repeat() const;
    bool follow_set(const GramPoint& frame);
    bool repeat(GramPoint& frame);
    bool stop_at_end(std::int32_t i);
    double slope() const;

    QuadraticModel model_;
    linalg::ActiveSetCholesky factor_;
    std::vector<double> step_, pull_, rhs_, trial_;
    std::vector<std::int32_t> active_;
    std::vector<char> held_, entered_;
    double optimality_ = 0.0, optimality_before_ = 0.0;
    bool is_first_ = false, was_singular_ = false;
};

}  // namespace rigwright::optimize
