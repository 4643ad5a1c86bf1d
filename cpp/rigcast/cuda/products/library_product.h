#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/products/resident_product.h"

namespace rigcast::cuda {

/// Finishes sums W x in place: output(t, first + i) = finish(output(t, first + i), i, t, first + i).
template <class Finish>
struct FinishSums {
    Finish finish;
    std::int64_t first_output;
    float* output;  // (T, output_width)
    std::int64_t output_width;

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t i) const {
        const std::int64_t column = first_output + i;
        float& value = output[frame * output_width + column];
        value = finish(value, i, frame, column);
    }
};

/// A layer of large groups of one shape as one batch of products of cuBLAS, then one kernel for bias and activation.
class LibraryProduct final : public LayerProduct {
public:
    /// Fewer weights per group are left to our own kernel, whose one launch does all. Chosen, not tuned.
    static constexpr std::int64_t large = 128 * 128;

    /// Returns true if the groups have one shape, inputs at equal distances in their order, and are large.
    static bool suits(const ProductPlan& plan) {
        if (plan.groups.empty()) return false;
        const ProductGroup& first = plan.groups.front();
        for (std::size_t g = 0; g < plan.groups.size(); ++g) {
            const ProductGroup& group = plan.groups[g];
            const std::int64_t begin = first.first_input + static_cast<std::int64_t>(g) * input_step(plan);
            if (group.outputs != first.outputs || group.inputs != first.inputs || group.first_input != begin) {
                return false;
            }
        }
        return input_step(plan) >= 0 && std::int64_t{first.outputs} * first.inputs >= large;
    }

    /// The plan must suit. The libraries must outlive the product.
    LibraryProduct(Machine& machine, Libraries& libraries, const ProductPlan& plan)
        : libraries_(libraries),
          activation_(plan.activation),
          output_width_(plan.output_width),
          count_(static_cast<std::int64_t>(plan.groups.size())),
          input_step_(input_step(plan)),
          group_(plan.groups.front()) {
        const std::vector<float> weights = plan.widened();
        machine.upload(weights, weights_);
        machine.upload(plan.biases, biases_);
        machine.synchronize();  // the widened copy is read until then
    }

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
    static std::int64_t input_step(const ProductPlan& plan) {
        return plan.groups.size() < 2 ? 0 : plan.groups[1].first_input - plan.groups[0].first_input;
    }

    template <class Finish>
    void multiply(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                  const Finish& finish, float* output) const {
        libraries_.multiply({count_, num_frames, group_.outputs, group_.inputs, weights_.data(),
                             input + group_.first_input, input_step_, input_width, output + group_.first_output,
                             output_width_});
        machine.for_each(num_frames, count_ * group_.outputs,
                         FinishSums<Finish>{finish, group_.first_output, output, output_width_});
    }

    Libraries& libraries_;
    network::Activation activation_;
    std::int64_t output_width_;
    std::int64_t count_;
    std::int64_t input_step_;
    ProductGroup group_;  // the first one
    Buffer<float> weights_;
    Buffer<float> biases_;
};

/// A layer on the device: of the libraries if there are any and it suits, else our own.
inline std::unique_ptr<LayerProduct> make_layer_product(Machine& machine, Libraries* libraries,
                                                        const ProductPlan& plan) {
    if (libraries != nullptr && LibraryProduct::suits(plan)) {
        return std::make_unique<LibraryProduct>(machine, *libraries, plan);
    }
    return std::make_unique<ResidentProduct>(machine, plan);
}

}  // namespace rigcast::cuda
