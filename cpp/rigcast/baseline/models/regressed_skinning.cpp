#include "rigcast/baseline/models/regressed_skinning.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"
#include "rigcast/rig/skinning/frame_blocks.h"
#include "rigcast/rig/transform.h"

namespace rigcast::baseline {
namespace {

constexpr double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/// The motion L of a bone from its twelve numbers [A | d].
struct LocalMotion {
    LocalMotion(const float* numbers, const float* center) {
        double a[9];
        for (int e = 0; e < 9; ++e) a[e] = numbers[4 * (e / 3) + e % 3];
        polar = linalg::polar_decomposition(a);
        for (int row = 0; row < 3; ++row) {
            transform[4 * row + 3] = static_cast<double>(center[row]) + numbers[4 * row + 3];
            for (int e = 0; e < 3; ++e) {
                transform[4 * row + e] = polar.rotation[3 * row + e];
                transform[4 * row + 3] -= polar.rotation[3 * row + e] * center[e];
            }
        }
    }
    /// Writes dL along the derivative of the numbers.
    void derivative(const float* numbers_tangent, const float* center, double* out) const {
        double da[9], stretch[9], w[3];
        for (int e = 0; e < 9; ++e) da[e] = numbers_tangent[4 * (e / 3) + e % 3];
        linalg::polar_jvp(polar, da, stretch, w);
        for (int row = 0; row < 3; ++row) {  // dR = R [w]x: row r of it is r x w
            const double* r = polar.rotation + 3 * row;
            const double turned[3] = {r[1] * w[2] - r[2] * w[1], r[2] * w[0] - r[0] * w[2], r[0] * w[1] - r[1] * w[0]};
            out[4 * row + 3] = numbers_tangent[4 * row + 3];
            for (int e = 0; e < 3; ++e) {
                out[4 * row + e] = turned[e];
                out[4 * row + 3] -= turned[e] * center[e];
            }
        }
    }
    /// Writes the gradient with respect to the numbers from that with respect to L.
    void gradient(const double* g, const float* center, float* numbers_gradient) const {
        double w[3] = {}, zeros[9] = {}, a[9] = {};
        for (int row = 0; row < 3; ++row) {
            const double* r = polar.rotation + 3 * row;
            double c[3];  // the gradient with respect to the row of R
            for (int e = 0; e < 3; ++e) c[e] = g[4 * row + e] - g[4 * row + 3] * center[e];
            w[0] += r[2] * c[1] - r[1] * c[2];
            w[1] += r[0] * c[2] - r[2] * c[0];
            w[2] += r[1] * c[0] - r[0] * c[1];
        }
        linalg::polar_vjp(polar, zeros, w, a);
        for (int e = 0; e < 9; ++e) numbers_gradient[4 * (e / 3) + e % 3] = static_cast<float>(a[e]);
        for (int row = 0; row < 3; ++row) numbers_gradient[4 * row + 3] = static_cast<float>(g[4 * row + 3]);
    }

    linalg::Polar polar;
    double transform[12];
};

}  // namespace

/// The arrays of one pose.
struct RegressedSkinning::Memory {
    Memory(float* memory, const RegressedSkinning& model) {
        const std::size_t joints = 12 * static_cast<std::size_t>(model.character().skeleton.num_joints());
        network::SplitMemory split(memory);
        motions = split.take(12 * static_cast<std::size_t>(model.num_bones()));
        numbers = split.take(model.map_.padded_outputs());
        numbers_change = split.take(model.map_.padded_outputs());
        globals = split.take(joints);
        skinning = split.take(joints);
        globals_change = split.take(joints);
        skinning_change = split.take(joints);
        map = split.take(model.map_.memory_size());
        size = split.used();
    }
    float* motions;          // (B, 3, 4) S, or its derivative or gradient
    float* numbers;          // (B, 3, 4) [A | d]
    float* numbers_change;   // its derivative or gradient
    float* globals;          // (J, 3, 4)
    float* skinning;         // (J, 3, 4)
    float* globals_change;   // (J, 3, 4) derivative
    float* skinning_change;  // (J, 3, 4) derivative or gradient
    float* map;
    std::size_t size;
};

RegressedSkinning::RegressedSkinning(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
      map_(*character().tensors, character().num_controls()),
      skin_(*character().tensors, character().num_vertices(), map_.outputs() / 12),
      transform_limit_(rig::transform_limit(character().rest_vertices)) {
    const TensorFile& file = *character().tensors;
    if (map_.outputs() % 12 != 0) {
        throw bad_argument("load", "map.bias", std::to_string(map_.outputs()) + " long", "12 numbers per bone");
    }
    const std::int64_t bones = map_.outputs() / 12;
    const auto center = file.get<float, 2>("bone.center", {bones, 3});
    const auto joint = file.get<std::int32_t, 1>("bone.joint", {bones});
    for (const std::int32_t j : joint) {
        if (j < -1 || j >= character().skeleton.num_joints()) {
            throw bad_argument("load", "bone.joint", "holding " + std::to_string(j), "joints of the skeleton, or -1");
        }
    }
    center_.assign(center.begin(), center.end());
    joint_.assign(joint.begin(), joint.end());
}

std::size_t RegressedSkinning::memory_size() const {
    return Memory(nullptr, *this).size;
}

/// Computes the numbers and the motions of the bones.
void RegressedSkinning::prepare(const char* function, std::int64_t frame, const float* pose,
                                const Memory& memory) const {
    rig::skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    map_.evaluate(pose, memory.map, memory.numbers);
    rig::check_overflow(function, frame, memory.numbers, map_.outputs());
    for (std::int64_t b = 0; b < num_bones(); ++b) {
        const LocalMotion local(memory.numbers + 12 * b, center_.data() + 3 * b);
        double motion[12];
        if (joint_[b] >= 0) {
            rig::compose(memory.skinning + 12 * joint_[b], local.transform, motion);
        } else {
            std::copy_n(local.transform, 12, motion);
        }
        for (int e = 0; e < 12; ++e) memory.motions[12 * b + e] = static_cast<float>(motion[e]);
    }
    rig::check_overflow(function, frame, memory.motions, 12 * num_bones(), transform_limit_);
}

void RegressedSkinning::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const float* rest = character().rest_vertices.data();
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), memory_size(), threads,
        [&](std::int64_t t, float* state) { prepare("evaluate", t, poses.row(t), Memory(state, *this)); },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin_.blend(state, rest, first, last, vertices.row(t));
        });
}

