#include "rigcast/differential/model/folded_tail.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "rigcast/core/parallel.h"

namespace rigcast::differential {
namespace {

constexpr std::int64_t tiles_per_piece = 8;

}  // namespace

FoldedTail::FoldedTail(View<const float, 2> basis, View<const float, 2> anchor, View<const float, 1> constant,
                       bool in_16_bits)
    : map_(pack_affine_tail(basis, anchor, constant,
                            in_16_bits ? network::choose_storage(basis) : network::Storage::float32, packed_)) {}

std::size_t FoldedTail::memory_size(int) const {
    return map_.vjp_size();
}

void FoldedTail::evaluate(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                          bool with_constant, float*, int threads) const {
    parallel_for(map_.num_tiles(), tiles_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        affine_tail_kernels().evaluate(map_, packed_, coefficients, anchors, points, count, begin, end, with_constant);
    });
}

void FoldedTail::vjp(const float* cotangents, float* coefficient_gradient, float* anchor_gradient,
                     float* memory) const {
    affine_tail_kernels().vjp(map_, packed_, cotangents, coefficient_gradient, anchor_gradient, memory);
}

/// Rows of the packed matrices.
Folded FoldedTail::rows_of(View<const std::int32_t, 1> vertices) const {
    const std::int64_t count = vertices.extent(0);
    Folded rows;
    rows.basis.resize(static_cast<std::size_t>(3 * count * map_.num_coefficients));
    rows.anchor.resize(static_cast<std::size_t>(count * map_.num_anchors));
    rows.constant.resize(static_cast<std::size_t>(3 * count));
    for (std::int64_t k = 0; k < count; ++k) {
        unpack_vertex(map_, packed_, vertices(k), rows.basis.data() + 3 * k * map_.num_coefficients,
                      rows.anchor.data() + k * map_.num_anchors, rows.constant.data() + 3 * k);
    }
    return rows;
}

Folded FoldedTail::folded() const {
    std::vector<std::int32_t> all(static_cast<std::size_t>(map_.num_vertices));
    std::iota(all.begin(), all.end(), 0);
    return rows_of({all.data(), {map_.num_vertices}});
}

/// The stored rows: the same bytes of vertices, with 16-bit weights too.
void FoldedTail::add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const {
    const std::int64_t count = vertices.extent(0);
    const Folded rows = rows_of(vertices);
    file.add("folded.basis", {3 * count, map_.num_coefficients}, rows.basis.data());
    file.add("folded.anchor", {count, map_.num_anchors}, rows.anchor.data());
    file.add("folded.constant", {3 * count}, rows.constant.data());
}

}  // namespace rigcast::differential
