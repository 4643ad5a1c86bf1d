#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/tangent_kernels.h"
#include "rigcast/cuda/products/tile_product.h"
#include "rigcast/network/activation.h"
#include "rigcast/network/storage.h"

namespace rigcast::cuda {

/// One matrix W of a grouped product, (outputs, inputs) row-major, with its bias b (outputs).
struct ProductGroup {
    std::int64_t first_input;   // column of the input
    std::int64_t first_output;  // column of the output
    std::int64_t weight;        // first number of W in the weights of its storage
    std::int64_t bias;          // first number of b in the biases
    std::int32_t outputs;
    std::int32_t inputs;
    network::Storage storage = network::Storage::float32;
    std::int32_t rows_per_block = 1;  // int16 and int8: successive outputs that share a scale per input
    std::int64_t scale = 0;           // first number in the scales, (blocks, inputs) of them
};

/// Successive outputs of a group, summed over the inputs begin to before end, which one block computes.
struct ProductTile {
    std::int32_t group;
    std::int32_t first;  // output of the group
    std::int32_t begin;
    std::int32_t end;
    std::int32_t piece = 0;  // of the sums of these outputs
};

/// The matrices of all groups, one after another, by storage, and the scales of their blocks.
struct StoredWeights {
    const float* wide;           // float32
    const std::uint16_t* words;  // float16, bfloat16 and int16
    const std::int8_t* bytes;    // int8
    const float* scales;

    /// W(output, input) as float32, which is exact.
    RIGCAST_DEVICE float at(const ProductGroup& group, std::int64_t output, std::int64_t input) const {
        const std::int64_t index = group.weight + output * group.inputs + input;
        if (group.storage == network::Storage::float32) return wide[index];
        if (group.storage == network::Storage::float16) return widened_float16(words[index]);
        if (group.storage == network::Storage::bfloat16) return widened_bfloat16(words[index]);
        const auto block = static_cast<std::int32_t>(output) / group.rows_per_block;
        const float scale = scales[group.scale + std::int64_t{block} * group.inputs + input];
        const auto whole = group.storage == network::Storage::int8 ? std::int16_t{bytes[index]}
                                                                   : static_cast<std::int16_t>(words[index]);
        return static_cast<float>(whole) * scale;
    }
};

/// f(x). NaN stays NaN.
RIGCAST_DEVICE inline float activated(network::Activation activation, float x) {
    switch (activation) {
        case network::Activation::none:
            return x;
        case network::Activation::tanh:
            return tanhf(x);
        case network::Activation::relu:
            return x <= 0.0f ? 0.0f : x;
        case network::Activation::leaky_relu:
            return x > 0.0f ? x : network::leaky_slope * x;
        case network::Activation::smooth_leaky_relu: {
            constexpr float slope = network::leaky_slope;
            const float r = x <= -1.0f ? 0.0f : x + 1.0f;
            return x > 1.0f ? x : slope * x + 0.25f * (1.0f - slope) * r * r;
        }
    }
    return x;
}

/// A gradient times f', from the value y = f(x); at 0 the derivative from the left.
RIGCAST_DEVICE inline float times_slope(network::Activation activation, float gradient, float y) {
    switch (activation) {
        case network::Activation::none:
            return gradient;
        case network::Activation::tanh:
            return gradient * (1.0f - y * y);
        case network::Activation::relu:
            return y > 0.0f ? gradient : 0.0f;
        case network::Activation::leaky_relu:
            return y > 0.0f ? gradient : network::leaky_slope * gradient;
        case network::Activation::smooth_leaky_relu: {
            constexpr float slope = network::leaky_slope;
            return gradient * sqrtf(fminf(fmaxf(slope + (1.0f - slope) * y, slope * slope), 1.0f));
        }
    }
    return gradient;
}

/// Finishes an output y = f(W x + b) from the sum W x.
struct BiasAndActivation {
    const float* biases;
    network::Activation activation;

    RIGCAST_DEVICE float operator()(float sum, std::int64_t bias, std::int64_t, std::int64_t) const {
        return activated(activation, sum + biases[bias]);
    }
};

/// Leaves a sum as it is.
struct Unfinished {
    RIGCAST_DEVICE float operator()(float sum, std::int64_t, std::int64_t, std::int64_t) const { return sum; }
};

/// Finishes the tangent of an output dy = (W dx) f', from the values y (T, width).
struct TimesSlope {
    const float* values;
    std::int64_t width;
    TangentFrames frames;
    network::Activation activation;

