#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/projection/projection_kernels.h"
#include "rigcast/inverse/projection/support_order.h"

namespace rigcast::inverse {

/// Computes Phi^T Omega (b - b^0): N columns Phi of a rig on M chosen vertices with weights Omega, targets b, neutral
/// b^0.
///
/// Method: vertices are sorted into tiles of 8 that are moved by few different columns (order_by_supports). A tile
/// stores only the columns that move one of its vertices, so that sparse columns cost little more than their entries.
/// Precision: columns are float32; targets minus neutral, products and sums are double.
/// Guarantee: a frame's results have the same bytes whatever frames are projected with it, for any number of threads.
/// Immutable; safe to use from several threads at once.
class Projection {
public:
    /// The offsets of the M chosen vertices, vertex by vertex.
    struct VertexOffsets {
        std::vector<std::int64_t> begin;   // (M + 1): vertex i has the entries begin[i] to before begin[i + 1]
        std::vector<std::int32_t> column;  // of each entry, ascending per vertex
        std::vector<float> offset;         // three per entry
    };

    /// `neutral` (V, 3) of the rig; `vertices` (M) in any order, each once; `vertex_weights` (M) >= 0. Arguments are
    /// not checked: see RigGram. The same bytes for any number of threads.
    Projection(std::int64_t num_columns, const VertexOffsets& moved, View<const float, 2> neutral,
               View<const std::int32_t, 1> vertices, View<const double, 1> vertex_weights, int threads);

    std::int64_t num_columns() const { return num_columns_; }
    std::int64_t num_vertices() const { return static_cast<std::int64_t>(slot_.size()); }
    /// Bytes of the packed columns.
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.size() * sizeof(float)); }

    /// Which vertices targets list.
    enum class Layout {
        chosen,  // (T, M, 3), in the order of `vertices`
        all      // (T, V, 3), all vertices of the rig
    };
    /// Writes Phi^T Omega (b - b^0) to `projections` (T, N), and (b - b^0)^T Omega (b - b^0) to `energies` (T).
    void project(View<const float, 3> targets, Layout layout, View<double, 2> projections, View<double, 1> energies,
                 int threads) const;
    /// Writes the Gram matrix Phi^T Omega Phi (N, N), exactly symmetric, with the same bytes for any number of threads.
    /// Cost: half of the squared number of columns in a tile, summed over tiles.
    void gram(View<double, 2> matrix, int threads) const;

private:
    struct Tile {
        std::int64_t first_slot;
        std::int64_t num_vertices;
        std::int64_t first_column;  // in column_
        std::int64_t num_strips;    // of columns_per_strip columns
        std::int64_t first_number;  // in packed_: (num_strips, 3 num_vertices, columns_per_strip)
    };

    void make_tiles(const Supports& supports, std::span<const std::int32_t> listed_of_slot);
    void pack(const VertexOffsets& moved, std::span<const std::int32_t> listed_of_slot, int threads);
    void project_batch(View<const float, 3> targets, const TargetVertices& vertices, std::int64_t begin,
                       std::int64_t end, View<double, 2> projections, View<double, 1> energies) const;

    std::int64_t num_columns_;
    // Vertices in the order in which they are read from targets. A vertex's slot is its place in the tiles.
    std::vector<std::int32_t> slot_;
    std::vector<std::int32_t> listed_;  // index in the caller's `vertices`
    std::vector<std::int32_t> vertex_;  // index in the rig
    std::vector<float> neutral_;        // (M, 3)
    std::vector<double> weight_;        // (M)

    std::vector<Tile> tiles_;
    std::vector<std::int32_t> column_;  // of each place in a tile's strips; N in places that are left over
    std::vector<float> packed_;
};

}  // namespace rigcast::inverse
