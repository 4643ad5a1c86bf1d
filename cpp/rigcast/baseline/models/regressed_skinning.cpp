#include "rigcast/baseline/models/regressed_skinning.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/skinning/frame_blocks.h"

namespace rigcast::baseline {
namespace {

/// Writes the motion L (3, 4) of a bone, made of its twelve numbers [A | d].
void local_motion(const float* numbers, const float* center, double* transform) {
    double a[9];
    for (int e = 0; e < 9; ++e) a[e] = numbers[4 * (e / 3) + e % 3];
    const linalg::Polar polar = linalg::polar_decomposition(a);
    for (int row = 0; row < 3; ++row) {
        transform[4 * row + 3] = static_cast<double>(center[row]) + numbers[4 * row + 3];
        for (int e = 0; e < 3; ++e) {
            transform[4 * row + e] = polar.rotation[3 * row + e];
            transform[4 * row + 3] -= polar.rotation[3 * row + e] * center[e];
        }
    }
}

}  // namespace

/// The arrays of one pose.
struct RegressedSkinning::Memory {
    Memory(float* memory, const RegressedSkinning& model) {
        const std::size_t joints = 12 * static_cast<std::size_t>(model.character().skeleton.num_joints());
        network::SplitMemory split(memory);
        motions = split.take(12 * static_cast<std::size_t>(model.num_bones()));
        numbers = split.take(model.map_.padded_outputs());
        globals = split.take(joints);
        skinning = split.take(joints);
        map = split.take(model.map_.memory_size());
        size = split.used();
    }
    float* motions;   // (B, 3, 4) S
    float* numbers;   // (B, 3, 4) [A | d]
    float* globals;   // (J, 3, 4)
    float* skinning;  // (J, 3, 4)
    float* map;
    std::size_t size;
};

RegressedSkinning::RegressedSkinning(std::shared_ptr<const TensorFile> tensors)
    : ForwardOnly(std::move(tensors)),
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
void RegressedSkinning::prepare(std::int64_t frame, const float* pose, const Memory& memory) const {
    rig::skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    map_.evaluate(pose, memory.map, memory.numbers);
    rig::check_overflow("evaluate", frame, memory.numbers, map_.outputs());
    for (std::int64_t b = 0; b < num_bones(); ++b) {
        double local[12], motion[12];
        local_motion(memory.numbers + 12 * b, center_.data() + 3 * b, local);
        if (joint_[b] >= 0) {
            rig::compose(memory.skinning + 12 * joint_[b], local, motion);
        } else {
            std::copy_n(local, 12, motion);
        }
        for (int e = 0; e < 12; ++e) memory.motions[12 * b + e] = static_cast<float>(motion[e]);
    }
    rig::check_overflow("evaluate", frame, memory.motions, 12 * num_bones(), transform_limit_);
}

void RegressedSkinning::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const float* rest = character().rest_vertices.data();
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), memory_size(), threads,
        [&](std::int64_t t, float* state) { prepare(t, poses.row(t), Memory(state, *this)); },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin_.blend(state, rest, first, last, vertices.row(t));
        });
}

}  // namespace rigcast::baseline
