#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::inverse {

/// N columns of a rig on M chosen vertices, packed for Phi^T Omega b: blocks of vertices that the same columns
/// move, as far as possible, each with the columns that move one of its vertices, so that sparse columns cost little
/// more than they hold. Columns are float32; targets minus neutral, products and sums are double.
class Projection {
public:
    /// Writes column n, dense (V, 3).
    using Columns = std::function<void(std::int64_t n, View<float, 2> delta)>;

    /// `vertices` (M) ascending or not, each once; `vertex_weights` (M) >= 0.
    Projection(std::int64_t num_columns, const Columns& columns, View<const float, 2> neutral,
               View<const std::int32_t, 1> vertices, View<const double, 1> vertex_weights);

    std::int64_t num_columns() const { return num_columns_; }
    std::int64_t num_vertices() const { return static_cast<std::int64_t>(vertex_.size()); }
    /// Bytes of packed columns.
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.size() * sizeof(float)); }

    /// Writes p = Phi^T Omega (b - b^0) (T, N) and (b - b^0)^T Omega (b - b^0) (T) of targets (T, M, 3), rows in the
    /// order of `vertices`, or (T, V, 3) with `all`.
    void project(View<const float, 3> targets, bool all, View<double, 2> projections, View<double, 1> energies,
                 int threads) const;
    /// Phi^T Omega Phi, (N, N).
    void gram(const Columns& columns, std::int64_t num_rig_vertices, View<double, 2> matrix, int threads) const;

    static constexpr std::int64_t block = 8;  // vertices
    static constexpr std::int64_t tile = 8;   // columns side by side in packed_

private:
    struct Block {
        std::int64_t first, count;          // of vertex_
        std::int64_t columns_begin, tiles;  // of column_; tiles of `tile`
        std::int64_t packed_begin;          // (tiles, 3 count, tile)
    };
    /// The vertices that a column moves, as places in the caller's `vertices`, and its offsets there.
    struct Column {
        std::vector<std::int32_t> vertex;
        std::vector<float> offset;
    };

    void pack(std::span<const Column> columns);
    /// Frames begin ... end - 1; vertex i of a block stands at source[i] of the targets.
    void project_batch(View<const float, 3> targets, const std::int32_t* source, const float* neutral,
                       std::int64_t begin, std::int64_t end, View<double, 2> projections,
                       View<double, 1> energies) const;

    std::int64_t num_columns_;
    std::vector<std::int32_t> vertex_;    // in the rig, block by block
    std::vector<std::int32_t> position_;  // in the caller's `vertices`
    std::vector<std::int32_t> order_;     // places in vertex_, in each part by position_: the order of reading targets
    std::vector<float> neutral_;          // (M, 3)
    std::vector<double> weight_;          // (M)
    std::vector<Block> blocks_;
    std::vector<std::int32_t> column_;  // the last tile of a block is filled up with N
    std::vector<float> packed_;
};

}  // namespace rigwright::inverse
