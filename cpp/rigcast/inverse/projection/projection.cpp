#include "rigcast/inverse/projection/projection.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::inverse {
namespace {

// Tiles whose targets are made ready at once: few enough that the targets, 300 KB, stay in the L2 cache until they are
// multiplied. Of 32 to 512, the fastest on the ICT face by a few percent.
constexpr std::int64_t tiles_per_pass = 64;
constexpr std::int64_t vertices_per_pass = tiles_per_pass * vertices_per_tile;
// Frames that are multiplied together: more read the columns less often but need more cache for targets. Three full
// vectors of eight doubles, which the kernel keeps in registers.
constexpr std::int64_t frames_per_batch = 24;
// Parts of the tiles with a Gram matrix of their own, which are added up in order: the same bytes for any number of
// threads. More can use more threads, each costs the memory of a matrix.
constexpr std::int64_t gram_pieces = 4;

/// Slots in the order in which their vertices are read: pass by pass, ascending in the caller's list, so that targets
/// are read in the order of memory.
std::vector<std::int32_t> reading_order(std::span<const std::int32_t> listed_of_slot) {
    const std::int64_t count = std::ssize(listed_of_slot);
    std::vector<std::int32_t> slots(listed_of_slot.size());
    std::iota(slots.begin(), slots.end(), 0);
    for (std::int64_t first = 0; first < count; first += vertices_per_pass) {
        std::sort(slots.begin() + first, slots.begin() + std::min(first + vertices_per_pass, count),
                  [&](std::int32_t a, std::int32_t b) { return listed_of_slot[a] < listed_of_slot[b]; });
    }
    return slots;
}

}  // namespace

Projection::Projection(std::int64_t num_columns, const VertexOffsets& moved, View<const float, 2> neutral,
                       View<const std::int32_t, 1> vertices, View<const double, 1> vertex_weights, int threads)
    : num_columns_(num_columns) {
    Supports supports(num_columns, vertices.size());
    for (std::int64_t i = 0; i < vertices.size(); ++i) {
        for (std::int64_t e = moved.begin[i]; e < moved.begin[i + 1]; ++e) supports.add(moved.column[e], i);
    }
    const std::vector<std::int32_t> listed_of_slot = order_by_supports(supports, vertices_per_tile, threads);
    slot_ = reading_order(listed_of_slot);
    for (const std::int32_t slot : slot_) {
        const std::int32_t i = listed_of_slot[slot];
        listed_.push_back(i);
        vertex_.push_back(vertices(i));
        weight_.push_back(vertex_weights(i));
        neutral_.insert(neutral_.end(), neutral.row(vertices(i)), neutral.row(vertices(i)) + 3);
    }
    make_tiles(supports, listed_of_slot);
    pack(moved, listed_of_slot, threads);
}

void Projection::make_tiles(const Supports& supports, std::span<const std::int32_t> listed_of_slot) {
    std::int64_t size = 0;
    std::vector<std::uint64_t> any(supports.num_words());  // columns that move a vertex of the tile
    for (std::int64_t first = 0; first < num_vertices(); first += vertices_per_tile) {
        Tile tile;
        tile.first_slot = first;
        tile.num_vertices = std::min(vertices_per_tile, num_vertices() - first);
        tile.first_column = std::ssize(column_);
        tile.first_number = size;
        std::fill(any.begin(), any.end(), 0u);
        for (std::int64_t slot = first; slot < first + tile.num_vertices; ++slot) {
            const std::span<const std::uint64_t> words = supports.words(listed_of_slot[slot]);
            for (std::size_t w = 0; w < any.size(); ++w) any[w] |= words[w];
        }
        for_bits(any, [&](std::int64_t n) { column_.push_back(static_cast<std::int32_t>(n)); });
        const std::int64_t count = std::ssize(column_) - tile.first_column;
        tile.num_strips = (count + columns_per_strip - 1) / columns_per_strip;
        column_.resize(tile.first_column + tile.num_strips * columns_per_strip,
                       static_cast<std::int32_t>(num_columns_));
        size += tile.num_strips * 3 * tile.num_vertices * columns_per_strip;
        tiles_.push_back(tile);
    }
    packed_.resize(size, 0.0f);
}

/// Writes the columns' offsets into the strips of the tiles.
void Projection::pack(const VertexOffsets& moved, std::span<const std::int32_t> listed_of_slot, int threads) {
    constexpr std::int64_t tiles_per_piece = 128;
    parallel_for(std::ssize(tiles_), tiles_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> place(num_columns_);  // in the strips of the tile: of column n if it is there
        for (std::int64_t b = begin; b < end; ++b) {
            const Tile& tile = tiles_[b];
            const std::int64_t strip_size = 3 * tile.num_vertices * columns_per_strip;
            for (std::int64_t c = 0; c < tile.num_strips * columns_per_strip; ++c) {
                const std::int32_t n = column_[tile.first_column + c];
                if (n == num_columns_) break;
                place[n] = c / columns_per_strip * strip_size + c % columns_per_strip;
            }
            for (std::int64_t v = 0; v < tile.num_vertices; ++v) {
                float* numbers = packed_.data() + tile.first_number + 3 * v * columns_per_strip;
                const std::int32_t i = listed_of_slot[tile.first_slot + v];
                for (std::int64_t e = moved.begin[i]; e < moved.begin[i + 1]; ++e) {
                    float* to = numbers + place[moved.column[e]];
                    for (int axis = 0; axis < 3; ++axis) to[axis * columns_per_strip] = moved.offset[3 * e + axis];
                }
            }
        }
    });
}

