#pragma once
#include <cstdint>

namespace rigcast::linalg {

/// The left matrix of a product: entry (i, k) is data[i * row_stride + k * depth_stride]. So a transposed matrix needs
/// no copy.
struct LeftMatrix {
    const double* data;
    std::int64_t row_stride;
    std::int64_t depth_stride;
};

/// A matrix with adjacent columns, rows `stride` apart.
struct RightMatrix {
    const double* data;
    std::int64_t stride;
};

/// Numbers of working memory that add_product needs.
constexpr std::int64_t product_workspace = 45056;

/// out (rows, columns) += scale a b, for a (rows, depth) and b (depth, columns); rows of `out` are `stride` apart.
/// Compiled for every instruction set. Method: tiles of rows and columns whose sums stay in registers; panels of b, and
/// a where several panels need it, are copied to `workspace` (product_workspace numbers, aligned to 64 bytes).
/// Guarantee: an entry is summed over k in ascending order, in runs whose lengths do not depend on its place, so its
/// bytes do not depend on the other rows and columns of the call. `out` must not overlap a, b or the workspace.
void add_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double scale, LeftMatrix a, RightMatrix b,
                 double* out, std::int64_t stride, double* workspace);

}  // namespace rigcast::linalg
