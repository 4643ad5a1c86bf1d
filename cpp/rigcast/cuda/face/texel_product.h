#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/face/detail.h"
#include "rigcast/cuda/face/texel_group.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/cuda/products/grouped_product.h"

namespace rigcast::cuda {

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
    static constexpr int halves = parities * 2;  // of the tiles of weights of a depth: a warp reads one at once
    static constexpr int halves_per_warp = (halves + warps - 1) / warps;

    struct Shared {
        FloatRowTile w[Depths][parities];
        FloatColumnTile x[Depths][warps][Columns];
        unsigned seen[Depths];
    };
    struct Fetched {
        FourFloats w[Depths][halves_per_warp];
        FourFloats x[Depths][Columns];
        unsigned seen[Depths];
        TexelDepth next;  // the first of the next step, and its sources
        std::int32_t source[Depths][Columns];
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
        if (step == 0) {
            fetched.next = {0, 0, 0};
            fetch_sources(group, tile, thread, left_out, fetched.next, fetched);
        }
        const float* map = input + (left_out ? 0 : frame) * input_width + group.input;
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            fetched.seen[d] = fetched.next.seen(group);
            fetch_weights(group, tile, thread, fetched.next, fetched.seen[d], fetched.w[d]);
            fetch_texels(group, map, fetched.next.tile * FloatTile::depth + thread % 4 * 4, fetched.source[d],
                         fetched.x[d]);
            fetched.next.advance(group);
        }
        fetch_sources(group, tile, thread, left_out, fetched.next, fetched);
    }

    RIGCAST_DEVICE void put(Block, int thread, int, const Fetched& fetched, Shared& shared) const {
        const int warp = thread / lanes_per_warp;
        const int lane = thread % lanes_per_warp;
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            RIGCAST_UNROLL
            for (int i = 0; i < halves_per_warp; ++i) {
                const int half = warp + i * warps;
                if (half < halves) shared.w[d][half / 2].half[half % 2][lane] = fetched.w[d][i];
            }
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) shared.x[d][warp][j].lane[lane] = fetched.x[d][j];
            if (thread == 0) shared.seen[d] = fetched.seen[d];
        }
    }

    RIGCAST_DEVICE void multiply(Block block, int thread, const Shared& shared, Registers& registers) const {
        if (detail.factors != nullptr && is_left_out(groups[tiles[block.column].group], frame_of(block, thread)))
            return;
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
                                      TexelDepth from, Fetched& fetched) const {
        const int first = first_cell(tile, thread) + FloatTile::column(thread % lanes_per_warp);
        RIGCAST_UNROLL
        for (int d = 0; d < Depths; ++d) {
            const bool is_needed = !left_out && !from.is_beyond(group);
            const int tap = from.row * group.taps() + from.column;
            const std::int32_t* source = sources + group.source + std::int64_t{tap} * group.cells;
            RIGCAST_UNROLL
            for (int j = 0; j < Columns; ++j) {
                const int cell = first + j * FloatTile::columns;
                fetched.source[d][j] = is_needed && cell < group.cells ? source[cell] : -1;
            }
            from.advance(group);
        }
    }

    RIGCAST_DEVICE void fetch_weights(const TexelGroup& group, const TexelTile& tile, int thread, TexelDepth depth,
                                      unsigned seen, FourFloats (&w)[halves_per_warp]) const {
        RIGCAST_UNROLL
        for (int i = 0; i < halves_per_warp; ++i) {
            const int half = thread / lanes_per_warp + i * warps;
            const int parity = half / 2;
            w[i] = {};
            if ((seen >> parity & 1u) == 0) continue;
            const int matrix =
                group.matrix(depth.row, parity / 2) * group.matrices() + group.matrix(depth.column, parity % 2);
            const std::int64_t at = tile.weight + matrix * group.depth_tiles() + depth.tile;
            w[i] = weights[at].half[half % 2][thread % lanes_per_warp];
        }
    }

    /// Four channels of each texel.
    RIGCAST_DEVICE static void fetch_texels(const TexelGroup& group, const float* map, int channel,
                                            const std::int32_t (&source)[Columns], FourFloats (&x)[Columns]) {
        const bool aligned = group.inputs % 4 == 0 && reinterpret_cast<std::uintptr_t>(map) % sizeof(FourFloats) == 0;
        RIGCAST_UNROLL
        for (int j = 0; j < Columns; ++j) {
            x[j] = {};
            if (source[j] < 0 || channel >= group.inputs) continue;
            const float* texel = map + std::int64_t{source[j]} * group.inputs + channel;
            if (aligned) {
                x[j] = *reinterpret_cast<const FourFloats*>(texel);
                continue;
            }
            RIGCAST_UNROLL
            for (int i = 0; i < 4; ++i) x[j].value[i] = channel + i < group.inputs ? texel[i] : 0.0f;
        }
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
