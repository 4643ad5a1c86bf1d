#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/face/detail.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/cuda/products/grouped_product.h"

namespace rigcast::cuda {

/// A convolution of a segment's map, cell by cell. A cell is 2 x 2 texels of the result, one of each parity of row and
/// column; all are sums over parts of the same texels of the source, the cell's taps: 4 x 4 of them, or after an
/// upsampling 3 x 3. A map lies texel by texel, the channels of a texel side by side; only needed texels exist.
struct TexelGroup {
    std::int64_t input;   // column of the first texel of the map that is read
    std::int64_t output;  // column of the first texel of the result
    std::int64_t bias;    // first number of b in the biases
    std::int64_t source;  // first number of (taps, cells) in the sources
    std::int64_t target;  // first number of (parities, cells) in the targets
    std::int32_t inputs;  // channels
    std::int32_t outputs;
    std::int32_t cells;
    std::int32_t upsamples;
    std::int32_t refinement;

    static constexpr int parities = 4;  // p: of the row p / 2, of the column p % 2

    /// Taps along an axis.
    RIGCAST_DEVICE int taps() const { return upsamples != 0 ? 3 : 4; }
    /// Matrices of weights along an axis.
    RIGCAST_DEVICE int matrices() const { return upsamples != 0 ? 4 : 3; }
    /// Along an axis: the matrix that texels of a parity multiply a tap by, or -1 if they do not see the tap.
    RIGCAST_DEVICE int matrix(int tap, int parity) const {
        if (tap < parity || tap - parity >= taps() - 1) return -1;
        return upsamples != 0 ? tap + parity : tap - parity;
    }
    /// Tiles of 16 channels of a texel.
    RIGCAST_DEVICE int depth_tiles() const { return (inputs + FloatTile::depth - 1) / FloatTile::depth; }
};

/// Successive cells and 16 outputs of a group, which one block computes.
struct TexelTile {
    std::int64_t weight;  // first tile of the matrices, for the outputs of this one
    std::int32_t group;
    std::int32_t first_cell;
    std::int32_t first_output;
};

/// Number `row` of the outputs of a tile is that many after the first: a lane has two neighbors.
RIGCAST_DEVICE constexpr int texel_output(int row) {
    return row % 8 * 2 + row / 8;
}

/// Finish(W * x) for one convolution layer of all segments and all frames (or tangents) in one launch, on the matrix
/// units; W * x sums over taps, then channels. Only needed texels are stored. A warp whose frame leaves a refinement
/// out reads and computes nothing.
///
/// A block computes 32 cells x 16 outputs of `Frames` frames; a warp 8 `Columns` cells of one frame. A texel that was
/// read is multiplied for all parities that see it (9 of 4 per tap on average, after an upsampling 16 of 9), so that
/// the matrix units are the limit and not the reads; a list of sources is read once per block. A step has `Depths`
/// pairs of tap and 16 channels: one for large batches, several for small ones, where each step waits for memory. The
/// terms of a sum have the same order in all shapes.
template <class Finish, int Frames, int Columns, int Depths>
struct TexelProduct {
    static constexpr int cells_per_tile = 32;
    static constexpr int outputs_per_tile = FloatTile::rows;
    static constexpr int frames_per_block = Frames;
    static constexpr int cells_per_warp = Columns * FloatTile::columns;
    static constexpr int warps_per_frame = cells_per_tile / cells_per_warp;
    static constexpr int warps = Frames * warps_per_frame;
    static constexpr int threads = warps * lanes_per_warp;
    static constexpr int blocks = warps > 8 ? 1 : (Columns == 4 || Depths > 2 ? 12 : 16) / warps;
    static constexpr int parities = TexelGroup::parities;
    static constexpr int fragments = Depths * parities * 2;  // of weights per step: a warp reads one at once
    static constexpr int weights_per_thread = (fragments + warps - 1) / warps;

    struct Shared {
        FloatRowTile w[Depths][parities];
        FloatColumnTile x[Depths][warps][Columns];
        unsigned seen[Depths];  // by which parities, a bit for each
    };
    struct Fetched {
        FourFloats w[weights_per_thread];
        FourFloats x[Depths][Columns];
        std::int32_t source[Depths][Columns];  // of the next step
    };
    struct Registers {
        float sum[parities][Columns][FloatTile::sums];
    };

