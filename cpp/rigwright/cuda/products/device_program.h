#pragma once
#include <cstdint>

#include "rigwright/cuda/products/tangent_kernels.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"

namespace rigwright::cuda {

/// Poses (count, C) on the device, and where their vertices go.
struct PoseBatch {
    std::int64_t first, count;  // these rows of all poses of the call
    const float* poses;
    float* vertices;                      // (count, 3 V); not written by `linearize`
    const rig::Prefix* prefix = nullptr;  // of all poses of the call, on the host
};

/// Tangents (count, C) on the device at the poses of the last `linearize`, and where their derivatives go.
struct TangentBatch {
    std::int64_t count;
    TangentRows rows;
    const float* tangents;
    float* derivatives;  // (count, 3 V)
};

/// A kind of model on the device: its constants and the kernels that it queues, in order, on the machine that it was
/// made with. For one thread at a time.
class DeviceProgram {
public:
    DeviceProgram() = default;
    DeviceProgram(const DeviceProgram&) = delete;
    DeviceProgram& operator=(const DeviceProgram&) = delete;
    virtual ~DeviceProgram() = default;

    /// Floats of working memory per pose of `evaluate` or `linearize`, and per tangent of `push_forward`.
    virtual std::int64_t floats_per_pose() const = 0;
    virtual std::int64_t floats_per_tangent() const = 0;
    /// Makes room for a batch and uploads what `evaluate` needs beside the poses. May wait for the device.
    virtual void prepare(const PoseBatch& batch) = 0;
    /// Queues the kernels of a prepared batch.
    virtual void evaluate(const PoseBatch& batch) = 0;
    /// Prepares and queues what `push_forward` needs at these poses. The poses must stay where they are.
    virtual void linearize(const PoseBatch& batch) = 0;
    /// Queues derivatives = J tangents.
    virtual void push_forward(const TangentBatch& batch) = 0;
};

}  // namespace rigwright::cuda
