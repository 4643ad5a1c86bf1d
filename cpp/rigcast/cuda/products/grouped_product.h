#pragma once
#include <bit>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/cuda/products/finish.h"
#include "rigcast/network/storage.h"

namespace rigcast::cuda {

/// One matrix W (outputs, inputs) of a grouped product, with its bias b (outputs).
struct ProductGroup {
    std::int64_t first_input;   // column of the input
    std::int64_t first_output;  // column of the output
    std::int64_t weight;        // first number of W, row-major, or its first tile, in the weights of its storage
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

/// A 16 x 16 tile of weights in 16 or 8 bits, as they are stored, in the order of FloatTile: a lane has 4 or 2 words.
template <int Words>
struct StoredRowTile {
    struct alignas(4 * Words) Lane {
        std::uint32_t word[Words];
    };
    Lane lane[lanes_per_warp];
};

/// The matrices of all groups as tiles, by storage, and the scales of their blocks. A group is cut into tiles of 64
/// outputs; each has for every 16 inputs its tiles of 16 outputs, one after another. What is beyond the matrix is 0.
struct TiledWeights {
    const FloatRowTile* wide;       // float32
    const StoredRowTile<4>* words;  // float16, bfloat16 and int16
    const StoredRowTile<2>* bytes;  // int8
    const float* scales;
};

/// What a lane has read of a tile of weights: words of the storage, eight of float32.
struct FetchedWeights {
    std::uint32_t word[FloatTile::row_numbers];
};

RIGCAST_DEVICE inline FetchedWeights fetch_weights(const TiledWeights& weights, network::Storage storage,
                                                   std::int64_t tile, int lane) {
    FetchedWeights result{};
    if (storage == network::Storage::float32) {
        RIGCAST_UNROLL
        for (int half = 0; half < 2; ++half) {
            const FourFloats from = weights.wide[tile].half[half][lane];
            RIGCAST_UNROLL
            for (int i = 0; i < 4; ++i) result.word[4 * half + i] = std::bit_cast<std::uint32_t>(from.value[i]);
        }
    } else if (storage == network::Storage::int8) {
        const StoredRowTile<2>::Lane from = weights.bytes[tile].lane[lane];
        RIGCAST_UNROLL
        for (int w = 0; w < 2; ++w) result.word[w] = from.word[w];
    } else {
        const StoredRowTile<4>::Lane from = weights.words[tile].lane[lane];
        RIGCAST_UNROLL
        for (int w = 0; w < 4; ++w) result.word[w] = from.word[w];
    }
    return result;
}

/// Number i of what was fetched, which must be known when compiling; without the scales of int16 and int8.
RIGCAST_DEVICE inline float widened(const FetchedWeights& from, network::Storage storage, int i) {
    const auto bits = static_cast<std::uint16_t>(from.word[i / 2] >> 16 * (i % 2));
    switch (storage) {
        case network::Storage::float32:
            return std::bit_cast<float>(from.word[i]);
        case network::Storage::float16:
            return widened_float16(bits);
        case network::Storage::bfloat16:
            return widened_bfloat16(bits);
        case network::Storage::int16:
            return static_cast<float>(static_cast<std::int16_t>(bits));
        case network::Storage::int8:
            return static_cast<float>(static_cast<std::int8_t>(from.word[i / 4] >> 8 * (i % 4)));
    }
    return 0.0f;
}

/// True if one part of TF32 holds a weight exactly: a power of two as scale changes nothing.
RIGCAST_DEVICE inline bool has_one_part(network::Storage storage) {
    return storage != network::Storage::float32 && storage != network::Storage::int16;
}

/// Up to four numbers from `from` on, of which `count` exist; 0 for the others.
RIGCAST_DEVICE inline FourFloats load_four(const float* from, std::int64_t count) {
    if (count >= 4 && reinterpret_cast<std::uintptr_t>(from) % sizeof(FourFloats) == 0) {
        return *reinterpret_cast<const FourFloats*>(from);
    }
    FourFloats result;
    RIGCAST_UNROLL
    for (int i = 0; i < 4; ++i) result.value[i] = i < count ? from[i] : 0.0f;
    return result;
}

/// Inputs of a piece of a long sum.
constexpr int inputs_per_piece = 256;

/// Finish(W_g x_g) for all groups g of a layer and all frames (or tangents) in one launch, on the matrix units
/// (matrix_units.h), in float32 of two parts.
///
/// Why not cuBLAS: a body has many small matrices of different shapes (dozens of sets, 20 to 400 inputs, 128 outputs).
/// cuBLAS would need four launches per set or padding to one shape, and is a dependency of 600 MB. One grouped kernel
/// computes a layer of all sets with bias and activation, with sums in a fixed order, and can be checked without a GPU
/// (emulation.h). Large layers of one shape may go through cuBLAS instead (LibraryProduct).
///
/// Weights stay in the format in which the model stores them, and are widened while a block of threads loads them: a
/// group in 16 bits takes half the memory and half the reads, and all but int16 two thirds of the products.
///
/// A block of 256 threads computes 64 outputs of `Frames` frames: 128 for large batches, where a warp has 32 x 32
/// sums, and 32 or 8, with longer steps, for small ones. A frame has the same bytes in all of them: the terms of a sum
/// have the order of the inputs. `InPieces`: a sum is that of its pieces (ProductPlan::pieces), which the block sums
/// one after another and adds in their order, as AddPieces does with those of several blocks. A step has `Depths` times
/// 16 inputs, and a warp `Rows` tiles of outputs.
template <class Finish, int Frames, bool InPieces = false, int Depths = Frames == 128 ? 2 : 4,
          int Rows = Frames == 128 ? 2 : 1>
struct GroupedProduct {
    static constexpr int threads = 256;
    static constexpr int blocks = InPieces ? 1 : 2;
    static constexpr int frames_per_block = Frames;
    static constexpr int outputs_per_tile = 64;
    static constexpr int row_tiles = outputs_per_tile / FloatTile::rows;
    static constexpr int column_tiles = Frames / FloatTile::columns;
    static constexpr int depths = Depths;
    static constexpr int inputs_per_step = depths * FloatTile::depth;
    static constexpr int warps = threads / lanes_per_warp;
    static constexpr int rows_per_warp = Rows;
    static constexpr int warps_of_rows = row_tiles / rows_per_warp;
    static constexpr int columns_per_warp = (column_tiles * warps_of_rows + warps - 1) / warps;
    using WarpPlace = PlaceOfWarp<row_tiles, rows_per_warp, columns_per_warp>;
    static constexpr int weights_per_thread = depths * row_tiles * lanes_per_warp / threads;  // fragments
    static constexpr int inputs_per_thread = (depths * column_tiles * lanes_per_warp + threads - 1) / threads;
    static_assert(inputs_per_piece % inputs_per_step == 0 && depths * row_tiles >= warps);

