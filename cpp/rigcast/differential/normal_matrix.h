#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::differential {

/// Factorizes N = L^T L + S^T W^2 S of a mesh with neighbors, anchors (A) and squared weights (A).
std::unique_ptr<const linalg::SparseCholesky> factorize_normal_matrix(const mesh::Neighbors& neighbors,
                                                                      View<const std::int32_t, 1> anchors,
                                                                      View<const double, 1> squared_weights);

/// Writes L x, L = D - A, for m columns, (V, m) both. Requires: x and out are different memory.
void apply_laplacian(const mesh::Neighbors& neighbors, View<const double, 2> x, View<double, 2> out);

/// Writes the diagonal (V) of N^-1 L^T L N^-1. Since L^T L = N - S^T W^2 S, it is that of
///   N^-1 - N^-1 S^T W^2 S N^-1.
void error_variances(const linalg::SparseCholesky& normal, View<const std::int32_t, 1> anchors,
                     View<const double, 1> squared_weights, View<double, 1> out, int threads);

}  // namespace rigcast::differential
