#pragma once
#include <cstdint>

#include "rigcast/cuda/products/choices.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {

/// Successive frames of a call: poses on the device, and where their vertices go.
struct FrameBatch {
    std::int64_t first;  // frame of the call
    std::int64_t count;
    const float* poses;  // (count, C)
    float* vertices;     // (count, 3 V); not written by `linearize`
    Choices choices{};   // of all frames of the call
};

/// Tangents on the device, of the poses of the last `linearize`, and where their derivatives go.
struct TangentBatch {
    std::int64_t count;
    TangentFrames frames;
    const float* tangents;  // (count, C)
    float* derivatives;     // (count, 3 V)
};

/// One kind of model on the device: its constants, and the kernels that it queues, in order, on the machine that it was
/// made with. For one thread at a time.
class DeviceProgram {
public:
    DeviceProgram() = default;
    DeviceProgram(const DeviceProgram&) = delete;
    DeviceProgram& operator=(const DeviceProgram&) = delete;
    virtual ~DeviceProgram() = default;

    /// Floats of working memory per frame of `evaluate` or `linearize`.
    virtual std::int64_t floats_per_frame() const = 0;
    /// Floats of working memory per tangent of `push_forward`.
    virtual std::int64_t floats_per_tangent() const = 0;
    /// Allocates memory for a batch and uploads the inputs of `evaluate` other than poses. May wait for the device.
    virtual void prepare(const FrameBatch& batch) = 0;
    /// Queues the kernels of a prepared batch.
    virtual void evaluate(const FrameBatch& batch) = 0;
    /// Prepares a batch and queues the values that `push_forward` needs. The poses must stay in place until then.
    virtual void linearize(const FrameBatch& batch) = 0;
    /// Queues derivatives = J tangents, J the Jacobian at the poses of the last `linearize`.
    virtual void push_forward(const TangentBatch& batch) = 0;
};

}  // namespace rigcast::cuda
