#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/core/view.h"
#include "rigcast/cuda/inverse/plan.h"
#include "rigcast/optimize/products/measure_frames.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::cuda {

/// Minimizes the frames of a shot in Gram space on the device: inverse::solve_frames without its temporal term.
///
/// Method. Each frame is solved from all Starts, all frames at once (Lockstep): accelerated projected gradient, whose
/// products are one on the matrix units (AcceleratedStep). Frames that crawl, and all of rigs with in-betweens, are
/// ended by Newton steps, one team of threads per frame (DeviceFrameSolver). Then frames offer their solutions to the
/// frames before and after them, inside runs of inverse::frames_per_run frames, as long as one improves. A frame with
/// one minimum has the CPU's weights up to the tolerance. Precision. Double, as on the CPU: errors in the weights are
/// rounding times the condition of the Gram matrix, which squares that of the columns. It is 7e4 for the ICT face, so
/// that float32 would be off by about 4e-3. Guarantee. Same bytes for any workspace and any number of blocks. Memory.
/// The Gram matrix and the lists of the rig are copied to the device once. Calls from several threads run one after
/// another.
class InverseSolver {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{256} << 20;  // bytes

    /// `workspace`: bytes of device memory for the frames that are solved at once; at least frames_per_run frames are.
    /// `most_shared`: doubles of shared memory per team; arrays that do not fit lie in global memory. -1: all that the
    /// device has. Throws CudaError.
    explicit InverseSolver(InversePlan plan, std::int64_t workspace = default_workspace, std::int64_t most_shared = -1);
    ~InverseSolver();

    std::int64_t num_variables() const;
    std::int64_t num_columns() const;

    /// What the last `solve` took: jobs (a frame from one start), and those of them that gradient steps did not end.
    struct Effort {
        std::int64_t jobs;
        std::int64_t rest;
    };
    Effort effort() const;

    /// See inverse::solve_frames; `shot.bending` and `options.threads` are not used. Throws ArgumentError on other
    /// shapes, CudaError.
    void solve(const optimize::Shot& shot, const optimize::ShotOptions& options, const optimize::ShotResult& result);

    /// See optimize::measure_frames: measures `weights` (T, K) inside the box. Throws ArgumentError on other shapes,
    /// CudaError.
    void measure(const optimize::Shot& shot, View<const double, 2> weights, const optimize::FrameMeasures& measures);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigcast::cuda
