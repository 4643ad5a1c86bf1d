#include "rigwright/inverse/projection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>

#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/inverse/projection_kernels.h"

namespace rigwright::inverse {
namespace {

constexpr std::int64_t part = 512;  // blocks whose targets are packed in one go, so that they stay in cache
constexpr std::int64_t batch = 24;  // frames whose targets stand beside each other: columns are read once for all

/// Which columns move which vertices, in bits.
class Supports {
public:
    Supports(std::int64_t num_columns, std::int64_t num_vertices)
        : num_columns_(num_columns), words_((num_columns + 63) / 64), bits_(num_vertices * words_) {}

    void add(std::int64_t column, std::int64_t vertex) {
        bits_[vertex * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
    }
    std::int64_t num_columns() const { return num_columns_; }
    template <class F>
    void for_columns(std::int64_t vertex, F&& visit) const {
        for (std::int64_t w = 0; w < words_; ++w) {
            for (std::uint64_t rest = bits_[vertex * words_ + w]; rest != 0; rest &= rest - 1) {
                visit(64 * w + std::countr_zero(rest));
            }
        }
    }

private:
    std::int64_t num_columns_, words_;
    std::vector<std::uint64_t> bits_;
};

/// Orders vertices so that neighbors are moved by the same columns: halves a set along the direction in which its
/// supports differ most (a few steps of the power method, begun at the column that halves the set best), until blocks
/// are left.
class SupportOrder {
public:
    SupportOrder(const Supports& supports, std::int64_t num_vertices)
        : supports_(supports), order_(num_vertices), score_(num_vertices), column_(supports.num_columns()) {
        std::iota(order_.begin(), order_.end(), 0);
        halve(order_.begin(), order_.end());
        for (std::int64_t first = 0; first < num_vertices; first += Projection::block) {
            std::sort(order_.begin() + first, order_.begin() + std::min(first + Projection::block, num_vertices));
        }
    }

    const std::vector<std::int32_t>& order() const { return order_; }

private:
    using Iterator = std::vector<std::int32_t>::iterator;

    void halve(Iterator begin, Iterator end) {
        const std::int64_t count = end - begin, blocks = (count + Projection::block - 1) / Projection::block;
        if (blocks < 2 || column_.empty()) return;
        score(begin, end);
        const Iterator middle = begin + blocks / 2 * Projection::block;
        std::nth_element(begin, middle, end, [&](std::int32_t a, std::int32_t b) {
            return score_[a] != score_[b] ? score_[a] < score_[b] : a < b;
        });
        halve(begin, middle);
        halve(middle, end);
    }

    void score(Iterator begin, Iterator end) {
        constexpr int steps = 2;
        const double count = static_cast<double>(end - begin);
        std::vector<double> share(column_.size(), 0.0);
        for (Iterator v = begin; v != end; ++v)
            supports_.for_columns(*v, [&](std::int64_t n) { share[n] += 1.0 / count; });
        const auto unevenness = [](double a, double b) { return std::abs(a - 0.5) < std::abs(b - 0.5); };
        const std::int64_t first = std::min_element(share.begin(), share.end(), unevenness) - share.begin();
        for (Iterator v = begin; v != end; ++v) {
            score_[*v] = 0.0;
            supports_.for_columns(*v, [&](std::int64_t n) { score_[*v] += n == first ? 1.0 : 0.0; });
        }
        double mean = share[first];
        for (int step = 0; step < steps; ++step) {
            std::fill(column_.begin(), column_.end(), 0.0);
            double largest = 0.0, sum = 0.0;
            for (Iterator v = begin; v != end; ++v) {
                supports_.for_columns(*v, [&](std::int64_t n) { column_[n] += score_[*v] - mean; });
            }
            for (const double c : column_) largest = std::max(largest, std::abs(c));
            for (Iterator v = begin; v != end; ++v) {
                double& score = score_[*v] = 0.0;
                supports_.for_columns(*v, [&](std::int64_t n) { score += column_[n]; });
                score = largest > 0.0 ? score / largest : 0.0;
                sum += score;
            }
            mean = sum / count;
        }
    }

