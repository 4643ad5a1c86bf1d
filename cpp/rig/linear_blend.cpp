#include "rig/linear_blend.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/transform.h"

namespace rigwright::rig {

SkinWeights::SkinWeights(const Character& character)
    : joint(character.tensors->get<std::int32_t, 2>("skin.joint", {character.num_vertices(), -1})),
      weight(character.tensors->get<float, 2>("skin.weight", {character.num_vertices(), joint.extent(1)})) {
    for (std::int64_t k = 0; k < weight.extent(0); ++k) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < weight.extent(1); ++i) {
            sum += weight(k, i);
            const bool good = joint(k, i) >= 0 && joint(k, i) < character.skeleton.num_joints();
            if (!good || weight(k, i) < 0.0f) {
                throw bad_argument("load", "skin at vertex " + std::to_string(k),
                                   "joint " + std::to_string(joint(k, i)) + " weight " + std::to_string(weight(k, i)),
                                   "a joint of the skeleton with a weight >= 0");
            }
        }
        if (std::abs(sum - 1.0) > 1e-3) {
            throw bad_argument("load", "skin.weight at vertex " + std::to_string(k), "of sum " + std::to_string(sum),
                               "of sum 1");
        }
    }
}

LinearBlend::LinearBlend(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), skin_(character()) {}

namespace {

/// Global transforms of a pose, then the skinning transforms G_j (G_j^0)^-1; both 12 J.
void skinning_transforms(const Skeleton& skeleton, const float* pose, float* globals, float* skinning) {
    skeleton.globals(pose, globals);
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        compose(globals + 12 * j, skeleton.inverse_rest_globals().row(j), skinning + 12 * j);
    }
}

}  // namespace

void LinearBlend::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const std::size_t size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        float* globals = Scratch::floats(2 * size);
        float* skinning = globals + size;
        for (std::int64_t t = begin; t < end; ++t) {
            skinning_transforms(skeleton, poses.row(t), globals, skinning);
            for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
                float blended[12] = {};
                for (std::int64_t i = 0; i < skin_.joint.extent(1); ++i) {
                    const float w = skin_.weight(k, i);
                    const float* m = skinning + 12 * skin_.joint(k, i);
                    for (int e = 0; e < 12; ++e) blended[e] += w * m[e];
                }
                apply(blended, character().rest_vertices.row(k), vertices.row(t) + 3 * k);
            }
        }
    });
}

void LinearBlend::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                         int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const std::size_t size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        float* globals = Scratch::floats(2 * size);
        float* gradient = globals + size;
        for (std::int64_t t = begin; t < end; ++t) {
            skeleton.globals(poses.row(t), globals);
            std::fill_n(gradient, size, 0.0f);
            for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
                const float* c = cotangents.row(t) + 3 * k;
                for (std::int64_t i = 0; i < skin_.joint.extent(1); ++i) {
                    const float w = skin_.weight(k, i);
                    if (w == 0.0f) continue;
                    const std::int32_t j = skin_.joint(k, i);
                    float local[4];
                    apply(skeleton.inverse_rest_globals().row(j), character().rest_vertices.row(k), local);
                    local[3] = 1.0f;
                    float* g = gradient + 12 * j;
                    for (int row = 0; row < 3; ++row) {
                        for (int e = 0; e < 4; ++e) g[row * 4 + e] += w * c[row] * local[e];
                    }
                }
            }
            std::fill_n(gradients.row(t), gradients.extent(1), 0.0f);
            skeleton.globals_vjp(poses.row(t), globals, gradient, gradients.row(t));
        }
    });
}

}  // namespace rigwright::rig
