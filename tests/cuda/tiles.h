#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/cuda/products/product_plan.h"
#include "rigcast/network/texel_runs.h"

/// The products of the matrix units in other shapes of blocks than those in use, and their times: for the sweep
/// benchmarks/systems/cuda/tiles.py and the test that all shapes give the same bytes. Shape 0 is the one that the
/// engine chooses for a number of frames. Throw CudaError.
namespace rigcast::cuda {

/// The names of the shapes.
std::vector<std::string> product_shapes();
std::vector<std::string> texel_shapes();

/// One layer in blocks of a shape: input (T, width) to output (T, plan.output_width).
void product_in(int shape, const ProductPlan& plan, View<const float, 2> input, View<float, 2> output);
/// Milliseconds (shapes, repeats) of a layer for T frames.
std::vector<std::vector<double>> product_milliseconds(const ProductPlan& plan, std::int64_t input_width,
                                                      std::int64_t num_frames, int repeats);

/// A convolution of a map that lies texel by texel in the input columns from `first` on.
struct TexelLayer {
    std::int64_t first;
    View<const float, 4> weight;  // (outputs, inputs, 3, 3)
    View<const float, 1> bias;
    bool upsamples;
    network::TexelMask needed;  // texels of the result, which lie side by side behind those of the layers before
};

/// The columns that the layers write.
std::int64_t texel_width(const std::vector<TexelLayer>& layers);
/// All layers with leaky ReLU; `detail` (T, layers), or empty for 1. What detail leaves out is not written.
void texel_product_in(int shape, const std::vector<TexelLayer>& layers, View<const float, 2> detail,
                      View<const float, 2> input, View<float, 2> output);
std::vector<std::vector<double>> texel_milliseconds(const std::vector<TexelLayer>& layers, std::int64_t input_width,
                                                    std::int64_t num_frames, int repeats);

}  // namespace rigcast::cuda
