#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/face/detail.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/products/tile_product.h"

namespace rigcast::cuda {

/// Texels of a segment's map that see the same taps: all of them, or after an upsampling those whose row and column
/// have the same parities. A map lies channel by channel, each with its needed texels side by side; the texels of a
/// group are neighbors there.
struct TexelGroup {
    std::int64_t input;   // column of the first texel of the map that is read
    std::int64_t output;  // column of the group's first texel
    std::int64_t bias;    // first number of b in the biases
    std::int64_t source;  // first number of (taps, texels) in the sources
    std::int32_t inputs;  // channels
    std::int32_t outputs;
    std::int32_t input_texels;   // of a channel
    std::int32_t output_texels;  // of a channel, of all groups of the map
    std::int32_t taps;
    std::int32_t texels;  // of the group
    std::int32_t refinement;
};

/// Successive texels and outputs of a group, which one block computes.
struct TexelTile {
    std::int64_t weight;  // first number of W, for the outputs of the tile: (taps inputs, padded to steps, outputs)
    std::int32_t group;
    std::int32_t first_texel;
    std::int32_t first_output;
};

/// Finish(W * x) for one convolution layer of all segments and all frames (or tangents) in one launch; W * x sums over
/// taps and channels. Only needed texels are computed. Frames whose detail leaves a refinement out cost nothing.
///
/// A block of 128 threads computes 64 texels x 16 outputs of one frame, 16 pairs of tap and channel per step; a warp 64
/// texels x 4 outputs; a thread 2 texels, 32 apart, x 4 outputs: a warp reads and writes neighboring texels.
template <class Finish>
struct TexelProduct {
    static constexpr int threads = 128;
    static constexpr int texels_per_tile = 64;
    static constexpr int outputs_per_tile = 16;
    static constexpr int depth = 16;
    static constexpr int outputs_per_thread = 4;
    static constexpr int texels_per_thread = 2;
    static constexpr int depth_per_thread = depth * texels_per_tile / threads;
    static_assert(threads / warp_size * outputs_per_thread == outputs_per_tile);
    static_assert(warp_size * texels_per_thread == texels_per_tile);

    struct Shared {
        alignas(16) float w[depth][outputs_per_tile];
        alignas(16) float x[depth][texels_per_tile];
    };
    struct Fetched {
        float w[depth * outputs_per_tile / threads];
        float x[depth_per_thread];
    };
    struct Registers {
        float sum[outputs_per_thread][texels_per_thread];
    };

    const TexelGroup* groups;
    const TexelTile* tiles;       // one per column of blocks
    const std::int32_t* sources;  // texels that are read, -1 outside of the map
    const float* weights;
    Finish finish;
    Detail detail;
    const float* input;  // (T, input_width)
    std::int64_t input_width;
    float* output;  // (T, output_width)
    std::int64_t output_width;

    RIGCAST_DEVICE bool is_left_out(Block block) const {
        return detail.of(block.row, groups[tiles[block.column].group].refinement) == 0.0f;
    }

    RIGCAST_DEVICE int steps(Block block) const {
        if (is_left_out(block)) return 0;
        const TexelGroup& group = groups[tiles[block.column].group];
        return (group.taps * group.inputs + depth - 1) / depth;
    }

    RIGCAST_DEVICE void fetch(Block block, int thread, int step, Fetched& fetched) const {
        const TexelTile tile = tiles[block.column];
        for (int i = 0; i < depth * outputs_per_tile / threads; ++i) {
            fetched.w[i] = weights[tile.weight + step * (depth * outputs_per_tile) + thread + i * threads];
        }
        const TexelGroup group = groups[tile.group];
        const float* map = input + block.row * input_width + group.input;
        const int texel = tile.first_texel + thread % texels_per_tile;
        const int first = thread / texels_per_tile * depth_per_thread;
        int tap = (step * depth + first) / group.inputs;
        int channel = (step * depth + first) % group.inputs;
        std::int32_t source = source_of(group, tap, texel);
        for (int k = 0; k < depth_per_thread; ++k) {
            fetched.x[k] = source < 0 ? 0.0f : map[std::int64_t{channel} * group.input_texels + source];
            if (++channel < group.inputs) continue;
            channel = 0;
            source = source_of(group, ++tap, texel);
        }
    }

    RIGCAST_DEVICE void put(Block, int thread, int, const Fetched& fetched, Shared& shared) const {
        for (int i = 0; i < depth * outputs_per_tile / threads; ++i) {
            const int at = thread + i * threads;
            shared.w[at / outputs_per_tile][at % outputs_per_tile] = fetched.w[i];
        }
        for (int k = 0; k < depth_per_thread; ++k) {
            shared.x[thread / texels_per_tile * depth_per_thread + k][thread % texels_per_tile] = fetched.x[k];
        }
    }

    RIGCAST_DEVICE void multiply(Block, int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.w, shared.x, registers.sum);
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        if (is_left_out(block)) return;
        const TexelTile tile = tiles[block.column];
        const TexelGroup group = groups[tile.group];
        for (int i = 0; i < outputs_per_thread; ++i) {
            const int unit = tile.first_output + thread / warp_size * outputs_per_thread + i;
            if (unit >= group.outputs) break;
            for (int j = 0; j < texels_per_thread; ++j) {
                const int texel = tile.first_texel + thread % warp_size + warp_size * j;
                if (texel >= group.texels) break;
                const std::int64_t column = group.output + std::int64_t{unit} * group.output_texels + texel;
                output[block.row * output_width + column] =
                    finish(registers.sum[i][j], group.bias + unit, block.row, column);
            }
        }
    }

private:
    RIGCAST_DEVICE std::int32_t source_of(const TexelGroup& group, int tap, int texel) const {
        const bool inside = tap < group.taps && texel < group.texels;
        return inside ? sources[group.source + std::int64_t{tap} * group.texels + texel] : -1;
    }
};

}  // namespace rigcast::cuda
