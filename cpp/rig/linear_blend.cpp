#include "rig/linear_blend.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/overflow.h"
#include "rig/pose_blocks.h"

namespace rigwright::rig {

LinearBlend::LinearBlend(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), skin_(character()), transform_limit_(transform_limit(character().rest_vertices)) {}

void LinearBlend::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const float* rest = character().rest_vertices.data();
    const std::size_t size = 12 * static_cast<std::size_t>(skeleton.num_joints());
    for_pose_blocks(
        poses.extent(0), character().num_vertices(), 2 * size, threads,
        [&](std::int64_t t, float* state) {
            skinning_transforms(skeleton, poses.row(t), state + size, state);
            check_overflow("evaluate", t, state, static_cast<std::int64_t>(size), transform_limit_);
        },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin_.blend(state, rest, first, last, vertices.row(t));
        });
}

void LinearBlend::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                         int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const std::size_t size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(2 * size);
        float *globals = memory.data(), *gradient = globals + size;
        for (std::int64_t t = begin; t < end; ++t) {
            skeleton.globals(poses.row(t), globals);
            std::fill_n(gradient, size, 0.0f);
            skin_.blend_vjp(character().rest_vertices.data(), cotangents.row(t), gradient);
            skinning_vjp(skeleton, poses.row(t), globals, gradient, gradients.extent(1), gradients.row(t));
        }
    });
}

}  // namespace rigwright::rig
