#pragma once
#include <vector>

#include "rigwright/optimize/products/box_quadratic.h"
#include "rigwright/optimize/products/newton.h"

namespace rigwright::optimize {

/// Newton steps for frames that NewtonStep does not finish: those of rigs with nearly dependent shapes, where the
/// objective hardly bends along some directions and a step over the free variables alone points far out of the box.
/// Method: the quadratic model is minimized over all variables and exactly in the box (BoxQuadratic), damped as in
/// Levenberg (1944) and Marquardt (1963): 10 times more after a step that does not lower the objective, 10 times less
/// after one that does. If the objective falls by less than half of what the model predicts, the model is minimized
/// again from the new point, with its gradient and the old Hessian, up to three times: products of weights bend the
/// valleys of nearly dependent shapes, and this leads back into them.
/// Guarantee: the objective never rises beyond its rounding; where a step changes less, it must lower the optimality.
/// Cost: a Hessian over all variables, and one solve per variable that meets or leaves a bound. One per thread.
class BoxNewton {
public:
    /// Starts a new frame, undamped.
    void begin() { damping_ = 0.0; }
    /// One step from the frame's point, whose activations are computed from scratch first. Descents of at most
    /// `threshold` are left. Returns false, with the frame unmoved, if no step helps.
    bool take(GramPoint& frame, double threshold);

private:
    bool improves(GramPoint& frame, double optimality);
    void correct(const GramPoint& frame);

    QuadraticModel model_;
    BoxQuadratic quadratic_;
    std::vector<double> low_, high_, start_, trial_, gradient_;
    double damping_ = 0.0;
};

}  // namespace rigwright::optimize
