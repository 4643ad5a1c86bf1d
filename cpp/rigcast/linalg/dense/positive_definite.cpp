#include "rigcast/linalg/dense/positive_definite.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/product.h"
#include "rigcast/linalg/dense_cholesky.h"
#include "rigcast/linalg/gram_kernels.h"

namespace rigcast::linalg {
namespace {

constexpr std::int64_t block_rows = 96;
constexpr std::int64_t block_stride = padded_width(block_rows);

/// An odd number of cache lines per row: rows then spread over the sets of the cache.
std::int64_t odd_lines(std::int64_t size) {
    return ((size + 7) / 8 | 1) * 8;
}

/// U^-1 of an upper triangular block, rows block_rows apart, zeros below the diagonal and in rows from `size` on.
void invert_upper(const double* upper, const double* inverse_diagonal, std::int64_t size, double* inverse) {
    std::fill_n(inverse, block_rows * block_rows, 0.0);
    const double* rows[block_rows];
    for (std::int64_t i = size; i-- > 0;) {
        double* row = inverse + i * block_rows;
        const std::int64_t below = size - i - 1;
        for (std::int64_t k = 0; k < below; ++k) rows[k] = inverse + (i + 1 + k) * block_rows + i + 1;
        gram_kernels().add_rows(upper + i * block_stride + i + 1, rows, below, row + i + 1, below);
        for (std::int64_t j = i + 1; j < size; ++j) row[j] *= -inverse_diagonal[i];
        row[i] = inverse_diagonal[i];
    }
}

}  // namespace

PositiveDefinite::PositiveDefinite(std::int64_t size)
    : size_(size),
      stride_(odd_lines(size)),
      values_(static_cast<std::size_t>(size * stride_)),
      inverses_(static_cast<std::size_t>(num_blocks() * rows_per_block * rows_per_block)) {
    static_assert(rows_per_block == block_rows);
}

/// Subtracts the blocks above from a diagonal block, factorizes it and inverts its factorization.
bool PositiveDefinite::factorize_diagonal(std::int64_t block) {
    const std::int64_t first = begin(block);
    const std::int64_t n = rows(block);
    const Scratch::Lease<double> memory(block_rows * block_stride + block_rows + product_workspace);
    double* upper = memory.data();
    double* inverse_diagonal = upper + block_rows * block_stride;
    std::fill_n(upper, block_rows * block_stride, 0.0);
    for (std::int64_t i = 0; i < n; ++i)
        std::copy(row(first + i) + first + i, row(first + i) + first + n, upper + i * block_stride + i);
    add_product(n, n, first, -1.0, {row(0) + first, 1, stride_}, {row(0) + first, stride_}, upper, block_stride,
                inverse_diagonal + block_rows);
    // Pivots are compared with the matrix's own diagonal, which the subtraction has left only here.
    for (std::int64_t i = 0; i < n; ++i) {
        if (!(upper[i * block_stride + i] > smallest_pivot * row(first + i)[first + i])) return false;
    }
    if (!dense_cholesky().factorize(upper, n, block_stride, smallest_pivot, inverse_diagonal)) return false;
    for (std::int64_t i = 0; i < n; ++i) {
        std::copy(upper + i * block_stride + i, upper + i * block_stride + n, row(first + i) + first + i);
    }
    invert_upper(upper, inverse_diagonal, n, inverses_.data() + block * block_rows * block_rows);
    return true;
}

/// U_bj = U_bb^-T (K_bj - sum_k U_kb^T U_kj) for the blocks right of a diagonal block.
void PositiveDefinite::factorize_right(std::int64_t block, int threads) {
    const std::int64_t first = begin(block);
    parallel_for(num_blocks() - block - 1, 1, threads, [&](std::int64_t from, std::int64_t to) {
        const Scratch::Lease<double> memory(block_rows * block_rows + product_workspace);
        double* solved = memory.data();
        double* workspace = solved + block_rows * block_rows;
        for (std::int64_t other = block + 1 + from; other < block + 1 + to; ++other) {
            const std::int64_t column = begin(other);
            const std::int64_t width = rows(other);
            double* target = row(first) + column;
            add_product(block_rows, width, first, -1.0, {row(0) + first, 1, stride_}, {row(0) + column, stride_},
                        target, stride_, workspace);
            std::fill_n(solved, block_rows * block_rows, 0.0);
            add_product(block_rows, width, block_rows, 1.0, {diagonal_inverse(block), 1, block_rows}, {target, stride_},
                        solved, block_rows, workspace);
            for (std::int64_t i = 0; i < block_rows; ++i) {
                std::copy_n(solved + i * block_rows, width, target + i * stride_);
            }
        }
    });
}

bool PositiveDefinite::factorize(int threads) {
    for (std::int64_t block = 0; block < num_blocks(); ++block) {
        if (!factorize_diagonal(block)) return false;
        factorize_right(block, threads);
    }
    return true;
}

double PositiveDefinite::log_determinant() const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < size_; ++i) sum += std::log(row(i)[i]);
    return 2.0 * sum;
}

