#include "rigcast/baseline/models/regression.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"

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

std::vector<float> chosen_rows(const float* rows, std::int64_t width, View<const std::int32_t, 1> vertices) {
    std::vector<float> chosen;
    for (const std::int32_t v : vertices) chosen.insert(chosen.end(), rows + width * v, rows + width * (v + 1));
    return chosen;
}

}  // namespace

Regression::Regression(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
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

void Regression::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                        int threads) const {
    const std::size_t width = std::max(map_.padded_outputs(), basis_.padded_inputs());
    const std::size_t padded = basis_.padded();
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(2 * Scratch::padded(width) + 2 * padded + map_.memory_size());
        float* y = memory.data();
        float* y_gradient = y + Scratch::padded(width);
        float* point_gradient = y_gradient + Scratch::padded(width);
        float* points = point_gradient + padded;  // of which kernels without activation read nothing
        float* work = points + padded;
        std::fill_n(points, padded, 0.0f);
        for (std::int64_t t = begin; t < end; ++t) {
            std::copy_n(cotangents.row(t), basis_.outputs, point_gradient);
            std::fill(point_gradient + basis_.outputs, point_gradient + padded, 0.0f);
            map_.evaluate(poses.row(t), work, y);
            std::fill_n(y_gradient, width, 0.0f);
            dense_kernels().dense_vjp(basis_, packed_, {points, 0}, {point_gradient, 0}, {y_gradient, 0}, 1);
            std::fill_n(gradients.row(t), gradients.extent(1), 0.0f);
            map_.vjp(y, y_gradient, work, gradients.row(t));
        }
    });
}

void Regression::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                        int threads) const {
    const std::size_t width = map_.padded_outputs();
    const std::size_t padded = basis_.padded();
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(2 * width + 2 * padded + map_.memory_size());
        float* y = memory.data();
        float* y_tangent = y + width;
        float* points = y_tangent + width;
        float* derivative = points + padded;
        float* work = derivative + padded;
        std::fill_n(points, padded, 0.0f);
        for (std::int64_t t = begin; t < end; ++t) {
            map_.evaluate(poses.row(t), work, y);
            map_.jvp(y, tangents.row(t), work, y_tangent);
            dense_kernels().dense_jvp(basis_, packed_, {points, 0}, {y_tangent, 0}, {derivative, 0}, 1);
            std::copy_n(derivative, basis_.outputs, derivatives.row(t));
        }
    });
}

std::shared_ptr<rig::Deformer> Regression::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    auto tensors = std::make_shared<TensorFile>(rig::restricted_tensors(character(), vertices, {"basis", "mean"}));
    const auto basis = source.get<float, 2>("basis");
    const std::int64_t rows = 3 * vertices.extent(0);
    tensors->add("basis", {rows, basis.extent(1)}, chosen_rows(basis.data(), 3 * basis.extent(1), vertices).data());
    tensors->add("mean", {rows}, chosen_rows(source.get<float, 1>("mean").data(), 3, vertices).data());
    return std::make_shared<Regression>(std::move(tensors));
}

}  // namespace rigcast::baseline