    RIGCAST_DEVICE float operator()(float sum, std::int64_t, std::int64_t tangent, std::int64_t output) const {
        return times_slope(activation, sum, values[frames.frame(tangent) * width + output]);
    }
};

/// Finish(W_g x_g) for all groups g of a layer and all frames (or tangents) in one launch.
///
/// Why not cuBLAS: a body has many small matrices of different shapes (dozens of sets, 20 to 400 inputs, 128 outputs).
/// cuBLAS would need four launches per set or padding to one shape, and is a dependency of 600 MB. One grouped kernel
/// computes a layer of all sets with bias and activation, in exact float32, with sums in a fixed order, and can be
/// checked without a GPU (emulation.h). Its rate is not what callers wait for: results leave over a bus some fifty
/// times slower than the device's memory. Large layers of one shape may go through cuBLAS instead (LibraryProduct).
///
/// Weights stay in the format in which the model stores them, and are widened while a block of threads loads them: a
/// group in 16 bits takes half the memory and half the reads. Sums are float32.
///
/// A block of 256 threads computes 64 frames x 64 outputs, 16 inputs per step; a warp 8 frames x 64 outputs; a thread 8
/// frames x 2 outputs, 32 apart, so that a warp stores whole lines.
template <class Finish>
struct GroupedProduct {
    static constexpr int threads = 256;
    static constexpr int frames_per_block = 64;
    static constexpr int outputs_per_tile = 64;
    static constexpr int inputs_per_step = 16;
    static constexpr int pitch = 64 + 4;  // keeps 16-byte alignment, halves bank conflicts while loading
    static constexpr int frames_per_thread = 8;
    static constexpr int outputs_per_thread = 2;
    static_assert(frames_per_block == outputs_per_tile);  // `load` fills both parts of Shared in one loop
    static_assert(threads / warp_size * frames_per_thread == frames_per_block);
    static_assert(warp_size * outputs_per_thread == outputs_per_tile);

    struct Shared {
        alignas(16) float x[inputs_per_step][pitch];
        alignas(16) float w[inputs_per_step][pitch];
    };
    struct Registers {
        float sum[frames_per_thread][outputs_per_thread];
    };

    const ProductGroup* groups;
    const ProductTile* tiles;  // one per column of blocks
    StoredWeights weights;
    Finish finish;
    const float* input;  // (T, input_width)
    std::int64_t input_width;
    float* output;  // (pieces, T, output_width)
    std::int64_t output_width;
    std::int64_t num_frames;

    RIGCAST_DEVICE int steps(Block block) const {
        const ProductTile tile = tiles[block.column];
        return (tile.end - tile.begin + inputs_per_step - 1) / inputs_per_step;
    }

    RIGCAST_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const ProductTile tile = tiles[block.column];
        const ProductGroup group = groups[tile.group];
        const int k = thread % inputs_per_step;
        const int from = tile.begin + step * inputs_per_step + k;
        for (int i = 0; i < frames_per_block * inputs_per_step / threads; ++i) {
            const int slot = thread / inputs_per_step + i * (threads / inputs_per_step);
            const std::int64_t frame = block.row * frames_per_block + slot;
            const std::int64_t unit = tile.first + slot;
            const bool inside = from < tile.end;
            shared.x[k][slot] =
                inside && frame < num_frames ? input[frame * input_width + group.first_input + from] : 0.0f;
            shared.w[k][slot] = inside && unit < group.outputs ? weights.at(group, unit, from) : 0.0f;
        }
    }

    RIGCAST_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.x, shared.w, registers.sum);
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const ProductTile tile = tiles[block.column];
        const ProductGroup group = groups[tile.group];
        const std::int64_t first_frame = block.row * frames_per_block + thread / warp_size * frames_per_thread;
        for (int j = 0; j < outputs_per_thread; ++j) {
            const std::int64_t unit = tile.first + thread % warp_size + warp_size * j;
            if (unit >= group.outputs) continue;
            for (int i = 0; i < frames_per_thread; ++i) {
                const std::int64_t frame = first_frame + i;
                if (frame >= num_frames) break;
                const std::int64_t column = group.first_output + unit;
                output[(tile.piece * num_frames + frame) * output_width + column] =
                    finish(registers.sum[i][j], group.bias + unit, frame, column);
            }
        }
    }
};

/// The pieces of the sum of one output of a layer.
struct PieceSum {
    std::int32_t column;  // of the output
    std::int32_t count;
};

/// Adds the pieces of the sums of a layer's N outputs in their order, and finishes them.
template <class Finish>
struct AddPieces {
    const float* pieces;      // (pieces, T, N)
    const PieceSum* sums;     // (N), in the order of the biases
    std::int64_t num_frames;  // T
    std::int64_t num_sums;    // N
    Finish finish;
    std::int64_t first_frame;  // of the output
    float* output;             // (first_frame + T or more, output_width)
    std::int64_t output_width;

    RIGCAST_DEVICE void operator()(std::int64_t t, std::int64_t i) const {
        const PieceSum of = sums[i];
        float sum = 0.0f;
        for (std::int32_t p = 0; p < of.count; ++p) sum += pieces[(p * num_frames + t) * num_sums + i];
        const std::int64_t frame = first_frame + t;
        output[frame * output_width + of.column] = finish(sum, i, frame, of.column);
    }
};

}  // namespace rigcast::cuda
