#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/matrix_units.h"

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
    /// Along an axis: the parities whose texels see a tap, a bit for each, and the matrix that they multiply it by.
    RIGCAST_DEVICE unsigned seen(int tap) const { return tap == 0 ? 1u : tap == taps() - 1 ? 2u : 3u; }
    RIGCAST_DEVICE int matrix(int tap, int parity) const { return upsamples != 0 ? tap + parity : tap - parity; }
    /// Tiles of 16 channels of a texel.
    RIGCAST_DEVICE int depth_tiles() const { return (inputs + FloatTile::depth - 1) / FloatTile::depth; }
};

/// A pair of tap and 16 channels: one step of depth. They follow one another by taps, then channels.
struct TexelDepth {
    int row;  // of the tap
    int column;
    int tile;  // of the channels

    RIGCAST_DEVICE void advance(const TexelGroup& group) {
        if (++tile < group.depth_tiles()) return;
        tile = 0;
        if (++column < group.taps()) return;
        column = 0;
        ++row;
    }
    RIGCAST_DEVICE bool is_beyond(const TexelGroup& group) const { return row >= group.taps(); }
    /// The parities whose texels see the tap, a bit for each.
    RIGCAST_DEVICE unsigned seen(const TexelGroup& group) const {
        if (is_beyond(group)) return 0;
        const unsigned rows = group.seen(row);
        return ((rows & 1u) * 3u + (rows >> 1) * 12u) & group.seen(column) * 5u;
    }
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

}  // namespace rigcast::cuda
