#include "rigcast/rig/skinning/linear_blend.h"

#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"
#include "rigcast/rig/skinning/frame_blocks.h"
#include "rigcast/rig/skinning/skin_session.h"

namespace rigcast::rig {

LinearBlend::LinearBlend(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), skin_(character()), transform_limit_(transform_limit(character().rest_vertices)) {}

void LinearBlend::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const float* rest = character().rest_vertices.data();
    const std::size_t size = transforms_size();
    for_frame_blocks(
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
    const std::size_t size = Scratch::padded(transforms_size());
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(2 * size);
        float* globals = memory.data();
        float* gradient = globals + size;
        for (std::int64_t t = begin; t < end; ++t) {
            skeleton.globals(poses.row(t), globals);
            std::fill_n(gradient, size, 0.0f);
            skin_.blend_vjp(character().rest_vertices.data(), cotangents.row(t), gradient);
            skinning_vjp(skeleton, poses.row(t), globals, gradient, gradients.extent(1), gradients.row(t));
        }
    });
}

/// Vertices are linear in the skinning transforms M: dv_k = sum_j w_kj dM_j v_k^0.
void LinearBlend::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                         int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const float* rest = character().rest_vertices.data();
    const std::size_t size = transforms_size();
    for_frame_blocks(
        poses.extent(0), character().num_vertices(), 3 * size, threads,
        [&](std::int64_t t, float* state) {
            float* globals = state + size;
            float* globals_derivative = globals + size;
            skeleton.globals(poses.row(t), globals);
            skinning_jvp(skeleton, poses.row(t), globals, tangents.row(t), globals_derivative, state);
        },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin_.blend(state, rest, first, last, derivatives.row(t));
        });
}

/// Adds the three Jacobian rows of a vertex: a weighted sum over its joints.
void LinearBlend::add_vertex_jacobian(std::int64_t vertex, const float* pose, const float* globals,
                                      View<float, 2> jacobian) const {
    const Skeleton& skeleton = character().skeleton;
    for (std::int32_t i = skin_.begin(vertex); i < skin_.begin(vertex + 1); ++i) {
        float point[3];
        apply(skeleton.inverse_rest_globals().row(skin_.joint(i)), character().rest_vertices.row(vertex), point);
        skeleton.add_point_jacobian(skin_.joint(i), pose, globals, point, skin_.weight(i), jacobian.row(3 * vertex),
                                    jacobian.extent(1));
    }
}

void LinearBlend::do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    const std::int64_t rows = jacobians.extent(1);
    const std::int64_t columns = jacobians.extent(2);
    for_frame_blocks(
        poses.extent(0), character().num_vertices(), transforms_size(), threads,
        [&](std::int64_t t, float* globals) { character().skeleton.globals(poses.row(t), globals); },
        [&](std::int64_t t, const float* globals, std::int64_t first, std::int64_t last) {
            const View<float, 2> jacobian(jacobians.row(t), {rows, columns});
            std::fill(jacobian.row(3 * first), jacobian.row(3 * last), 0.0f);
            for (std::int64_t k = first; k < last; ++k) add_vertex_jacobian(k, poses.row(t), globals, jacobian);
        });
}

std::shared_ptr<Deformer> LinearBlend::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(restricted_tensors(character(), vertices, {"skin."}));
    add_skin_rows(*character().tensors, vertices, tensors.get());
    return std::make_shared<LinearBlend>(std::move(tensors));
}

std::unique_ptr<SessionState> LinearBlend::new_session_state() const {
    const std::size_t size = transforms_size();
    return std::make_unique<SkinSession>(
        skin_, SkinSession::Steps{character().skeleton.num_joints(), 2 * size, 2 * size,
                                  [this, size](const float* pose, float* state) {
                                      skinning_transforms(character().skeleton, pose, state + size, state);
                                      check_overflow("evaluate", 0, state, static_cast<std::int64_t>(size),
                                                     transform_limit_);
                                  },
                                  [this](const float* state, std::int64_t first, std::int64_t last, float* vertices) {
                                      skin_.blend(state, character().rest_vertices.data(), first, last, vertices);
                                  }});
}

}  // namespace rigcast::rig
