#pragma once
#include <cstdint>

namespace rigwright::linalg {

/// Rows of a factor that are subtracted from a tile: `count` of them, `stride` apart, beginning at the columns of the
/// tile's rows (`left`) and at those of its columns (`right`).
template <class Real>
struct EliminatedRows {
    const Real* left;
    const Real* right;
    std::int64_t stride, count;
};

/// What a band factorization in `Real` is made of. Counts of columns are multiples of `panel`.
template <class Real>
struct BandKernels {
    /// Rows of a tile, and the numbers that its columns come in.
    static constexpr std::int64_t panel = 8;
    /// Most columns of a tile.
    static constexpr std::int64_t widest = sizeof(Real) == 4 ? 32 : 24;

    /// tile (panel rows `stride` apart, `columns`) -= left^T right of `count` sources, held in registers throughout;
    /// then, unless `triangle` is null, <- U^-T tile for the upper triangle U (panel, panel) with the inverses of its
    /// diagonal on the diagonal.
    void (*eliminate)(const EliminatedRows<Real>* sources, std::int64_t count, const Real* triangle, Real* tile,
                      std::int64_t stride, std::int64_t columns);
    /// x (columns) -= sum_p factors[p] rows_p over panel rows, `stride` apart.
    void (*subtract_rows)(const Real* factors, const Real* rows, std::int64_t stride, Real* x, std::int64_t columns);
    /// products[p] = rows_p . x
    void (*multiply_rows)(const Real* rows, std::int64_t stride, const Real* x, std::int64_t columns, Real* products);
};

/// Those of the instruction set that this process uses, for float and double.
template <class Real>
const BandKernels<Real>& band_kernels();

}  // namespace rigwright::linalg
