#pragma once
#include <cstdint>
#include <vector>

#include "inverse/frame.h"

namespace rigwright::inverse {

/// The second-order model of one frame's objective at a point: its free variables (off their bounds and the kinks of
/// tents, or with descent away from them), the piece that each may move on, gradient and Hessian
///   H = 2 J^T G J + 2 sum_n r_n d^2 phi_n,   J = d phi / d x.
class QuadraticModel {
public:
    /// Reads a frame's point. Returns its optimality (see Frame::optimality).
    double look(const Frame& frame);
    /// Forms the Hessian over the free variables; with `curvature` its second part, too.
    void form(const Frame& frame, bool curvature);

    std::int64_t size() const { return static_cast<std::int64_t>(free_.size()); }
    const std::vector<std::int32_t>& free() const { return free_; }
    const std::vector<double>& gradient() const { return gradient_; }
    /// The free variables' values, and the ends of their pieces.
    const std::vector<double>& at() const { return at_; }
    const std::vector<double>& low() const { return low_; }
    const std::vector<double>& high() const { return high_; }
    /// Row-major, symmetric, size() wide; both triangles.
    std::vector<double>& hessian() { return hessian_; }

private:
    void add_curvature(const Frame& frame);

    std::vector<std::int32_t> free_, position_;  // position_[variable]: its place in free_, or -1
    std::vector<int> side_;
    std::vector<double> gradient_, at_, low_, high_, hessian_, image_;
    std::vector<std::int32_t> entry_column_;  // J by free variables: entries of variable i from entry_begin_[i] on
    std::vector<double> entry_value_;
    std::vector<std::int64_t> entry_begin_;
};

/// Newton steps over the free variables of one frame, kept inside their pieces: variables that would leave are put on
/// the end of their piece and the others solved for again; then a line search, so that the objective always falls. One
/// a thread.
class NewtonStep {
public:
    /// Looks at a frame's point; see QuadraticModel::look.
    double look(const Frame& frame) { return model_.look(frame); }
    /// One step from the point looked at. False, with the frame unmoved, where none lowers the objective.
    bool take(Frame& frame);

private:
    bool direction();
    bool solve_over(const std::vector<std::int32_t>& active);
    bool search(Frame& frame);

    QuadraticModel model_;
    std::vector<double> step_, factor_, rhs_, trial_;
    std::vector<std::int32_t> active_, still_;
    std::vector<char> held_;
};

}  // namespace rigwright::inverse
