#pragma once
#include <cstdint>

#include "cuda/machine.h"
#include "cuda/product_plan.h"

namespace rigwright::cuda {

/// A layer whose matrices stay on the device.
class ResidentProduct {
public:
    ResidentProduct(Machine& machine, const ProductPlan& plan)
        : activation_(plan.activation),
          output_width_(plan.output_width),
          num_tiles_(static_cast<std::int64_t>(plan.tiles.size())) {
        machine.upload(plan.groups.data(), plan.groups.size(), groups_);
        machine.upload(plan.tiles.data(), plan.tiles.size(), tiles_);
        machine.upload(plan.weights.data(), plan.weights.size(), weights_);
        machine.upload(plan.biases.data(), plan.biases.size(), biases_);
    }

    std::int64_t output_width() const { return output_width_; }

    /// Queues output (T, output_width) = act(W input + b), input (T, input_width).
    void run(Machine& machine, std::int64_t num_poses, const float* input, std::int64_t input_width,
             float* output) const {
        const GroupedProduct kernel{groups_.data(), tiles_.data(), weights_.data(), biases_.data(), activation_,
                                    input,          input_width,   output,          output_width_,  num_poses};
        machine.run_tiles((num_poses + GroupedProduct::tile - 1) / GroupedProduct::tile, num_tiles_, kernel);
    }

private:
    network::Activation activation_;
    std::int64_t output_width_, num_tiles_;
    Buffer<ProductGroup> groups_;
    Buffer<ProductTile> tiles_;
    Buffer<float> weights_, biases_;
};

}  // namespace rigwright::cuda