void PositiveDefinite::inverse_root(double* out, int threads) const {
    parallel_for(num_blocks(), 1, threads, [&](std::int64_t from, std::int64_t to) {
        const Scratch::Lease<double> memory(block_rows * block_rows + product_workspace);
        double* sum = memory.data();
        double* workspace = sum + block_rows * block_rows;
        for (std::int64_t j = from; j < to; ++j) {
            const std::int64_t column = begin(j);
            const std::int64_t width = rows(j);
            for (std::int64_t i = 0; i < column; ++i) std::fill_n(out + i * stride_ + column, width, 0.0);
            for (std::int64_t i = 0; i < width; ++i) {
                for (std::int64_t k = 0; k < width; ++k) {
                    out[(column + i) * stride_ + column + k] = diagonal_inverse(j)[k * block_rows + i];
                }
            }
            for (std::int64_t i = j + 1; i < num_blocks(); ++i) {
                std::fill_n(sum, block_rows * block_rows, 0.0);
                add_product(rows(i), width, begin(i) - column, -1.0, {row(column) + begin(i), 1, stride_},
                            {out + column * stride_ + column, stride_}, sum, block_rows, workspace);
                for (std::int64_t r = 0; r < rows(i); ++r) {
                    std::fill_n(out + (begin(i) + r) * stride_ + column, width, 0.0);
                }
                add_product(rows(i), width, rows(i), 1.0, {diagonal_inverse(i), 1, block_rows}, {sum, block_rows},
                            out + begin(i) * stride_ + column, stride_, workspace);
            }
        }
    });
}

void PositiveDefinite::inverse(const double* root, double* out, int threads) const {
    const std::int64_t blocks = num_blocks();
    parallel_for(blocks, 1, threads, [&](std::int64_t from, std::int64_t to) {
        const Scratch::Lease<double> memory(product_workspace);
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t first = begin(i);
            const std::int64_t width = first + rows(i);
            for (std::int64_t r = first; r < width; ++r) std::fill_n(out + r * stride_, width, 0.0);
            add_product(rows(i), width, size_ - first, 1.0, {root + first * stride_ + first, 1, stride_},
                        {root + first * stride_, stride_}, out + first * stride_, stride_, memory.data());
        }
    });
}

void PositiveDefinite::multiply_root(const double* root, const double* y, std::int64_t columns, double* out,
                                     int threads) const {
    parallel_for(num_blocks(), 1, threads, [&](std::int64_t from, std::int64_t to) {
        const Scratch::Lease<double> memory(product_workspace);
        for (std::int64_t i = from; i < to; ++i) {
            std::fill_n(out + begin(i) * columns, rows(i) * columns, 0.0);
            add_product(rows(i), columns, begin(i) + rows(i), 1.0, {root + begin(i) * stride_, stride_, 1},
                        {y, columns}, out + begin(i) * columns, columns, memory.data());
        }
    });
}

void PositiveDefinite::multiply_root_transposed(const double* root, const double* y, std::int64_t columns, double* out,
                                                int threads) const {
    parallel_for(num_blocks(), 1, threads, [&](std::int64_t from, std::int64_t to) {
        const Scratch::Lease<double> memory(product_workspace);
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t first = begin(i);
            std::fill_n(out + first * columns, rows(i) * columns, 0.0);
            add_product(rows(i), columns, size_ - first, 1.0, {root + first * stride_ + first, 1, stride_},
                        {y + first * columns, columns}, out + first * columns, columns, memory.data());
        }
    });
}

}  // namespace rigcast::linalg
