#pragma once
#include <cstdint>

#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/product_plan.h"

namespace rigcast::cuda {

/// A layer whose matrices are on the device: by our own kernel (ResidentProduct) or by cuBLAS (LibraryProduct).
class LayerProduct {
public:
    LayerProduct() = default;
    LayerProduct(const LayerProduct&) = delete;
    LayerProduct& operator=(const LayerProduct&) = delete;
    virtual ~LayerProduct() = default;

    /// Queues output (T, output_width) = f(W input + b), input (T, input_width).
    virtual void run(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                     float* output) const = 0;

    /// Queues the derivatives (R, output_width) along input tangents (R, input_width), from the values (T,
    /// output_width) that `run` wrote.
    virtual void run_tangents(Machine& machine, std::int64_t num_tangents, const float* input, std::int64_t input_width,
                              const float* values, TangentFrames frames, float* output) const = 0;
};

}  // namespace rigcast::cuda
