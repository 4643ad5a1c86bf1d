#include "rigwright/differential/model/folded_tail.h"

#include <vector>

#include "rigwright/core/parallel.h"

namespace rigwright::differential {
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

/// Rows of the packed matrices: the same bytes of vertices, with 16-bit weights too.
void FoldedTail::add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const {
    const std::int64_t count = vertices.extent(0);
    std::vector<float> basis(static_cast<std::size_t>(3 * count * map_.num_coefficients));
    std::vector<float> anchor(static_cast<std::size_t>(count * map_.num_anchors));
    std::vector<float> constant(static_cast<std::size_t>(3 * count));
    for (std::int64_t k = 0; k < count; ++k) {
        unpack_vertex(map_, packed_, vertices(k), basis.data() + 3 * k * map_.num_coefficients,
                      anchor.data() + k * map_.num_anchors, constant.data() + 3 * k);
    }
    file.add("folded.basis", {3 * count, map_.num_coefficients}, basis.data());
    file.add("folded.anchor", {count, map_.num_anchors}, anchor.data());
    file.add("folded.constant", {3 * count}, constant.data());
}

}  // namespace rigwright::differential
