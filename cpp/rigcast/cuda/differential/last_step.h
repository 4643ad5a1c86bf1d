#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {

/// Working memory of a last step, for a batch of frames or of tangents.
struct LastStepMemory {
    Buffer<float> inner;                               // what the last step's own product reads or writes
    std::unique_ptr<DeviceSubstitution> substitution;  // if the step solves
};

/// What a last step reads and writes: rows of values (count, row_width), points (count, 3, V), or their derivatives.
struct LastStepBatch {
    std::int64_t count;
    const float* row;
    LastStepMemory& memory;
    float* points;
};

/// The last step of a differential subspace on the device, from coefficients and anchors to points axis by axis: a
/// product (FoldedStep), or a product and a solve (SolveStep).
class LastStep {
public:
    LastStep() = default;
    LastStep(const LastStep&) = delete;
    LastStep& operator=(const LastStep&) = delete;
    virtual ~LastStep() = default;

    /// Floats of working memory per frame or tangent.
    virtual std::int64_t floats_per_row() const = 0;
    /// Allocates memory for `count` frames or tangents. May wait for the device.
    virtual void reserve(std::int64_t count, LastStepMemory& memory) const = 0;
    /// Queues the points of a batch.
    virtual void run(const LastStepBatch& batch) const = 0;
    /// Queues the derivatives along tangents of frames, given the memory and the points of a `run` of these.
    virtual void run_tangents(const LastStepBatch& batch, const LastStepMemory& memory_at, const float* points_at,
                              TangentFrames frames) const = 0;
};

}  // namespace rigcast::cuda