    const Supports& supports_;
    std::vector<std::int32_t> order_;
    std::vector<double> score_, column_;
};

}  // namespace

Projection::Projection(std::int64_t num_columns, const Columns& columns, View<const float, 2> neutral,
                       View<const std::int32_t, 1> vertices, View<const double, 1> vertex_weights)
    : num_columns_(num_columns) {
    std::vector<float> dense(neutral.size());
    std::vector<Column> moved(num_columns);
    Supports supports(num_columns, vertices.size());
    for (std::int64_t n = 0; n < num_columns; ++n) {
        columns(n, {dense.data(), neutral.extents()});
        for (std::int32_t i = 0; i < vertices.size(); ++i) {
            const float* offset = dense.data() + 3 * vertices(i);
            if (offset[0] == 0.0f && offset[1] == 0.0f && offset[2] == 0.0f) continue;
            supports.add(n, i);
            moved[n].vertex.push_back(i);
            moved[n].offset.insert(moved[n].offset.end(), offset, offset + 3);
        }
    }
    position_ = SupportOrder(supports, vertices.size()).order();
    for (const std::int32_t i : position_) {
        vertex_.push_back(vertices(i));
        weight_.push_back(vertex_weights(i));
        neutral_.insert(neutral_.end(), neutral.row(vertices(i)), neutral.row(vertices(i)) + 3);
    }
    for (std::int64_t first = 0; first < num_vertices(); first += block) {
        blocks_.push_back({first, std::min(block, num_vertices() - first), 0, 0, 0});
    }
    order_.resize(vertex_.size());
    std::iota(order_.begin(), order_.end(), 0);
    for (std::int64_t first = 0; first < num_vertices(); first += part * block) {
        std::sort(order_.begin() + first, order_.begin() + std::min(first + part * block, num_vertices()),
                  [&](std::int32_t a, std::int32_t b) { return position_[a] < position_[b]; });
    }
    pack(moved);
}

/// Deals the columns out to the blocks.
void Projection::pack(std::span<const Column> columns) {
    std::vector<std::int64_t> place(position_.size());
    for (std::size_t p = 0; p < position_.size(); ++p) place[position_[p]] = static_cast<std::int64_t>(p);
    std::vector<std::vector<std::int32_t>> own(blocks_.size());
    for (std::size_t n = 0; n < columns.size(); ++n) {
        for (const std::int32_t i : columns[n].vertex) {
            std::vector<std::int32_t>& there = own[place[i] / block];
            if (there.empty() || there.back() != static_cast<std::int32_t>(n))
                there.push_back(static_cast<std::int32_t>(n));
        }
    }
    std::int64_t size = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        Block& at = blocks_[b];
        at.columns_begin = static_cast<std::int64_t>(column_.size());
        at.tiles = (std::ssize(own[b]) + tile - 1) / tile;
        at.packed_begin = size;
        size += at.tiles * 3 * at.count * tile;
        column_.insert(column_.end(), own[b].begin(), own[b].end());
        column_.resize(at.columns_begin + at.tiles * tile, static_cast<std::int32_t>(num_columns_));
    }
    packed_.resize(size, 0.0f);
    std::vector<std::int64_t> next(blocks_.size(), 0);  // of a block's columns
    for (std::int64_t n = 0; n < num_columns_; ++n) {
        const Column& column = columns[n];
        for (std::size_t m = 0; m < column.vertex.size(); ++m) {
            const std::int64_t p = place[column.vertex[m]], b = p / block;
            const Block& at = blocks_[b];
            next[b] += own[b][next[b]] == n ? 0 : 1;
            float* panel = packed_.data() + at.packed_begin + next[b] / tile * 3 * at.count * tile + next[b] % tile;
            for (int axis = 0; axis < 3; ++axis)
                panel[(3 * (p - at.first) + axis) * tile] = column.offset[3 * m + axis];
        }
    }
}

void Projection::project(View<const float, 3> targets, bool all, View<double, 2> projections, View<double, 1> energies,
                         int threads) const {
    const std::int32_t* source = all ? vertex_.data() : position_.data();
    parallel_for(targets.extent(0), batch, threads, [&](std::int64_t begin, std::int64_t end) {
        project_batch(targets, source, neutral_.data(), begin, end, projections, energies);
    });
}

void Projection::project_batch(View<const float, 3> targets, const std::int32_t* source, const float* neutral,
                               std::int64_t begin, std::int64_t end, View<double, 2> projections,
                               View<double, 1> energies) const {
    const std::int64_t rows = end - begin, most = std::min(part * block, num_vertices());
    const std::size_t packed_size = Scratch::padded(3 * most * rows), sums_size = (num_columns_ + 1) * rows;
    const Scratch::Lease<double> memory(packed_size + sums_size + 3 * rows);
    double* packed = memory.data();
    double *sums = packed + packed_size, *squares = sums + sums_size;
    std::fill_n(sums, sums_size + 3 * rows, 0.0);
    const PackedVertices vertices{order_.data(), source, neutral, weight_.data()};
    for (std::int64_t next = 0; next < std::ssize(blocks_); next += part) {
        const std::span<const Block> own(blocks_.data() + next, std::min(part, std::ssize(blocks_) - next));
        const std::int64_t first = own.front().first, last = own.back().first + own.back().count;
        projection_kernels().pack(targets.row(begin), targets.size() / targets.extent(0), rows, vertices, first, last,
                                  first, packed, squares);
        for (const Block& at : own) {
            const PackedColumns columns{packed_.data() + at.packed_begin, column_.data() + at.columns_begin, at.tiles,
                                        3 * at.count};
            projection_kernels().product(packed + 3 * (at.first - first) * rows, rows, columns, sums);
        }
    }
    for (std::int64_t t = 0; t < rows; ++t) {
        for (std::int64_t n = 0; n < num_columns_; ++n) projections(begin + t, n) = sums[n * rows + t];
        energies(begin + t) = squares[t] + squares[rows + t] + squares[2 * rows + t];
    }
}

void Projection::gram(const Columns& columns, std::int64_t num_rig_vertices, View<double, 2> matrix,
                      int threads) const {
    constexpr std::int64_t together = 2 * batch;
    std::vector<float> dense(together * 3 * num_rig_vertices);
    const std::vector<float> zero(neutral_.size(), 0.0f);
    std::vector<double> energies(num_columns_);
    for (std::int64_t begin = 0; begin < num_columns_; begin += together) {
        const std::int64_t rows = std::min(together, num_columns_ - begin);
        for (std::int64_t i = 0; i < rows; ++i) {
            columns(begin + i, {dense.data() + i * 3 * num_rig_vertices, {num_rig_vertices, 3}});
        }
        const View<const float, 3> targets(dense.data(), {rows, num_rig_vertices, 3});
        const View<double, 2> out(matrix.row(begin), {rows, num_columns_});
        const View<double, 1> sums(energies.data(), {rows});
        parallel_for(rows, batch, threads, [&](std::int64_t first, std::int64_t last) {
            project_batch(targets, vertex_.data(), zero.data(), first, last, out, sums);
        });
    }
    for (std::int64_t i = 0; i < num_columns_; ++i) {  // equal up to the order of sums: make it exact
        for (std::int64_t j = 0; j < i; ++j) matrix(j, i) = matrix(i, j);
    }
}

}  // namespace rigwright::inverse
