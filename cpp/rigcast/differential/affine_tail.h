#pragma once
#include <cstddef>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::differential {

using network::Packed;
using network::Rows;

/// The affine map y = B z + (M a^x, M a^y, M a^z) + m from R coefficients z and A points a to V points, packed for the
/// kernels. M is shared by x, y and z.
/// Layout: tiles of 32 vertices. The constants m of a tile come as 32 x, 32 y and 32 z in float32. Its weights are B,
/// coefficient by coefficient, likewise, then M, anchor by anchor, 32 numbers each. The last tile is padded with zeros.
struct AffineTail {
    static constexpr int vertices_per_tile = 32;  // 2 AVX-512 or 4 AVX2 vectors

    std::int64_t num_vertices = 0;
    std::int64_t num_coefficients = 0;
    std::int64_t num_anchors = 0;
    network::Storage storage = network::Storage::float32;  // of the weights; constants are float32
    float storage_error = 0.0f;                            // the largest |w - stored w|
    std::size_t constant = 0;                              // offsets into the Packed
    std::size_t weight = 0;

    std::int64_t num_tiles() const { return (num_vertices + vertices_per_tile - 1) / vertices_per_tile; }
    std::int64_t weights_per_tile() const { return vertices_per_tile * (3 * num_coefficients + num_anchors); }
    /// Floats of working memory of AffineTailKernels::vjp.
    std::size_t vjp_size() const;
};

/// Packs B (3 V, R) with rows x0 y0 z0 x1 ..., M (V, A) and m (3 V) into `packed`.
AffineTail pack_affine_tail(View<const float, 2> basis, View<const float, 2> anchor, View<const float, 1> constant,
                            network::Storage storage, Packed& packed);

/// Writes what was packed of one vertex, widened to float32: the rows of B (3 R), M (A) and m (3).
void unpack_vertex(const AffineTail& tail, const Packed& packed, std::int64_t vertex, float* basis, float* anchor,
                   float* constant);

/// Operations compiled for the instruction set in use. Guarantee: the result of a row does not depend on the others.
struct AffineTailKernels {
    /// Writes the points (3 V) of `count` rows of coefficients (R) and anchor points (3 A), for the tiles
    /// [first, last). Without `with_constant`, m is left out: the Jacobian-vector product.
    void (*evaluate)(const AffineTail& tail, const Packed& packed, Rows<const float> coefficients,
                     Rows<const float> anchors, Rows<float> points, int count, std::int64_t first, std::int64_t last,
                     bool with_constant);
    /// Vector-Jacobian product of one row: writes the gradients with respect to coefficients (R) and anchor points
    /// (3 A). `memory` has AffineTail::vjp_size() floats, aligned to a cache line.
    void (*vjp)(const AffineTail& tail, const Packed& packed, const float* cotangents, float* coefficient_gradient,
                float* anchor_gradient, float* memory);
};
const AffineTailKernels& affine_tail_kernels();

}  // namespace rigcast::differential
