#include "rigcast/baseline/models/regression.h"

#include <algorithm>
#include <utility>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::baseline {
namespace {

using network::dense_kernels;

constexpr std::int64_t frames_per_batch = 8;  // which share one pass over the basis; chosen, not tuned

network::Dense read_basis(const rig::Character& character, std::int64_t outputs, network::Packed& packed) {
    const std::int64_t rows = 3 * character.num_vertices();
    const auto basis = character.tensors->get<float, 2>("basis", {rows, outputs});
    const auto mean = character.tensors->get<float, 1>("mean", {rows});
    return network::pack_dense(basis, mean, network::Activation::none, packed);
}

}  // namespace

Regression::Regression(std::shared_ptr<const TensorFile> tensors)
    : ForwardOnly(std::move(tensors)),
      map_(*character().tensors, character().num_controls()),
      basis_(read_basis(character(), map_.outputs(), packed_)) {}

void Regression::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const std::int64_t width = map_.padded_outputs();
    const std::int64_t padded = basis_.padded();
    parallel_for(poses.extent(0), frames_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(frames_per_batch * (width + padded) + map_.memory_size());
        const network::Rows<float> coefficients{memory.data(), width};
        const network::Rows<float> points{coefficients.row(frames_per_batch), padded};
        for (std::int64_t t = begin; t < end; ++t) {
            map_.evaluate(poses.row(t), points.row(frames_per_batch), coefficients.row(t - begin));
        }
        dense_kernels().dense(basis_, packed_, coefficients, points, static_cast<int>(end - begin));
        for (std::int64_t t = begin; t < end; ++t) {
            std::copy_n(points.row(t - begin), basis_.outputs, vertices.row(t));
            rig::check_overflow("evaluate", t, vertices.row(t), basis_.outputs);
        }
    });
}

}  // namespace rigcast::baseline
