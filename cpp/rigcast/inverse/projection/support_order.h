#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace rigcast::inverse {

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

/// Orders vertices so that the vertices of a tile (`vertices_per_tile` successive ones) are moved by few different
/// columns. Returns the vertices (M) in that order, ascending within each tile.
///
/// Method: recursive spectral bisection (Simon 1991, "Partitioning of unstructured problems for parallel processing"):
/// a set is halved at the median of a score, and both halves are halved again down to one tile. The score is not the
/// Fiedler vector of a graph but the projection on the principal direction of the vertices' rows of bits, as in
/// principal direction divisive partitioning (Boley 1998), by one step of the power method on a sample of the set.
///
/// Cost: O(M N log M) at worst, in proportion to the bits that are set. The same order for any number of threads.
std::vector<std::int32_t> order_by_supports(const Supports& supports, std::int64_t vertices_per_tile, int threads);

}  // namespace rigcast::inverse
