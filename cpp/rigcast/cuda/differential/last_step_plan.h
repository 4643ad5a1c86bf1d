#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/products/product_plan.h"
#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::differential {
class FactorizedTail;
class Tail;
}  // namespace rigcast::differential

namespace rigcast::cuda {

/// The last step of a differential subspace as one product (differential::Folded): p = B z + M a + m, where m includes
/// the rest vertices. `first_coefficient` is the column of a row at which z (R) and a (A, 3) begin.
struct FoldedPlan {
    FoldedPlan() = default;
    FoldedPlan(const differential::Tail& tail, std::int64_t first_coefficient);

    /// Columns of the row that make [z, a^x, z, a^y, z, a^z]: the inputs of the product.
    std::vector<std::int32_t> combined;
    /// One product per axis: V outputs [B | M] [z, a] + m; rows of x, then of y, then of z.
    ProductPlan points{network::Activation::none};
};

/// The last step as a product and a solve (differential::FactorizedTail):
///   delta = U z + mu,   d = N^-1 (L^T delta + S^T W^2 a),   p = v^0 + d of the model's vertices.
/// N = G G^T, where G is the triangular matrix of its Cholesky factorization and row i of N is vertex order[i] of the
/// mesh, which has M vertices.
struct SolvePlan {
    SolvePlan(const differential::FactorizedTail& tail, std::int64_t first_coefficient);

    std::int64_t first_anchor;                     // column of a row
    ProductPlan delta{network::Activation::none};  // 3 M outputs, x0 y0 z0 x1 ...
    std::vector<std::int32_t> order;               // (M)
    std::vector<std::int32_t> neighbor_start;      // (M + 1) by vertex of the mesh
    std::vector<std::int32_t> neighbor;            // vertices of the mesh
    std::vector<std::int32_t> anchor;              // (M) by vertex of the mesh: the anchor that it is, or -1
    std::vector<double> squared_weight;            // (A)
    linalg::SparseMatrix lower;                    // G in compressed columns
    std::vector<std::int32_t> row;                 // (V) the row of N of each vertex of the model
    std::vector<float> rest;                       // (V, 3) v^0
};

}  // namespace rigcast::cuda
