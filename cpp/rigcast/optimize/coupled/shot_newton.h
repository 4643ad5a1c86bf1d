#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/linalg/band_cholesky.h"
#include "rigcast/optimize/coupled/bending.h"
#include "rigcast/optimize/coupled/shot_point.h"
#include "rigcast/optimize/products/hessian.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::optimize {

/// Newton steps over the free variables of a whole shot. The Hessian is banded: one block per frame, coupled to the two
/// after it by the temporal term (see BandCholesky). With Real = float a step takes half the time. It leads to the same
/// solution, since gradient and objective are double, unless the Hessian is so ill-conditioned that the step hardly
/// descends. Not thread-safe: use one per thread.
template <class Real>
class ShotNewton {
public:
    /// Keeps references to `shot` and `bending`.
    ShotNewton(const Shot& shot, const Bending& bending, int threads)
        : shot_(shot), bending_(bending), threads_(threads) {}

    /// Computes the step from a point with linearized models. `curvature`: see Hessian::assemble. If only a few
    /// variables would leave their pieces they are clamped to them (ShotStep::is_clamped). Returns false if the Hessian
    /// is not positive definite or the step does not descend.
    bool find_step(const ShotPoint& point, bool curvature, ShotStep& step);
    /// Solves again for the variables of a clamped step that are not fixed, until none has to be clamped: if the
    /// temporal term is stiff, one clamped variable spoils the whole step. Returns false as `find_step`.
    bool complete_step(const ShotPoint& point, bool curvature, ShotStep& step);

private:
    /// A row of the matrix.
    struct Row {
        std::int64_t index;
        std::int64_t first_column;  // that of entries[0]
        Real* entries;
    };

    bool solve_on_pieces(const ShotPoint& point, bool curvature, double tolerated_share, ShotStep& step);
    bool solve(const ShotPoint& point, bool curvature, ShotStep& step);
    void number_rows(const ShotPoint& point, const ShotStep& step);
    void assemble_hessians(const ShotPoint& point, bool curvature, std::int64_t first_frame);
    void assemble_rows(const ShotPoint& point, const ShotStep& step, std::int64_t t, const Hessian<Real>& hessian);
    void add_temporal_term(const ShotStep& step, std::int64_t t, std::int64_t variable, const Row& row);
    void add_entry(const ShotStep& step, const Row& row, std::int64_t other, double value);

    const Shot& shot_;
    const Bending& bending_;
    int threads_;
    linalg::BandCholesky<Real> matrix_;
    std::vector<Hessian<Real>> hessians_;  // of a batch of frames
    std::vector<std::int64_t> num_rows_;   // (T): variables that are not fixed
    std::vector<std::int64_t> row_of_;     // (S): matrix row of a step's entry, or -1 if it is fixed
    std::vector<std::int64_t> entry_of_;   // (T, K): the step's entry of a variable, or -1 if it is not free
    std::vector<Real> solution_;           // right side, then solution; by matrix rows
};

extern template class ShotNewton<float>;
extern template class ShotNewton<double>;

}  // namespace rigcast::optimize