    struct Shared {
        FloatRowTile w[depths][row_tiles];
        FloatColumnTile x[depths][column_tiles];
        bool ends_piece;
    };
    struct Fetched {
        FetchedWeights w[weights_per_thread];
        FourFloats x[inputs_per_thread];
    };
    struct Registers {
        float sum[rows_per_warp][columns_per_warp][FloatTile::sums];
        float total[InPieces ? rows_per_warp : 1][columns_per_warp][FloatTile::sums];  // of the pieces before
    };

    const ProductGroup* groups;
    const ProductTile* tiles;  // one per column of blocks
    TiledWeights weights;
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

    RIGCAST_DEVICE void fetch(Block block, int thread, int step, Fetched& fetched) const {
        const ProductTile tile = tiles[block.column];
        const ProductGroup group = groups[tile.group];
        const int lane = thread % lanes_per_warp;
        const int all_depths = (group.inputs + FloatTile::depth - 1) / FloatTile::depth;
        const int first_depth = tile.begin / FloatTile::depth + step * depths;
        const int rows = row_tiles_of(group, tile);
        RIGCAST_UNROLL
        for (int i = 0; i < weights_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const int depth = first_depth + number / row_tiles;
            const int row = number % row_tiles;
            fetched.w[i] = {};
            if (depth >= all_depths || row >= rows) continue;
            const std::int64_t at = group.weight + tile.first / FloatTile::rows * all_depths + depth * rows + row;
            fetched.w[i] = fetch_weights(weights, group.storage, at, lane);
        }
        RIGCAST_UNROLL
        for (int i = 0; i < inputs_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const std::int64_t frame = block.row * Frames + number % column_tiles * FloatTile::columns + lane / 4;
            const int from = (first_depth + number / column_tiles) * FloatTile::depth + lane % 4 * 4;
            const bool inside = number < depths * column_tiles && frame < num_frames;
            const float* x = input + frame * input_width + group.first_input + from;
            fetched.x[i] = load_four(x, inside ? tile.end - from : 0);
        }
    }

