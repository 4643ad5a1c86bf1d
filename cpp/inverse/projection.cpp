#include "inverse/projection.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "inverse/projection_kernels.h"

namespace rigwright::inverse {
namespace {

constexpr std::int64_t batch = 24;  // frames whose targets stand beside each other: columns are read once for all

/// Spreads the lowest 10 bits, two zeros after each.
std::uint32_t spread(std::uint32_t bits) {
    bits = (bits | bits << 16) & 0x030000FFu;
    bits = (bits | bits << 8) & 0x0300F00Fu;
    bits = (bits | bits << 4) & 0x030C30C3u;
    return (bits | bits << 2) & 0x09249249u;
}

/// Positions in `vertices` by Morton code of the neutral, so that neighbours in the order are neighbours in space.
std::vector<std::int32_t> morton_order(View<const float, 2> neutral, View<const std::int32_t, 1> vertices) {
    double low[3], size = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double high = low[axis] = neutral(vertices(0), axis);
        for (const std::int32_t v : vertices) {
            low[axis] = std::min<double>(low[axis], neutral(v, axis));
            high = std::max<double>(high, neutral(v, axis));
        }
        size = std::max(size, high - low[axis]);
    }
    std::vector<std::uint32_t> code(vertices.size());
    for (std::int64_t i = 0; i < vertices.size(); ++i) {
        for (int axis = 0; axis < 3 && size > 0.0; ++axis) {
            const double cell = 1023.0 * ((neutral(vertices(i), axis) - low[axis]) / size);
            code[i] |= spread(static_cast<std::uint32_t>(cell)) << axis;
        }
    }
    std::vector<std::int32_t> order(vertices.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return code[a] < code[b]; });
    return order;
}

}  // namespace

Projection::Projection(std::int64_t num_columns, const Columns& columns, View<const float, 2> neutral,
                       View<const std::int32_t, 1> vertices, View<const double, 1> vertex_weights)
    : num_columns_(num_columns), position_(morton_order(neutral, vertices)) {
    for (const std::int32_t i : position_) {
        vertex_.push_back(vertices(i));
        weight_.push_back(vertex_weights(i));
        neutral_.insert(neutral_.end(), neutral.row(vertices(i)), neutral.row(vertices(i)) + 3);
    }
    neutral_.push_back(0.0f);
    for (std::int64_t first = 0; first < num_vertices(); first += block) {
        blocks_.push_back({first, std::min(block, num_vertices() - first), 0, 0, 0});
    }
    // the columns of each block with their offsets, column by column: only one dense column is held at a time
    std::vector<std::vector<std::int32_t>> own(blocks_.size());
    std::vector<std::vector<float>> values(blocks_.size());
    std::vector<float> dense(neutral.size());
    for (std::int64_t n = 0; n < num_columns; ++n) {
        columns(n, {dense.data(), neutral.extents()});
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const auto begin = vertex_.begin() + blocks_[b].first, end = begin + blocks_[b].count;
            const auto moves = [&](std::int32_t v) {
                return dense[3 * v] != 0.0f || dense[3 * v + 1] != 0.0f || dense[3 * v + 2] != 0.0f;
            };
            if (std::none_of(begin, end, moves)) continue;
            own[b].push_back(static_cast<std::int32_t>(n));
            for (auto v = begin; v != end; ++v) {
                values[b].insert(values[b].end(), dense.begin() + 3 * *v, dense.begin() + 3 * *v + 3);
            }
        }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        Block& at = blocks_[b];
        at.columns_begin = static_cast<std::int64_t>(column_.size());
        at.columns_count = static_cast<std::int64_t>(own[b].size());
        at.packed_begin = static_cast<std::int64_t>(packed_.size());
        column_.insert(column_.end(), own[b].begin(), own[b].end());
        const std::int64_t length = 3 * at.count, tiles = (at.columns_count + tile - 1) / tile;
        packed_.resize(packed_.size() + tiles * length * tile, 0.0f);
        for (std::int64_t c = 0; c < at.columns_count; ++c) {
            float* panel = packed_.data() + at.packed_begin + c / tile * length * tile + c % tile;
            for (std::int64_t k = 0; k < length; ++k) panel[k * tile] = values[b][c * length + k];
        }
        values[b] = {};
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
    const ProjectionKernels& kernel = projection_kernels();
    const std::int64_t rows = end - begin, stride = 3 * num_vertices() + 1;
    std::vector<double> packed(rows * stride), out(rows * tile);
    for (std::int64_t t = 0; t < rows; ++t) {
        std::fill_n(projections.row(begin + t), num_columns_, 0.0);
        energies(begin + t) = kernel.pack(targets.row(begin + t), source, neutral, weight_.data(), num_vertices(),
                                          packed.data() + t * stride);
    }
    for (const Block& at : blocks_) {
        const std::int64_t length = 3 * at.count;
        for (std::int64_t first = 0; first < at.columns_count; first += tile) {
            const float* panel = packed_.data() + at.packed_begin + first * length;
            kernel.product(packed.data() + 3 * at.first, stride, rows, panel, length, out.data());
            const std::int32_t* column = column_.data() + at.columns_begin + first;
            const std::int64_t count = std::min(tile, at.columns_count - first);
            for (std::int64_t t = 0; t < rows; ++t) {
                double* sums = projections.row(begin + t);
                for (std::int64_t c = 0; c < count; ++c) sums[column[c]] += out[t * tile + c];
            }
        }
    }
}

void Projection::gram(const Columns& columns, std::int64_t num_rig_vertices, View<double, 2> matrix,
                      int threads) const {
    std::vector<float> dense(batch * 3 * num_rig_vertices);
    const std::vector<float> zero(neutral_.size(), 0.0f);
    std::vector<double> energies(num_columns_);
    for (std::int64_t begin = 0; begin < num_columns_; begin += batch) {
        const std::int64_t rows = std::min(batch, num_columns_ - begin);
        for (std::int64_t i = 0; i < rows; ++i) {
            columns(begin + i, {dense.data() + i * 3 * num_rig_vertices, {num_rig_vertices, 3}});
        }
        const View<const float, 3> targets(dense.data(), {rows, num_rig_vertices, 3});
        const View<double, 2> out(matrix.row(begin), {rows, num_columns_});
        const View<double, 1> sums(energies.data(), {rows});
        parallel_for(rows, 12, threads, [&](std::int64_t first, std::int64_t last) {
            project_batch(targets, vertex_.data(), zero.data(), first, last, out, sums);
        });
    }
    for (std::int64_t i = 0; i < num_columns_; ++i) {  // equal up to the order of sums: make it exact
        for (std::int64_t j = 0; j < i; ++j) matrix(j, i) = matrix(i, j);
    }
}

}  // namespace rigwright::inverse
