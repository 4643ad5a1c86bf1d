#pragma once
#include <vector>

#include "rigcast/optimize/box/box_quadratic.h"
#include "rigcast/optimize/products/quadratic_model.h"

namespace rigcast::optimize {

/// Newton steps for frames that NewtonStep does not finish: those of rigs with nearly dependent shapes, where the
/// objective hardly bends along some directions and a step over the free variables alone points far out of the box.
/// Method: the quadratic model is minimized over all variables and exactly in the box (BoxQuadratic), damped as in
/// Levenberg (1944) and Marquardt (1963): 10 times more after a step that does not lower the objective, 10 times less
/// after one that does. If the objective falls by less than half of what the model predicts, the model is minimized
/// again from the new point, with its gradient and the old Hessian, up to three times: products of weights bend the
/// valleys of nearly dependent shapes, and this leads back into them.
/// Guarantee: the objective never rises beyond its rounding. A step that changes it by less must lower the optimality.
/// Cost: one Hessian over all variables, and one solve per variable that becomes fixed at a bound or is released.
/// Not thread-safe: use one per thread.
class BoxNewton {
public:
    /// Begins a new frame, undamped.
    void start_frame() { damping_ = 0.0; }
    /// One step from the frame's point. Computes the point's residual from scratch first, since rounding adds up in it
    /// over many steps. Descents below a tenth of `threshold` are left in the model. Returns false, with the point
    /// unmoved, if no step helps.
    bool step(GramPoint& point, double threshold);

private:
    bool try_step(GramPoint& point, double optimality);
    double move(GramPoint& point);
    void minimize_from_trial(const GramPoint& point);

    QuadraticModel model_;
    BoxQuadratic quadratic_;
    std::vector<double> low_;  // bounds of the step, by free variables
    std::vector<double> high_;
    std::vector<double> gradient_;
    std::vector<double> start_;  // (K)
    std::vector<double> trial_;  // (K)
    double damping_ = 0.0;
};

}  // namespace rigcast::optimize
