#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/band_cholesky.h"
#include "rigwright/optimize/products/bending.h"
#include "rigwright/optimize/products/hessian.h"
#include "rigwright/optimize/products/newton.h"
#include "rigwright/optimize/products/shot.h"

namespace rigwright::optimize {

/// Where the frames of a shot are: their points, terms loaded with the temporal term in them, and what QuadraticModel
/// saw there.
struct ShotPoint {
    std::vector<GramPoint> frames;
    std::vector<QuadraticModel> models;
};

/// A step over the free variables of all frames, kept inside their pieces.
struct ShotStep {
    std::vector<std::int64_t> begin;  // of each frame in what follows; its free variables in their order
    std::vector<double> length;
    std::vector<char> held;  // at the end of its piece
    double slope = 0.0;      // of the objective along it
    bool is_cut = false;     // held variables were cut short without the others being solved for again
};

/// Newton steps over a whole shot: the Hessian is banded by frames (see BandCholesky). In single precision they take
/// half the time; they find the same solution, since gradient and objective are in double, unless the Hessian is so
/// ill-conditioned that its factor says little.
template <class Real>
class ShotNewton {
public:
    ShotNewton(const Shot& shot, const Bending& bend, int threads) : shot_(shot), bend_(bend), threads_(threads) {}

    /// False where the Hessian is not positive definite, or the step does not descend. With `curvature` the Hessian is
    /// whole (see Hessian::form). Where a few variables would leave their pieces they are only cut short.
    bool find(const ShotPoint& point, bool curvature, ShotStep& step);
    /// Solves again for what a step that is cut leaves free: beside a stiff temporal term even one variable cut short
    /// spoils a step.
    bool complete(const ShotPoint& point, bool curvature, ShotStep& step);

private:
    bool hold(const ShotPoint& point, bool curvature, double few, ShotStep& step);
    bool solve(const ShotPoint& point, bool curvature, ShotStep& step);
    void number(const ShotPoint& point, const ShotStep& step);
    void assemble(const ShotPoint& point, const ShotStep& step, std::int64_t t, const Hessian<Real>& hessian);

    const Shot& shot_;
    const Bending& bend_;
    int threads_;
    linalg::BandCholesky<Real> matrix_;
    std::vector<Hessian<Real>> hessians_;             // of a batch of frames
    std::vector<std::int64_t> place_, size_, index_;  // see `number`
    std::vector<Real> x_;
};

extern template class ShotNewton<float>;
extern template class ShotNewton<double>;

}  // namespace rigwright::optimize
