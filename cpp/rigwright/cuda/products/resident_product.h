#pragma once
#include <cstdint>

#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/layer_product.h"

namespace rigwright::cuda {

/// A layer as one GroupedProduct.
class ResidentProduct final : public LayerProduct {
public:
    ResidentProduct(Machine& machine, const ProductPlan& plan)
        : activation_(plan.activation),
          output_width_(plan.output_width),
          num_tiles_(static_cast<std::int64_t>(plan.tiles.size())) {
        machine.upload(plan.groups, groups_);
        machine.upload(plan.tiles, tiles_);
        machine.upload(plan.weights, weights_);
        machine.upload(plan.narrow_weights, narrow_weights_);
        machine.upload(plan.biases, biases_);
    }

    std::int64_t output_width() const { return output_width_; }

    void run(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
             float* output) const override {
        multiply(machine, num_frames, input, input_width, BiasAndActivation{biases_.data(), activation_}, output);
    }

    void run_tangents(Machine& machine, std::int64_t num_tangents, const float* input, std::int64_t input_width,
                      const float* values, TangentFrames frames, float* output) const override {
        multiply(machine, num_tangents, input, input_width, TimesSlope{values, output_width_, frames, activation_},
                 output);
    }

private:
    template <class Finish>
    void multiply(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                  const Finish& finish, float* output) const {
        using Product = GroupedProduct<Finish>;
        machine.run_tiles((num_frames + Product::frames_per_block - 1) / Product::frames_per_block, num_tiles_,
                          Product{groups_.data(), tiles_.data(), StoredWeights{weights_.data(), narrow_weights_.data()},
                                  finish, input, input_width, output, output_width_, num_frames});
    }

    network::Activation activation_;
    std::int64_t output_width_;
    std::int64_t num_tiles_;
    Buffer<ProductGroup> groups_;
    Buffer<ProductTile> tiles_;
    Buffer<float> weights_;
    Buffer<std::uint16_t> narrow_weights_;
    Buffer<float> biases_;
};

}  // namespace rigwright::cuda
