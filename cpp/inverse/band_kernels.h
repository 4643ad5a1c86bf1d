#pragma once
#include <cstdint>

namespace rigwright::inverse {

/// Rows of a factor that are subtracted from a tile: `count` of them, `stride` apart, beginning at the columns of the
/// tile's rows (`left`) and at those of its columns (`right`).
struct EliminatedRows {
    const double* left;
    const double* right;
    std::int64_t stride, count;
};

struct BandKernels {
    /// Rows of a tile, and the numbers that its columns come in.
    static constexpr std::int64_t panel = 8;
    /// Most columns of a tile.
    static constexpr std::int64_t widest = 24;

    /// tile (panel rows `stride` apart, `columns`) -= left^T right of `count` sources, held in registers throughout;
    /// then, unless `triangle` is null, <- U^-T tile for the upper triangle U (panel, panel) with the inverses of its
    /// diagonal on the diagonal.
    void (*eliminate)(const EliminatedRows* sources, std::int64_t count, const double* triangle, double* tile,
                      std::int64_t stride, std::int64_t columns);
};

/// Those of the instruction set that this process uses.
const BandKernels& band_kernels();

}  // namespace rigwright::inverse