/// From the gradient with respect to the motions to those with respect to numbers and skinning transforms.
void RegressedSkinning::pull_back(const float* pose, const Memory& memory) const {
    std::fill_n(memory.skinning_change, 12 * character().skeleton.num_joints(), 0.0f);
    std::fill_n(memory.numbers_change, map_.padded_outputs(), 0.0f);
    rig::skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    for (std::int64_t b = 0; b < num_bones(); ++b) {
        const LocalMotion local(memory.numbers + 12 * b, center_.data() + 3 * b);
        const float* g = memory.motions + 12 * b;
        double local_gradient[12];
        std::copy_n(g, 12, local_gradient);
        if (joint_[b] >= 0) {
            const float* m = memory.skinning + 12 * joint_[b];
            float* m_gradient = memory.skinning_change + 12 * joint_[b];
            for (int row = 0; row < 3; ++row) {
                for (int e = 0; e < 4; ++e) {
                    double sum = 0.0;  // M^T g
                    for (int k = 0; k < 3; ++k) sum += static_cast<double>(m[4 * k + row]) * g[4 * k + e];
                    local_gradient[4 * row + e] = sum;
                }
                for (int e = 0; e < 3; ++e) {  // g L^T
                    double sum = 0.0;
                    for (int k = 0; k < 4; ++k) sum += g[4 * row + k] * local.transform[4 * e + k];
                    m_gradient[4 * row + e] += static_cast<float>(sum);
                }
                m_gradient[4 * row + 3] += g[4 * row + 3];
            }
        }
        local.gradient(local_gradient, center_.data() + 3 * b, memory.numbers_change + 12 * b);
    }
}

void RegressedSkinning::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                               int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> lease(memory_size());
        const Memory memory(lease.data(), *this);
        for (std::int64_t t = begin; t < end; ++t) {
            prepare("vjp", t, poses.row(t), memory);
            std::fill_n(memory.motions, 12 * num_bones(), 0.0f);
            skin_.blend_vjp(character().rest_vertices.data(), cotangents.row(t), memory.motions);
            pull_back(poses.row(t), memory);
            rig::skinning_vjp(character().skeleton, poses.row(t), memory.globals, memory.skinning_change,
                              gradients.extent(1), gradients.row(t));
            map_.vjp(memory.numbers, memory.numbers_change, memory.map, gradients.row(t));
        }
    });
}

void RegressedSkinning::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                               int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> lease(memory_size());
        const Memory memory(lease.data(), *this);
        for (std::int64_t t = begin; t < end; ++t) {
            prepare("jvp", t, poses.row(t), memory);
            map_.jvp(memory.numbers, tangents.row(t), memory.map, memory.numbers_change);
            rig::skinning_jvp(character().skeleton, poses.row(t), memory.globals, tangents.row(t),
                              memory.globals_change, memory.skinning_change);
            for (std::int64_t b = 0; b < num_bones(); ++b) {
                const float* center = center_.data() + 3 * b;
                const LocalMotion local(memory.numbers + 12 * b, center);
                double change[12], motion[12] = {};
                local.derivative(memory.numbers_change + 12 * b, center, change);
                double linear[12];  // M without its translation, which dL does not see
                for (int e = 0; e < 12; ++e) {
                    const double entry = joint_[b] < 0 ? identity[e] : memory.skinning[12 * joint_[b] + e];
                    linear[e] = e % 4 == 3 ? 0.0 : entry;
                }
                double first[12];
                rig::compose(linear, change, first);
                if (joint_[b] >= 0) rig::compose(memory.skinning_change + 12 * joint_[b], local.transform, motion);
                for (int e = 0; e < 12; ++e) memory.motions[12 * b + e] = static_cast<float>(first[e] + motion[e]);
            }
            skin_.blend(memory.motions, character().rest_vertices.data(), 0, character().num_vertices(),
                        derivatives.row(t));
        }
    });
}

std::shared_ptr<rig::Deformer> RegressedSkinning::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(rig::restricted_tensors(character(), vertices, {"skin."}));
    rig::add_skin_rows(*character().tensors, vertices, tensors.get());
    return std::make_shared<RegressedSkinning>(std::move(tensors));
}

}  // namespace rigcast::baseline
