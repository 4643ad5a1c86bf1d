#include "rigcast/baseline/models/pose_space.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigcast/baseline/models/restricted_rows.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/offsets.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"
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
        skinning_change = split.take(joints);
        globals_change = split.take(joints);
        distances = split.take(pairs);
        distances_change = split.take(pairs);
        size = split.used();
    }
    float* skinning;          // (J, 3, 4)
    float* globals;           // (J, 3, 4)
    float* skinning_change;   // (J, 3, 4) derivative or gradient
    float* globals_change;    // (J, 3, 4) derivative
    float* distances;         // (G, E) D
    float* distances_change;  // (G, E) derivative or gradient
    std::size_t size;
};

PoseSpace::PoseSpace(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {
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
void PoseSpace::prepare(const char* function, std::int64_t frame, const float* pose, const Memory& memory) const {
    const rig::Skeleton& skeleton = character().skeleton;
    rig::skinning_transforms(skeleton, pose, memory.globals, memory.skinning);
    rig::check_overflow(function, frame, memory.skinning, 12 * skeleton.num_joints());
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

void PoseSpace::distances_jvp(const float* pose, const float* tangent, float* change) const {
    for (std::int64_t g = 0; g < num_groups(); ++g) {
        for (std::int64_t e = 0; e < num_examples(); ++e) {
            float sum = 0.0f;
            for (std::int32_t c = offset_(g); c < offset_(g + 1); ++c) {
                const float d = scale_(c) * pose[column_(c)] - example_(e, c);
                sum += 2.0f * d * scale_(c) * tangent[column_(c)];
            }
            change[g * num_examples() + e] = sum;
        }
    }
}

void PoseSpace::distances_vjp(const float* pose, const float* gradient, float* pose_gradient) const {
    for (std::int64_t g = 0; g < num_groups(); ++g) {
        for (std::int64_t e = 0; e < num_examples(); ++e) {
            for (std::int32_t c = offset_(g); c < offset_(g + 1); ++c) {
                const float d = scale_(c) * pose[column_(c)] - example_(e, c);
                pose_gradient[column_(c)] += 2.0f * d * scale_(c) * gradient[g * num_examples() + e];
            }
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

/// Adds the gradient with respect to the distances, given that with respect to the point.
void PoseSpace::point_vjp(std::int64_t vertex, const float* distances, const float* gradient,
                          float* distance_gradient) const {
    for (std::int64_t e = 0; e < num_examples(); ++e) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) sum += static_cast<double>(gradient[axis]) * delta_(vertex, e, axis);
        const double common = -0.5 * kernel(vertex, e, distances) * sum;
        for (std::int64_t i = 0; i < group_.extent(1); ++i) {
            distance_gradient[group_(vertex, i) * num_examples() + e] +=
                static_cast<float>(common * weight_(vertex, i));
        }
    }
}

void PoseSpace::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), memory_size(), threads,
        [&](std::int64_t t, float* state) { prepare("evaluate", t, poses.row(t), Memory(state, *this)); },
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

void PoseSpace::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                       int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t num_vertices = character().num_vertices();
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const std::size_t points_size = Scratch::padded(3 * static_cast<std::size_t>(num_vertices));
        const Scratch::Lease<float> lease(memory_size() + points_size);
        const Memory memory(lease.data(), *this);
        float* points = lease.data() + memory.size;
        for (std::int64_t t = begin; t < end; ++t) {
            prepare("vjp", t, poses.row(t), memory);
            std::fill_n(memory.distances_change, num_groups() * num_examples(), 0.0f);
            std::fill_n(memory.skinning_change, 12 * skeleton.num_joints(), 0.0f);
            for (std::int64_t k = 0; k < num_vertices; ++k) {
                const float* g = cotangents.row(t) + 3 * k;
                float pulled[3] = {g[0], g[1], g[2]};
                if (skin_) {
                    std::fill_n(pulled, 3, 0.0f);
                    for (std::int32_t i = skin_->begin(k); i < skin_->begin(k + 1); ++i) {
                        const float* m = memory.skinning + 12 * skin_->joint(i);
                        for (int e = 0; e < 3; ++e) {
                            pulled[e] += skin_->weight(i) * (m[e] * g[0] + m[4 + e] * g[1] + m[8 + e] * g[2]);
                        }
                    }
                }
                point(k, memory.distances, points + 3 * k);
                point_vjp(k, memory.distances, pulled, memory.distances_change);
            }
            if (skin_) skin_->blend_vjp(points, cotangents.row(t), memory.skinning_change);
            rig::skinning_vjp(skeleton, poses.row(t), memory.globals, memory.skinning_change, gradients.extent(1),
                              gradients.row(t));
            distances_vjp(poses.row(t), memory.distances_change, gradients.row(t));
        }
    });
}

void PoseSpace::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    rig::for_frame_blocks(
        poses.extent(0), character().num_vertices(), memory_size(), threads,
        [&](std::int64_t t, float* state) {
            const Memory memory(state, *this);
            prepare("jvp", t, poses.row(t), memory);
            rig::skinning_jvp(character().skeleton, poses.row(t), memory.globals, tangents.row(t),
                              memory.globals_change, memory.skinning_change);
            distances_jvp(poses.row(t), tangents.row(t), memory.distances_change);
        },
        [&](std::int64_t t, float* state, std::int64_t first, std::int64_t last) {
            const Memory memory(state, *this);
            for (std::int64_t k = first; k < last; ++k) {
                float* out = derivatives.row(t) + 3 * k;
                double change[3] = {};
                for (std::int64_t e = 0; e < num_examples(); ++e) {
                    double sum = 0.0;
                    for (std::int64_t i = 0; i < group_.extent(1); ++i) {
                        sum += static_cast<double>(weight_(k, i)) *
                               memory.distances_change[group_(k, i) * num_examples() + e];
                    }
                    const double slope = -0.5 * kernel(k, e, memory.distances) * sum;
                    for (int axis = 0; axis < 3; ++axis) change[axis] += slope * delta_(k, e, axis);
                }
                if (!skin_) {
                    for (int axis = 0; axis < 3; ++axis) out[axis] = static_cast<float>(change[axis]);
                    continue;
                }
                float moved[3], turned[3] = {};
                point(k, memory.distances, moved);
                skin_->blend_point(memory.skinning_change, k, moved, out);
                for (std::int32_t i = skin_->begin(k); i < skin_->begin(k + 1); ++i) {
                    const float* m = memory.skinning + 12 * skin_->joint(i);
                    for (int row = 0; row < 3; ++row) {
                        for (int e = 0; e < 3; ++e) {
                            turned[row] += skin_->weight(i) * m[4 * row + e] * static_cast<float>(change[e]);
                        }
                    }
                }
                for (int row = 0; row < 3; ++row) out[row] += turned[row];
            }
        });
}

std::shared_ptr<rig::Deformer> PoseSpace::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    auto tensors = std::make_shared<TensorFile>(
        rig::restricted_tensors(character(), vertices, {"skin.", "space.group", "space.weight", "space.delta"}));
    if (skin_) rig::add_skin_rows(source, vertices, tensors.get());
    add_vertex_rows<std::int32_t, 2>(source, "space.group", vertices, tensors.get());
    add_vertex_rows<float, 2>(source, "space.weight", vertices, tensors.get());
    add_vertex_rows<float, 3>(source, "space.delta", vertices, tensors.get());
    return std::make_shared<PoseSpace>(std::move(tensors));
}

}  // namespace rigcast::baseline
