#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::differential {

/// Laplacian ("delta") coordinates of displacements, and the displacements that fit delta coordinates and anchor
/// positions best (Sorkine et al. 2004; Song et al. 2020, section 3.2.5).
///
/// With the graph Laplacian L = D - A of the mesh (mesh::graph_laplacian), A anchor vertices, selected by S, and
/// weights W = diag(w):
///   encode:  delta = L d
///   solve:   d = argmin |L d - delta|^2 + |W (S d - a)|^2 = N^-1 (L^T delta + S^T W^2 a),   N = L^T L + S^T W^2 S.
/// The same L in both: solve(encode(d), S d) = d. N is factorized once; three right-hand sides per frame.
/// Immutable and thread-safe. Guarantee: the bytes of a frame depend neither on threads nor on other frames.
class Reconstructor {
public:
    /// Faces (F, 4), anchors (A), weights (A). The mesh need not be manifold. Throws ArgumentError if a face or an
    /// anchor is out of range, an anchor occurs twice, a component has no anchor (the text names it), or a weight is
    /// not finite and positive.
    Reconstructor(View<const std::int32_t, 2> faces, std::int64_t num_vertices, View<const std::int32_t, 1> anchors,
                  View<const double, 1> anchor_weights);

    std::int64_t num_vertices() const { return num_vertices_; }
    const std::vector<std::int32_t>& anchors() const { return anchors_; }
    /// (A) w
    const std::vector<double>& anchor_weights() const { return weights_; }

    /// Writes delta (T, V, 3) of displacements (T, V, 3). Throws ArgumentError if shapes differ, or a value is not
    /// finite or so large that the result overflows float32.
    void encode(View<const float, 3> displacements, View<float, 3> delta, int threads) const;
    /// Writes the displacements (T, V, 3) of delta (T, V, 3) and anchor positions a (T, A, 3), which are displacements
    /// too. Throws as encode.
    void solve(View<const float, 3> delta, View<const float, 3> anchor_positions, View<float, 3> displacements,
               int threads) const;

    /// Bytes of the factorization.
    std::int64_t num_bytes() const { return cholesky_->num_bytes(); }
    /// Writes L x for m columns, (V, m) both.
    void apply_laplacian(View<const double, 2> x, View<double, 2> out) const;
    /// Overwrites x (V, m) with N^-1 x.
    void solve_normal(View<double, 2> x, int threads) const { cholesky_->solve(x, x, threads); }
    /// Writes the error gain (V): the standard deviation of each vertex if delta has independent errors of standard
    /// deviation 1, the square root of the diagonal of N^-1 L^T L N^-1. Exact.
    void gain(View<double, 1> out, int threads) const;

private:
    void solve_frames(View<const float, 3> delta, View<const float, 3> anchor_positions, View<float, 3> displacements,
                      std::int64_t begin, std::int64_t end, int threads) const;

    std::int64_t num_vertices_;
    mesh::Neighbors neighbors_;  // the graph of L
    std::vector<std::int32_t> anchors_;
    std::vector<double> weights_;
    std::unique_ptr<const linalg::SparseCholesky> cholesky_;  // of N
};

}  // namespace rigcast::differential
