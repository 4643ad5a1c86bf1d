#pragma once
#include <cstdint>
#include <memory>

#include "rigwright/core/view.h"
#include "rigwright/cuda/inverse/plan.h"
#include "rigwright/inverse/solve_frames.h"

namespace rigwright::cuda {

/// Minimizes frames in Gram space on the device, one block a frame: what inverse::solve_frames does without its
/// temporal term, except that all frames start at once. Each comes from its given start and, in rigs with combinations,
/// from zero and the linear solution; then frames offer what they found to those beside them as long as that helps,
/// inside runs of 256 frames. Where a frame has one minimum in reach both give the same weights but for rounding.
///
/// Everything is double precision, as on the CPU and for its reason: errors in the weights are the condition of the
/// Gram matrix, which squares that of the columns, times rounding. It is 7e4 for the ICT face, so that float32 would be
/// off by some 4e-3. The Gram matrix and the lists are copied once. Same bytes in any chunk and for any number of
/// blocks. Calls from several threads take turns.
class InverseSolver {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{256} << 20;

    /// `workspace` bounds, in bytes, what one chunk of frames takes; 256 frames always run. `most_shared` bounds the
    /// doubles that a block keeps in shared memory: what does not fit goes to global memory. Throws CudaError.
    explicit InverseSolver(InversePlan plan, std::int64_t workspace = default_workspace, std::int64_t most_shared = -1);
    ~InverseSolver();

    /// See inverse::solve_frames; no `bending`. Throws ArgumentError on another shape, CudaError.
    void solve(const optimize::Shot& shot, const optimize::ShotOptions& options, const optimize::ShotResult& result);

    struct Measures {
        View<double, 1> objective;    // (T): optimize::GramPoint::objective
        View<double, 2> right, left;  // (T, K): its slopes to both sides of each weight
    };
    /// What the objective is at weights (T, K) inside the box.
    void measure(const optimize::Shot& shot, View<const double, 2> weights, const Measures& measures);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigwright::cuda
