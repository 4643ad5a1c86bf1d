#include "rigcast/baseline/models/pose_space.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/offsets.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/skinning/frame_blocks.h"

namespace rigcast::baseline {
namespace {

void check_indices(const char* name, View<const std::int32_t, 1> indices, std::int64_t end, const char* what) {
    for (const std::int32_t i : indices) {
        if (i < 0 || i >= end) {
            throw bad_argument("load", name, "holding " + std::to_string(i),
                               std::string(what) + " below " + std::to_string(end));
        }
    }
}

}  // namespace

/// The arrays of one pose.
struct PoseSpace::Memory {
    Memory(float* memory, const PoseSpace& model) {
        const std::size_t joints = 12 * static_cast<std::size_t>(model.character().skeleton.num_joints());
        const std::size_t pairs = static_cast<std::size_t>(model.num_groups() * model.num_examples());
        network::SplitMemory split(memory);
        skinning = split.take(joints);
        globals = split.take(joints);
        distances = split.take(pairs);
        size = split.used();
    }
    float* skinning;   // (J, 3, 4)
    float* globals;    // (J, 3, 4)
    float* distances;  // (G, E) D
    std::size_t size;
};

PoseSpace::PoseSpace(std::shared_ptr<const TensorFile> tensors) : ForwardOnly(std::move(tensors)) {
    const TensorFile& file = *character().tensors;
    const std::int64_t num_vertices = character().num_vertices();
    offset_ = file.get<std::int32_t, 1>("space.offset");
    column_ = file.get<std::int32_t, 1>("space.column");
    if (offset_.extent(0) == 0) throw bad_argument("load", "space.offset", "empty", "one more than the groups");
    rig::read_offsets(file, "space.offset", num_groups(), column_.extent(0));
    scale_ = file.get<float, 1>("space.scale", {column_.extent(0)});
    example_ = file.get<float, 2>("space.example", {-1, column_.extent(0)});
    group_ = file.get<std::int32_t, 2>("space.group", {num_vertices, -1});
    weight_ = file.get<float, 2>("space.weight", {num_vertices, group_.extent(1)});
    delta_ = file.get<float, 3>("space.delta", {num_vertices, example_.extent(0), 3});
    check_indices("space.column", column_, character().num_controls(), "pose columns");
    check_indices("space.group", {group_.data(), {group_.size()}}, num_groups(), "groups");
    for (const float w : weight_) {
        if (w < 0.0f) throw bad_argument("load", "space.weight", "holding " + std::to_string(w), "not negative");
    }
    if (character().skeleton.num_joints() > 0) skin_.emplace(character());
}

std::size_t PoseSpace::memory_size() const {
    return Memory(nullptr, *this).size;
}

/// Computes skinning transforms and distances.
void PoseSpace::prepare(std::int64_t frame, const float* pose, const Memory& memory) const {
    const rig::Skeleton& skeleton = character().skeleton;
    rig::skinning_transforms(skeleton, pose, memory.globals, memory.skinning);
    rig::check_overflow("evaluate", frame, memory.skinning, 12 * skeleton.num_joints());
    for (std::int64_t g = 0; g < num_groups(); ++g) {
        for (std::int64_t e = 0; e < num_examples(); ++e) {
            float sum = 0.0f;
            for (std::int32_t c = offset_(g); c < offset_(g + 1); ++c) {
                const float d = scale_(c) * pose[column_(c)] - example_(e, c);
                sum += d * d;
            }
            memory.distances[g * num_examples() + e] = sum;
        }
    }
}

double PoseSpace::kernel(std::int64_t vertex, std::int64_t example, const float* distances) const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < group_.extent(1); ++i) {
        if (weight_(vertex, i) == 0.0f) continue;
        sum += static_cast<double>(weight_(vertex, i)) * distances[group_(vertex, i) * num_examples() + example];
    }
    return std::exp(-0.5 * sum);
}

/// Writes v^0 + d.
void PoseSpace::point(std::int64_t vertex, const float* distances, float* out) const {
    double sum[3] = {};
    for (std::int64_t e = 0; e < num_examples(); ++e) {
        const double value = kernel(vertex, e, distances);
        for (int axis = 0; axis < 3; ++axis) sum[axis] += value * delta_(vertex, e, axis);
    }
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = static_cast<float>(character().rest_vertices(vertex, axis) + sum[axis]);
    }
}

void PoseSpace::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), memory_size(), threads,
        [&](std::int64_t t, float* state) { prepare(t, poses.row(t), Memory(state, *this)); },
        [&](std::int64_t t, float* state, std::int64_t first, std::int64_t last) {
            const Memory memory(state, *this);
            for (std::int64_t k = first; k < last; ++k) {
                float* out = vertices.row(t) + 3 * k;
                float moved[3];
                point(k, memory.distances, moved);
                if (skin_) {
                    skin_->blend_point(memory.skinning, k, moved, out);
                } else {
                    std::copy_n(moved, 3, out);
                }
            }
            rig::check_overflow("evaluate", t, vertices.row(t) + 3 * first, 3 * (last - first));
        });
}

}  // namespace rigcast::baseline
