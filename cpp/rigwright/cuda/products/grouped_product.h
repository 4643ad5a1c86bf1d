#pragma once
#include <cmath>
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/cuda/machine/block.h"
#include "rigwright/cuda/products/tangent_kernels.h"
#include "rigwright/cuda/products/tile_product.h"
#include "rigwright/network/activation.h"

namespace rigwright::cuda {

/// One matrix of a grouped product: `rows` outputs of `depth` inputs.
struct ProductGroup {
    std::int64_t input;   // first column in the input rows
    std::int64_t output;  // first column in the output rows
    std::int64_t weight;  // first element of W (rows, depth), row-major, in the weights
    std::int64_t bias;    // first element of b (rows) in the biases
    std::int32_t rows, depth;
};

/// A tile of outputs: `row` is its first one within its group.
struct ProductTile {
    std::int32_t group, row;
};

/// f(x). NaN stays NaN.
RIGWRIGHT_DEVICE inline float activated(network::Activation activation, float x) {
    switch (activation) {
        case network::Activation::none:
            return x;
        case network::Activation::tanh:
            return tanhf(x);
        case network::Activation::relu:
            return x <= 0.0f ? 0.0f : x;
        case network::Activation::leaky_relu:
            return x > 0.0f ? x : network::leaky_slope * x;
    }
    return x;
}

/// A gradient times f', from the value y = f(x); at 0 the derivative from the left.
RIGWRIGHT_DEVICE inline float times_slope(network::Activation activation, float gradient, float y) {
    switch (activation) {
        case network::Activation::none:
            return gradient;
        case network::Activation::tanh:
            return gradient * (1.0f - y * y);
        case network::Activation::relu:
            return y > 0.0f ? gradient : 0.0f;
        case network::Activation::leaky_relu:
            return y > 0.0f ? gradient : network::leaky_slope * gradient;
    }
    return gradient;
}

/// What becomes of the sum W x of an output: y = f(W x + b).
struct BiasAndActivation {
    const float* biases;
    network::Activation activation;

    RIGWRIGHT_DEVICE float operator()(float sum, std::int64_t bias, std::int64_t, std::int64_t) const {
        return activated(activation, sum + biases[bias]);
    }
};

/// Of a tangent: dy = (W dx) f', from the values y (T, width).
struct TimesSlope {
    const float* values;
    std::int64_t width;
    TangentRows rows;
    network::Activation activation;

    RIGWRIGHT_DEVICE float operator()(float sum, std::int64_t, std::int64_t row, std::int64_t output) const {
        return times_slope(activation, sum, values[rows.pose(row) * width + output]);
    }
};

/// Finish(W_g x_g) for all groups g of a layer and all rows (poses, or tangents) in one launch.
///
/// Why no cuBLAS: the matrices of a body are many, small and of unlike shapes (dozens of sets, 20 to 400 inputs,
/// 128 units), so that cuBLAS would be four launches a set or padding to one shape, and a 600 MB dependency; one
/// grouped kernel runs a layer of all sets at once with bias and activation in its end, keeps exact float32 and a fixed
/// order of sums, and can be checked without a GPU (emulation.h). Results leave over a bus some fifty times
/// slower than the device's memory, so that the matrix rate is not what a caller waits for.
///
/// A block of 256 threads computes 64 poses x 64 outputs, 16 inputs at a time; a warp 8 poses x 64 outputs; a
/// thread 8 poses x 2 outputs, 32 apart, so that a warp stores whole lines.
template <class Finish>
struct GroupedProduct {
    static constexpr int threads = 256;
    static constexpr int tile = 64;         // poses, and outputs, of a block
    static constexpr int depth = 16;        // inputs of a step
    static constexpr int pitch = tile + 4;  // keeps 16-byte alignment, halves bank conflicts while loading
    static constexpr int poses_each = 8;
    static constexpr int outputs_each = 2;
    static_assert(threads / warp_size * poses_each == tile && warp_size * outputs_each == tile);

    struct Shared {
        alignas(16) float x[depth][pitch];
        alignas(16) float w[depth][pitch];
    };
    struct Registers {
        float sum[poses_each][outputs_each];
    };

    const ProductGroup* groups;
    const ProductTile* tiles;  // one a column of blocks
    const float* weights;
    Finish finish;
    const float* input;  // (T, input_width)
    std::int64_t input_width;
    float* output;  // (T, output_width)
    std::int64_t output_width;
    std::int64_t num_poses;

    RIGWRIGHT_DEVICE int steps(Block block) const {
        return (groups[tiles[block.column].group].depth + depth - 1) / depth;
    }

    RIGWRIGHT_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const ProductTile at = tiles[block.column];
        const ProductGroup group = groups[at.group];
        const int k = thread % depth;
        const int from = step * depth + k;
        for (int i = 0; i < tile * depth / threads; ++i) {
            const int slot = thread / depth + i * (threads / depth);
            const std::int64_t pose = block.row * tile + slot;
            const std::int64_t unit = at.row + slot;
            const bool inside = from < group.depth;
            shared.x[k][slot] = inside && pose < num_poses ? input[pose * input_width + group.input + from] : 0.0f;
            shared.w[k][slot] = inside && unit < group.rows ? weights[group.weight + unit * group.depth + from] : 0.0f;
        }
    }

    RIGWRIGHT_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.x, shared.w, registers.sum);
    }

    RIGWRIGHT_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const ProductTile at = tiles[block.column];
        const ProductGroup group = groups[at.group];
        const std::int64_t first_pose = block.row * tile + thread / warp_size * poses_each;
        for (int j = 0; j < outputs_each; ++j) {
            const std::int64_t unit = at.row + thread % warp_size + warp_size * j;
            if (unit >= group.rows) continue;
            for (int i = 0; i < poses_each; ++i) {
                if (first_pose + i >= num_poses) break;
                const std::int64_t row = first_pose + i, column = group.output + unit;
                output[row * output_width + column] = finish(registers.sum[i][j], group.bias + unit, row, column);
            }
        }
    }
};

}  // namespace rigwright::cuda
