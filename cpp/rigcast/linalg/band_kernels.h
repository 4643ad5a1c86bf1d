#pragma once
#include <cstdint>

namespace rigcast::linalg {

/// Rows of U that are subtracted from a tile: `count` rows, `stride` numbers apart. In the first of them, `left` points
/// at the columns with the indices of the tile's rows, `right` at the columns of the tile.
template <class Real>
struct EliminatedRows {
    const Real* left;
    const Real* right;
    std::int64_t stride;
    std::int64_t count;
};

/// The operations of BandCholesky on tiles, in float or double, compiled for every instruction set. A tile has
/// `rows_per_tile` rows, `stride` numbers apart. Numbers of columns are multiples of `rows_per_tile`.
template <class Real>
struct BandKernels {
    static constexpr std::int64_t rows_per_tile = 8;
    /// The largest number of columns that AVX-512 keeps in registers at once: three vectors of doubles or two of floats
    /// per row. Other instruction sets take them one vector at a time.
    static constexpr std::int64_t max_columns_per_tile = sizeof(Real) == 4 ? 32 : 24;

    /// tile <- tile - left^T right, summed over the rows of all `num_sources` sources. If `triangle` is not null, then
    /// tile <- U^-T tile, where `triangle` (rows_per_tile, rows_per_tile) is the upper triangle U with the inverses of
    /// its diagonal on the diagonal.
    void (*eliminate)(const EliminatedRows<Real>* sources, std::int64_t num_sources, const Real* triangle, Real* tile,
                      std::int64_t stride, std::int64_t columns);
    /// x(j) <- x(j) - sum_p coefficients(p) tile(p, j)
    void (*subtract_rows)(const Real* coefficients, const Real* tile, std::int64_t stride, Real* x,
                          std::int64_t columns);
    /// products(p) = sum_j tile(p, j) x(j)
    void (*multiply_rows)(const Real* tile, std::int64_t stride, const Real* x, std::int64_t columns, Real* products);
};

/// The kernels for the instruction set of this process. Real is float or double.
template <class Real>
const BandKernels<Real>& band_kernels();

}  // namespace rigcast::linalg
