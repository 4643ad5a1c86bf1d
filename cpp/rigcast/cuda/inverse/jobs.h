#pragma once
#include <cstdint>

#include "rigcast/cuda/inverse/frame_solver.h"
#include "rigcast/cuda/inverse/product_model.h"
#include "rigcast/cuda/inverse/starts.h"

namespace rigcast::cuda {

/// How a slot stands.
enum JobState : std::int32_t {
    idle,       // it has no frame
    cold,       // it begins with sweeps
    running,    // it takes steps in lockstep
    rest,       // the team solver must end it
    converged,  // the frame's threshold is reached
    merged,     // it came to the solution that the frame has
    stopped     // the team solver ended without reaching the threshold
};

/// S slots in device memory, each with a job: one frame that is solved from one start. Rows are slots.
struct DeviceJobs {
    std::int32_t* state;  // (S) JobState
    std::int32_t* frame;  // (S)
    std::int32_t* start;  // (S) number of the start among Starts
    std::int32_t* steps;  // (S) so far
    double* y;            // (S, K) the point
    double* x;            // (S, K) where the last step ended, before momentum moved it on to y
    double* change;       // (S, K) y minus the y before
    double* phi;          // (S, N) activations at y
    double* residual;     // (S, N) G phi - p
    double* curvature;    // (S) the inverse of the step length
    double* momentum;     // (S) t of the accelerated gradient
    double* slope;        // (S) the gradient at the y before, times change
    double* length;       // (S) change^T D change
    double* objective;    // (S) at y
};

/// What a run of jobs works on.
struct JobTask {
    DeviceFrames frames;
    double* weights;         // (T, K): the best solution of each frame
    std::int32_t* agreeing;  // (T): multistarts that have ended at the frame's lowest objective
    std::int32_t* improved;  // (T): 1 if an offer was taken
    const double* given;     // (T, K): the caller's starts; of offers, the weights before the round
    bool restarts;           // if false, a frame is solved from the given start alone
    int neighbor;            // of offers: -1 if the frame before offers its solution, 1: the frame after; 0: no offers

    RIGCAST_DEVICE bool is_offer() const { return neighbor != 0; }
};

}  // namespace rigcast::cuda