void Projection::project(View<const float, 3> targets, Layout layout, View<double, 2> projections,
                         View<double, 1> energies, int threads) const {
    const std::vector<std::int32_t>& source = layout == Layout::all ? vertex_ : listed_;
    const TargetVertices vertices{source.data(), slot_.data(), neutral_.data(), weight_.data()};
    parallel_for(targets.extent(0), frames_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        project_batch(targets, vertices, begin, end, projections, energies);
    });
}

/// Projects frames begin ... end - 1, at most frames_per_batch.
void Projection::project_batch(View<const float, 3> targets, const TargetVertices& vertices, std::int64_t begin,
                               std::int64_t end, View<double, 2> projections, View<double, 1> energies) const {
    const std::int64_t frames = end - begin;
    const std::int64_t most_vertices = std::min(vertices_per_pass, num_vertices());
    const std::size_t weighted_size = Scratch::padded(3 * most_vertices * frames);
    const std::size_t sums_size = (num_columns_ + 1) * frames;  // the last one takes what left-over places add
    const Scratch::Lease<double> memory(weighted_size + sums_size + 3 * frames);
    double* weighted = memory.data();
    double* sums = weighted + weighted_size;
    double* squares = sums + sums_size;
    std::fill_n(sums, sums_size + 3 * frames, 0.0);
    for (std::int64_t next = 0; next < std::ssize(tiles_); next += tiles_per_pass) {
        const std::span<const Tile> pass(tiles_.data() + next, std::min(tiles_per_pass, std::ssize(tiles_) - next));
        const std::int64_t first = pass.front().first_slot;
        const std::int64_t last = pass.back().first_slot + pass.back().num_vertices;
        projection_kernels().weigh(targets.row(begin), targets.size() / targets.extent(0), frames, vertices, first,
                                   last, weighted, squares);
        for (const Tile& tile : pass) {
            const TileColumns columns{packed_.data() + tile.first_number, column_.data() + tile.first_column,
                                      tile.num_strips, 3 * tile.num_vertices};
            projection_kernels().multiply(weighted + 3 * (tile.first_slot - first) * frames, frames, columns, sums);
        }
    }
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t n = 0; n < num_columns_; ++n) projections(begin + t, n) = sums[n * frames + t];
        energies(begin + t) = squares[t] + squares[frames + t] + squares[2 * frames + t];
    }
}

void Projection::gram(View<double, 2> matrix, int threads) const {
    std::vector<double> weight(3 * weight_.size());  // of each coordinate, in the order of slots
    for (std::size_t i = 0; i < weight_.size(); ++i) std::fill_n(&weight[3 * slot_[i]], 3, weight_[i]);
    std::int64_t most_strips = 0;
    for (const Tile& tile : tiles_) most_strips = std::max(most_strips, tile.num_strips);
    const std::int64_t work_size = 2 * most_strips * 3 * vertices_per_tile * columns_per_strip;
    const std::int64_t stride = (num_columns_ / columns_per_strip + 1) * columns_per_strip;  // > N
    const std::int64_t size = (num_columns_ + 1) * stride;  // the last row and column take what left-over places add
    std::vector<double> sums(gram_pieces * size, 0.0);
    const std::int64_t tiles_per_piece = (std::ssize(tiles_) + gram_pieces - 1) / gram_pieces;
    parallel_for(gram_pieces, 1, threads, [&](std::int64_t piece, std::int64_t) {
        std::vector<double> work(work_size);
        const std::int64_t end = std::min<std::int64_t>((piece + 1) * tiles_per_piece, std::ssize(tiles_));
        for (std::int64_t b = piece * tiles_per_piece; b < end; ++b) {
            const Tile& tile = tiles_[b];
            const TileColumns columns{packed_.data() + tile.first_number, column_.data() + tile.first_column,
                                      tile.num_strips, 3 * tile.num_vertices};
            projection_kernels().gram(columns, &weight[3 * tile.first_slot], work.data(), &sums[piece * size], stride);
        }
    });
    for (std::int64_t i = 0; i < num_columns_; ++i) {
        for (std::int64_t j = i; j < num_columns_; ++j) {
            double sum = 0.0;
            for (std::int64_t piece = 0; piece < gram_pieces; ++piece) sum += sums[piece * size + i * stride + j];
            matrix(i, j) = matrix(j, i) = sum;
        }
    }
}

}  // namespace rigcast::inverse
