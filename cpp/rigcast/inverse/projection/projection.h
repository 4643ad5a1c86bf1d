#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::inverse {

/// Columns of a tile that are packed side by side: a full vector of doubles on AVX-512, two on AVX2.
constexpr std::int64_t columns_per_strip = 8;
/// Fewer follow the borders of sparse columns more closely, more load and store the columns' sums less often. Chosen,
/// not tuned.
constexpr std::int64_t vertices_per_tile = 8;
constexpr std::int64_t max_coordinates = 3 * vertices_per_tile;  // of a tile

/// The M vertices in the order in which they are read from targets.
struct TargetVertices {
    const std::int32_t* source;  // (M): index in a frame's targets
    const std::int32_t* slot;    // (M): index in the output
    const float* neutral;        // (M, 3)
    const double* weight;        // (M)
};

/// The columns of one tile of vertices.
struct TileColumns {
    const float* numbers;          // (num_strips, num_coordinates, columns_per_strip)
    const std::int32_t* column;    // (num_strips, columns_per_strip): index in the sums
    std::int64_t num_strips;       // of columns_per_strip columns
    std::int64_t num_coordinates;  // 3 per vertex of the tile
};

/// The two inner loops of Projection. Working arrays have frames side by side: number i of frame f is at
/// [i * frames + f]. Each sum adds its terms in one order, whatever `frames` is: a frame has the same bytes in any
/// batch.
struct ProjectionKernels {
    /// Writes weight * (target - neutral) of vertices begin ... end - 1 in reading order; the coordinates of the vertex
    /// with slot s go to out[3 (s - begin) ...]. Adds weight * (target - neutral)^2 per axis to energies (3, frames).
    /// Frames are `targets_stride` floats apart.
    void (*weigh)(const float* targets, std::int64_t targets_stride, std::int64_t frames,
                  const TargetVertices& vertices, std::int64_t begin, std::int64_t end, double* out, double* energies);
    /// Adds the products of a tile's columns with its weighted coordinates (num_coordinates, frames) to the columns'
    /// sums (N + 1, frames).
    void (*multiply)(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums);
    /// Adds the products of a tile's columns with each other, A^T diag(weight) A with A (num_coordinates, columns), to
    /// a matrix (N + 1, stride), stride a multiple of columns_per_strip: in its upper triangle, and somewhere below the
    /// diagonal. `work` has 2 num_strips num_coordinates columns_per_strip numbers.
    void (*gram)(const TileColumns& tile, const double* weight, double* work, double* matrix, std::int64_t stride);
};

/// The kernels of the instruction set that this process uses.
const ProjectionKernels& projection_kernels();

/// Calls visit(n) for each bit n that is set, ascending.
template <class F>
void for_bits(std::span<const std::uint64_t> words, F&& visit) {
    std::int64_t first = 0;
    for (const std::uint64_t word : words) {
        for (std::uint64_t rest = word; rest != 0; rest &= rest - 1) visit(first + std::countr_zero(rest));
        first += 64;
    }
}

/// Which of N columns move which of M vertices: one bit per pair.
class Supports {
public:
    Supports(std::int64_t num_columns, std::int64_t num_vertices)
        : num_columns_(num_columns),
          num_vertices_(num_vertices),
          words_per_vertex_((num_columns + 63) / 64),
          bits_(static_cast<std::size_t>(num_vertices * words_per_vertex_)) {}

    std::int64_t num_columns() const { return num_columns_; }
    std::int64_t num_vertices() const { return num_vertices_; }

    void add(std::int64_t column, std::int64_t vertex) {
        bits_[vertex * words_per_vertex_ + column / 64] |= std::uint64_t{1} << (column % 64);
    }
    bool has(std::int64_t column, std::int64_t vertex) const {
        return (bits_[vertex * words_per_vertex_ + column / 64] >> (column % 64) & 1) != 0;
    }
    /// Column n of a vertex is bit n % 64 of word n / 64.
    std::span<const std::uint64_t> words(std::int64_t vertex) const {
        return {bits_.data() + vertex * words_per_vertex_, static_cast<std::size_t>(words_per_vertex_)};
    }
    /// Words per vertex.
    std::int64_t num_words() const { return words_per_vertex_; }
    /// Calls visit(column) for each column that moves the vertex, ascending.
    template <class F>
    void for_columns(std::int64_t vertex, F&& visit) const {
        for_bits(words(vertex), visit);
    }

private:
    std::int64_t num_columns_;
    std::int64_t num_vertices_;
    std::int64_t words_per_vertex_;
    std::vector<std::uint64_t> bits_;
};

/// Orders vertices so that the vertices of a tile (`per_tile` successive ones) are moved by few different
/// columns. Returns the vertices (M) in that order, ascending within each tile.
///
/// Method: recursive spectral bisection (Simon 1991, "Partitioning of unstructured problems for parallel processing"):
/// a set is halved at the median of a score, and both halves are halved again down to one tile. The score is not the
/// Fiedler vector of a graph but the projection on the principal direction of the vertices' rows of bits, as in
/// principal direction divisive partitioning (Boley 1998), by one step of the power method on a sample of the set.
///
/// Cost: O(M N log M) at worst, in proportion to the bits that are set. The same order for any number of threads.
std::vector<std::int32_t> order_by_supports(const Supports& supports, std::int64_t per_tile, int threads);

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
