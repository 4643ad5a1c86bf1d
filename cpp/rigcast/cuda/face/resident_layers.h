#pragma once
#include <cstdint>
#include <type_traits>

#include "rigcast/cuda/face/plan.h"
#include "rigcast/cuda/face/rigid_kernels.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/grouped_product.h"

namespace rigcast::cuda {

/// A convolution layer of all segments whose constants are on the device.
class ResidentConvolution {
public:
    static constexpr std::int64_t few_frames = 4;

    ResidentConvolution(Machine& machine, const TexelPlan& plan)
        : num_tiles_(static_cast<std::int64_t>(plan.tiles.size())) {
        machine.upload(plan.groups, groups_);
        machine.upload(plan.tiles, tiles_);
        machine.upload(plan.sources, sources_);
        machine.upload(plan.targets, targets_);
        machine.upload(plan.weights, weights_);
        machine.upload(plan.biases, biases_);
    }

    /// Queues output = f(W * input + b) in rows (T, output_width); see TexelProduct.
    void run(Machine& machine, std::int64_t num_frames, Detail detail, const float* input, std::int64_t input_width,
             float* output, std::int64_t output_width) const {
        multiply(machine, num_frames, BiasAndActivation{biases_.data(), network::Activation::leaky_relu}, detail, input,
                 input_width, output, output_width);
    }

    /// Queues the derivatives along input tangents (R, input_width), from the values (T, output_width) of `run`.
    void run_tangents(Machine& machine, std::int64_t num_tangents, const float* values, TangentFrames frames,
                      const float* input, std::int64_t input_width, float* output, std::int64_t output_width) const {
        multiply(machine, num_tangents, TimesSlope{values, output_width, frames, network::Activation::leaky_relu}, {},
                 input, input_width, output, output_width);
    }

    /// Queues `run` in blocks of one shape, a TexelProduct that finishes with bias and activation: for measurements.
    template <class Product>
    void run_in(Machine& machine, std::int64_t num_frames, Detail detail, const float* input, std::int64_t input_width,
                float* output, std::int64_t output_width) const {
        run_shape<Product>(machine, num_frames, BiasAndActivation{biases_.data(), network::Activation::leaky_relu},
                           detail, input, input_width, output, output_width);
    }

private:
    /// A frame has the same bytes in blocks of any shape.
    template <class Finish>
    void multiply(Machine& machine, std::int64_t num_frames, const Finish& finish, Detail detail, const float* input,
                  std::int64_t input_width, float* output, std::int64_t output_width) const {
        const auto run = [&](auto shape) {
            using Product = typename decltype(shape)::type;
            run_shape<Product>(machine, num_frames, finish, detail, input, input_width, output, output_width);
        };
        if (num_frames <= few_frames) {
            run(std::type_identity<FewTexels<Finish>>{});
        } else {
            run(std::type_identity<ManyTexels<Finish>>{});
        }
    }

    template <class Product, class Finish>
    void run_shape(Machine& machine, std::int64_t num_frames, const Finish& finish, Detail detail, const float* input,
                   std::int64_t input_width, float* output, std::int64_t output_width) const {
        machine.run_tiles((num_frames + Product::frames_per_block - 1) / Product::frames_per_block, num_tiles_,
                          Product{groups_.data(), tiles_.data(), sources_.data(), targets_.data(), weights_.data(),
                                  finish, detail, input, input_width, output, output_width, num_frames});
    }

    std::int64_t num_tiles_;
    Buffer<TexelGroup> groups_;
    Buffer<TexelTile> tiles_;
    Buffer<std::int32_t> sources_;
    Buffer<std::int32_t> targets_;
    Buffer<FloatRowTile> weights_;
    Buffer<float> biases_;
};

/// Rigid parts whose constants are on the device.
class ResidentParts {
public:
    ResidentParts(Machine& machine, const PartsPlan& plan)
        : count_(static_cast<std::int64_t>(plan.collinear.size())),
          followers_(plan.followers),
          num_vertices_(static_cast<std::int64_t>(plan.vertex.size())) {
        machine.upload(plan.follower, follower_);
        machine.upload(plan.follower_arm, follower_arm_);
        machine.upload(plan.collinear, collinear_);
        machine.upload(plan.vertex, vertex_);
        machine.upload(plan.part, part_);
        machine.upload(plan.arm, arm_);
    }

    std::int64_t count() const { return count_; }
    std::int64_t num_vertices() const { return num_vertices_; }
    Parts get() const {
        return {count_,         followers_,   num_vertices_, follower_.data(), follower_arm_.data(), collinear_.data(),
                vertex_.data(), part_.data(), arm_.data()};
    }

private:
    std::int64_t count_;
    std::int64_t followers_;
    std::int64_t num_vertices_;
    Buffer<std::int32_t> follower_;
    Buffer<double> follower_arm_;
    Buffer<std::int32_t> collinear_;
    Buffer<std::int32_t> vertex_;
    Buffer<std::int32_t> part_;
    Buffer<double> arm_;
};

}  // namespace rigcast::cuda
