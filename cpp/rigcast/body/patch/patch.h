#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"
#include "rigcast/network/storage.h"

namespace rigcast::body {

using network::Packed;
using network::Rows;
using network::Storage;

/// The vertices of one vertex set, packed for the kernels. Each contributes
///   a_k (X (base_k + basis_k c) + t)
/// to a vertex of the model, where base = rest + mean in the joint's coordinates and c are the set's coefficients.
///
/// Layout: tiles of 16 vertices, each padded to whole cache lines. A tile is 16 x, 16 y, 16 z of the base, 16 weights
/// a, then for each coefficient 16 x, 16 y, 16 z of the basis in its storage. int16, int8: these 48 numbers are a block
/// with a scale of its own; the scales of all coefficients, padded to whole cache lines, lie before the first block.
///
/// Overlap: the first set of a vertex stores its contribution at the vertex; later sets write theirs to a list of added
/// contributions, which are added afterwards in the order of the sets. Sets can therefore run in any order and in
/// parallel, and the sum has the same bytes.
struct Patch {
    static constexpr int vertices_per_tile = 16;                   // floats of an AVX-512 vector
    static constexpr int floats_per_head = 4 * vertices_per_tile;  // base and weights

    int members = 0;                     // vertices
    int num_stored = 0;                  // the first members: stored; the others are added
    int components = 0;                  // coefficients r
    Storage storage = Storage::float32;  // of the basis: float32, int16 or int8
    float storage_error = 0.0f;          // the largest |b - stored b| of the basis
    std::size_t tiles = 0;               // offset into the Packed
    std::vector<std::int32_t> vertex;    // (members) vertex of the model
    std::int64_t added_begin = 0;        // index of the first added member in the list of added contributions

    int num_added() const { return members - num_stored; }
    int num_tiles() const { return (members + vertices_per_tile - 1) / vertices_per_tile; }
    int padded_components() const {
        return (components + vertices_per_tile - 1) / vertices_per_tile * vertices_per_tile;
    }
    /// Bytes from the beginning of a tile to its basis.
    std::int64_t bytes_before_basis() const {
        const std::int64_t scales = network::has_blocks(storage) ? padded_components() : 0;
        return (floats_per_head + scales) * static_cast<std::int64_t>(sizeof(float));
    }
    std::int64_t bytes_per_tile() const {
        constexpr std::int64_t line = Packed::bytes_per_line;
        const std::int64_t basis = 3 * vertices_per_tile * std::int64_t{components} * network::num_bytes(storage);
        return bytes_before_basis() + (basis + line - 1) / line * line;
    }

    /// The first byte of a tile: x of its base.
    const std::byte* tile(const Packed& packed, int index) const {
        return packed.at<std::byte>(tiles) + index * bytes_per_tile();
    }
    /// x of a member's base; its y, z and weight a follow at distances of vertices_per_tile.
    const float* member(const Packed& packed, int index) const {
        return reinterpret_cast<const float*>(tile(packed, index / vertices_per_tile)) + index % vertices_per_tile;
    }
    float weight(const Packed& packed, int index) const { return member(packed, index)[3 * vertices_per_tile]; }
    /// Writes the basis of a member (r, 3), as it is stored.
    void read_basis(const Packed& packed, int index, float* basis) const;
};

/// The data of a patch with M members.
struct PatchSource {
    const std::int32_t* vertex;  // (M)
    const float* weight;         // (M)
    const bool* is_added;        // (M) an earlier set contains the vertex
    const float* base;           // (M, 3)
    View<const float, 2> basis;  // (3 M, r)
};
/// Packs a patch: stored members first, otherwise in the given order. The caller sets added_begin. Requires for int16
/// and int8: fits_blocks(source.basis).
Patch pack_patch(const PatchSource& source, int members, Storage storage, Packed& packed);

/// Adds a patch's added contributions (3 num_added() per frame, from added_begin on) to the vertices (3 V per frame).
void add_contributions(const Patch& patch, Rows<const float> added, Rows<float> vertices, int num_frames);

/// The operations of a patch on `num_frames` frames, one row per frame, compiled for the instruction set in use.
/// Guarantee: the result of a frame does not depend on the other frames.
struct PatchKernels {
    /// Writes the contributions from coefficients (r per row) and global transforms of the joint (12 per row): those of
    /// stored members to `vertices` (3 V per row), those of added members to `added`.
    void (*evaluate)(const Patch& patch, const Packed& packed, Rows<const float> coefficients,
                     Rows<const float> transforms, Rows<float> vertices, Rows<float> added, int num_frames);
    /// The vector-Jacobian product: from cotangents of the vertices (3 V per row), writes the gradients with respect to
    /// the coefficients (padded_components() per row, zero beyond r) and the transforms (12 per row). `work` has
    /// vertices_per_tile * r floats, aligned to a cache line.
    void (*vjp)(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
                Rows<const float> cotangents, Rows<float> coefficient_gradients, Rows<float> transform_gradients,
                float* work, int num_frames);
    /// The Jacobian-vector product: as `evaluate`, but writes derivatives along tangents of coefficients and
    /// transforms.
    void (*jvp)(const Patch& patch, const Packed& packed, Rows<const float> coefficients, Rows<const float> transforms,
                Rows<const float> coefficient_tangents, Rows<const float> transform_tangents, Rows<float> vertices,
                Rows<float> added, int num_frames);
};
const PatchKernels& patch_kernels();

}  // namespace rigcast::body