    const TexelGroup* groups;
    const TexelTile* tiles;       // one per column of blocks
    const std::int32_t* sources;  // texels that are read, -1 for none
    const std::int32_t* targets;  // texels that are written, -1 for none
    const FloatRowTile* weights;
    Finish finish;
    Detail detail;
    const float* input;  // (T, input_width)
    std::int64_t input_width;
    float* output;  // (T, output_width)
    std::int64_t output_width;
    std::int64_t num_frames;

    RIGCAST_DEVICE int steps(Block block) const {
        const TexelGroup& group = groups[tiles[block.column].group];
        bool any = false;
        for (int i = 0; i < Frames; ++i) any = any || !is_left_out(group, block.row * Frames + i);
        return any ? (num_depths(group) + Depths - 1) / Depths : 0;
    }

    RIGCAST_DEVICE void fetch(Block block, int thread, int step, Fetched& fetched) const {
        const TexelTile tile = tiles[block.column];
        const TexelGroup group = groups[tile.group];
        const std::int64_t frame = frame_of(block, thread);
        const bool left_out = is_left_out(group, frame);
        if (step == 0) fetch_sources(group, tile, thread, left_out, step, fetched);
        fetch_weights(group, tile, thread, step, fetched);
        const float* map = input + (left_out ? 0 : frame) * input_width + group.input;
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            const int channel = (step * Depths + d) % group.depth_tiles() * FloatTile::depth + thread % 4 * 4;
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                const std::int32_t source = fetched.source[d][j];
                const float* texel = map + std::int64_t{source < 0 ? 0 : source} * group.inputs + channel;
                fetched.x[d][j] = load_four(texel, source < 0 ? 0 : group.inputs - channel);
            }
        }
        fetch_sources(group, tile, thread, left_out, step + 1, fetched);
    }

    RIGCAST_DEVICE void put(Block block, int thread, int step, const Fetched& fetched, Shared& shared) const {
        const int warp = thread / lanes_per_warp;
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int i = 0; i < weights_per_thread; ++i) {
            const int number = warp + i * warps;
            if (number >= fragments) break;
            shared.w[number / 2 / parities][number / 2 % parities].half[number % 2][lane] = fetched.w[i];
        }
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) shared.x[d][warp][j].lane[lane] = fetched.x[d][j];
        }
        if (thread < Depths) {
            const TexelGroup& group = groups[tiles[block.column].group];
            unsigned seen = 0;
            for (int parity = 0; parity < parities; ++parity) {
                if (matrix_of(group, step * Depths + thread, parity) >= 0) seen |= 1u << parity;
            }
            shared.seen[thread] = seen;
        }
    }

    RIGCAST_DEVICE void multiply(Block block, int thread, const Shared& shared, Registers& registers) const {
        if (is_left_out(groups[tiles[block.column].group], frame_of(block, thread))) return;
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            multiply_floats(thread % lanes_per_warp, shared.w[d], 1, shared.x[d][thread / lanes_per_warp], 1, false,
                            registers.sum, shared.seen[d]);
        }
    }

    RIGCAST_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const TexelTile tile = tiles[block.column];
        const TexelGroup group = groups[tile.group];
        const std::int64_t frame = frame_of(block, thread);
        const int unit = tile.first_output + texel_output(FloatTile::sum_row(thread % lanes_per_warp, 0));
        if (unit >= group.outputs || is_left_out(group, frame)) return;
        RIGCAST_UNROLL
        for (int parity = 0; parity < parities; ++parity) {
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                const int cell = first_cell(tile, thread) + j * FloatTile::columns + thread % 4 * 2;
                store(group, {frame, unit, parity, cell}, registers.sum[parity][j]);
            }
        }
    }