    RIGCAST_DEVICE void put(Block block, int thread, int step, const Fetched& fetched, Shared& shared) const {
        const ProductTile tile = tiles[block.column];
        const ProductGroup group = groups[tile.group];
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < weights_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const int from = tile.begin + step * inputs_per_step + number / row_tiles * FloatTile::depth;
            FloatRowTile& target = shared.w[number / row_tiles][number % row_tiles];
            RIGCAST_UNROLL
            for (int k = 0; k < FloatTile::row_numbers; ++k) {
                const int row = tile.first + number % row_tiles * FloatTile::rows + FloatTile::row(lane, k);
                target.half[k / 4][lane].value[k % 4] =
                    widened(fetched.w[i], group.storage, k) * scale(group, row, from + FloatTile::row_depth(lane, k));
            }
        }
        RIGCAST_UNROLL
        for (int i = 0; i < inputs_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            if (number >= depths * column_tiles) break;
            shared.x[number / column_tiles][number % column_tiles].lane[lane] = fetched.x[i];
        }
        if (InPieces && thread == 0) {
            const int end = (step + 1) * inputs_per_step;
            shared.ends_piece = end % inputs_per_piece == 0 || end >= tile.end;
        }
    }

    RIGCAST_DEVICE void multiply(Block block, int thread, const Shared& shared, Registers& registers) const {
        const int warp = thread / lanes_per_warp;
        const int row = WarpPlace::first_row(warp);
        const int column = WarpPlace::first_column(warp);
        if (column >= column_tiles) return;
        const bool one_part = has_one_part(groups[tiles[block.column].group].storage);
        RIGCAST_UNROLL
        for (int depth = 0; depth < depths; ++depth) {
            multiply_floats(thread % lanes_per_warp, &shared.w[depth][row], 1, &shared.x[depth][column], 1, one_part,
                            registers.sum);
        }
        if constexpr (InPieces) {
            if (shared.ends_piece) add_piece(registers);
        }
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const ProductTile tile = tiles[block.column];
        const ProductGroup group = groups[tile.group];
        const int warp = thread / lanes_per_warp;
        if (WarpPlace::first_column(warp) >= column_tiles) return;
        RIGCAST_UNROLL
        for (int i = 0; i < rows_per_warp; ++i) {
            RIGCAST_UNROLL
            for (int j = 0; j < columns_per_warp; ++j) {
                RIGCAST_UNROLL
                for (int s = 0; s < FloatTile::sums; ++s) {
                    const int lane = thread % lanes_per_warp;
                    const std::int64_t unit =
                        tile.first + (WarpPlace::first_row(warp) + i) * FloatTile::rows + FloatTile::sum_row(lane, s);
                    const std::int64_t frame = block.row * Frames +
                                               (WarpPlace::first_column(warp) + j) * FloatTile::columns +
                                               FloatTile::sum_column(lane, s);
                    if (unit >= group.outputs || frame >= num_frames) continue;
                    const std::int64_t column = group.first_output + unit;
                    output[(tile.piece * num_frames + frame) * output_width + column] =
                        finish(sum_of(registers)[i][j][s], group.bias + unit, frame, column);
                }
            }
        }
    }

    /// Tiles of 16 outputs of a tile.
    RIGCAST_DEVICE static int row_tiles_of(const ProductGroup& group, const ProductTile& tile) {
        const int left = (group.outputs - tile.first + FloatTile::rows - 1) / FloatTile::rows;
        return left < row_tiles ? left : row_tiles;
    }

private:
    RIGCAST_DEVICE static const auto& sum_of(const Registers& registers) {
        if constexpr (InPieces) {
            return registers.total;
        } else {
            return registers.sum;
        }
    }
    RIGCAST_DEVICE static void add_piece(Registers& registers) {
        RIGCAST_UNROLL
        for (int i = 0; i < rows_per_warp; ++i) {
            RIGCAST_UNROLL
            for (int j = 0; j < columns_per_warp; ++j) {
                RIGCAST_UNROLL
                for (int s = 0; s < FloatTile::sums; ++s) {
                    registers.total[i][j][s] += registers.sum[i][j][s];
                    registers.sum[i][j][s] = 0.0f;
                }
            }
        }
    }

    /// The scale of a weight.
    RIGCAST_DEVICE float scale(const ProductGroup& group, int row, int column) const {
        if (!network::has_blocks(group.storage) || row >= group.outputs || column >= group.inputs) return 1.0f;
        return weights.scales[group.scale + std::int64_t{row / group.rows_per_block} * group.inputs + column];
    }
};

}  // namespace rigcast::cuda