private:
    /// Two outputs from `unit` on of a parity's texels of two cells.
    struct Stored {
        std::int64_t frame;
        int unit;
        int parity;
        int cell;
    };
    struct alignas(8) TwoFloats {
        float value[2];
    };

    /// All are finished before the first is written, so that a bias is read once.
    RIGCAST_DEVICE void store(const TexelGroup& group, const Stored& at, const float (&sum)[FloatTile::sums]) const {
        const bool both = at.unit + 1 < group.outputs;
        std::int32_t target[2];
        TwoFloats value[2];
        RIGCAST_UNROLL
        for (int i = 0; i < 2; ++i) {
            const int cell = at.cell + i;
            target[i] = cell < group.cells ? targets[group.target + at.parity * group.cells + cell] : -1;
            if (target[i] < 0) continue;
            const std::int64_t to = column(group, target[i], at.unit);
            value[i].value[0] = finish(sum[i], group.bias + at.unit, at.frame, to);
            if (both) value[i].value[1] = finish(sum[2 + i], group.bias + at.unit + 1, at.frame, to + 1);
        }
        RIGCAST_UNROLL
        for (int i = 0; i < 2; ++i) {
            if (target[i] < 0) continue;
            float* to = output + at.frame * output_width + column(group, target[i], at.unit);
            if (both && reinterpret_cast<std::uintptr_t>(to) % sizeof(TwoFloats) == 0) {
                *reinterpret_cast<TwoFloats*>(to) = value[i];
                continue;
            }
            to[0] = value[i].value[0];
            if (both) to[1] = value[i].value[1];
        }
    }
    RIGCAST_DEVICE static std::int64_t column(const TexelGroup& group, std::int32_t target, int unit) {
        return group.output + std::int64_t{target} * group.outputs + unit;
    }

    RIGCAST_DEVICE void fetch_sources(const TexelGroup& group, const TexelTile& tile, int thread, bool left_out,
                                      int step, Fetched& fetched) const {
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            const int tap = (step * Depths + d) / group.depth_tiles();
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                const int cell =
                    first_cell(tile, thread) + j * FloatTile::columns + FloatTile::column(thread % lanes_per_warp);
                const bool inside = !left_out && tap < group.taps() * group.taps() && cell < group.cells;
                fetched.source[d][j] = inside ? sources[group.source + std::int64_t{tap} * group.cells + cell] : -1;
            }
        }
    }

    RIGCAST_DEVICE void fetch_weights(const TexelGroup& group, const TexelTile& tile, int thread, int step,
                                      Fetched& fetched) const {
        RIGCAST_UNROLL
        for (int i = 0; i < weights_per_thread; ++i) {
            const int number = thread / lanes_per_warp + i * warps;
            const int depth = step * Depths + number / 2 / parities;
            const int matrix = number < fragments ? matrix_of(group, depth, number / 2 % parities) : -1;
            fetched.w[i] = {};
            if (matrix < 0) continue;
            const std::int64_t at = tile.weight + matrix * group.depth_tiles() + depth % group.depth_tiles();
            fetched.w[i] = weights[at].half[number % 2][thread % lanes_per_warp];
        }
    }

    /// The matrix by which texels of a parity multiply a pair of tap and 16 channels, -1 for none.
    RIGCAST_DEVICE static int matrix_of(const TexelGroup& group, int depth, int parity) {
        if (depth >= num_depths(group)) return -1;
        const int tap = depth / group.depth_tiles();
        const int row = group.matrix(tap / group.taps(), parity / 2);
        const int column = group.matrix(tap % group.taps(), parity % 2);
        return row < 0 || column < 0 ? -1 : row * group.matrices() + column;
    }
    RIGCAST_DEVICE static int num_depths(const TexelGroup& group) {
        return group.taps() * group.taps() * group.depth_tiles();
    }
    RIGCAST_DEVICE static std::int64_t frame_of(Block block, int thread) {
        return block.row * Frames + thread / lanes_per_warp / warps_per_frame;
    }
    RIGCAST_DEVICE static int first_cell(const TexelTile& tile, int thread) {
        return tile.first_cell + thread / lanes_per_warp % warps_per_frame * cells_per_warp;
    }
    RIGCAST_DEVICE bool is_left_out(const TexelGroup& group, std::int64_t frame) const {
        return frame >= num_frames || detail.of(frame, group.refinement) == 0.0f;
    }
};

/// Shapes for few frames, of which a layer has few warps that wait for memory, and for many.
template <class Finish>
using FewTexels = TexelProduct<Finish, 1, 1, 4>;
template <class Finish>
using ManyTexels = TexelProduct<Finish, 4, 4, 1>;

}  // namespace rigcast::cuda
