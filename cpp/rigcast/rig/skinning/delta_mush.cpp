#include "rigcast/rig/skinning/delta_mush.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"

namespace rigcast::rig {
namespace {

int read_iterations(const Character& character) {
    const double iterations = character.tensors->metadata().number("iterations");
    if (!(iterations >= 0.0 && iterations <= 1000.0) || iterations != std::floor(iterations)) {
        throw bad_argument("load", "metadata.iterations", std::to_string(iterations), "a whole number from 0 to 1000");
    }
    return static_cast<int>(iterations);
}

mesh::Smoothing make_smoothing(const Character& character, const MushMesh& mesh) {
    const int iterations = read_iterations(character);
    const double step = character.tensors->metadata().number("step");
    if (!(step > 0.0 && step <= 1.0)) {
        throw bad_argument("load", "metadata.step", std::to_string(step), "above 0 and at most 1");
    }
    return {mesh.faces, mesh.num_vertices(), iterations, static_cast<float>(step)};
}

std::vector<float> smoothed(const mesh::Smoothing& smoothing, View<const float, 2> vertices) {
    std::vector<float> points(vertices.begin(), vertices.end());
    std::vector<float> scratch(points.size());
    smoothing.apply(points.data(), scratch.data());
    return points;
}

}  // namespace

/// The working memory of one pose. "Frames" are tangent frames here.
struct DeltaMush::Memory {
    Scratch::Lease<float> lease;
    float* globals;             // (12 J)
    float* skinning;            // (12 J)
    float* globals_derivative;  // (12 J)
    float* blended;             // (S, 3)
    float* points;              // (S, 3) smoothed
    float* scratch;             // (S, 3)
    float* normals;             // (S, 3)
    float* frames;              // (S, 9)
    float* frame_derivative;    // (S, 9); the gradient in a vjp
    float* point_derivative;    // (S, 3); the gradient in a vjp
    float* cotangents;          // (S, 3)
};

DeltaMush::Memory DeltaMush::lease() const {
    const std::size_t joints = Scratch::padded(12 * static_cast<std::size_t>(character().skeleton.num_joints()));
    const std::size_t points = Scratch::padded(3 * static_cast<std::size_t>(mesh_.num_vertices()));
    Memory memory;
    memory.lease = Scratch::Lease<float>(3 * joints + 12 * points);
    float* next = memory.lease.data();
    const auto split_off = [&](std::size_t size) { return std::exchange(next, next + size); };
    memory.globals = split_off(joints);
    memory.skinning = split_off(joints);
    memory.globals_derivative = split_off(joints);
    memory.blended = split_off(points);
    memory.points = split_off(points);
    memory.scratch = split_off(points);
    memory.normals = split_off(points);
    memory.point_derivative = split_off(points);
    memory.cotangents = split_off(points);
    memory.frames = split_off(3 * points);
    memory.frame_derivative = split_off(3 * points);
    return memory;
}

DeltaMush::DeltaMush(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
      mesh_(character()),
      skin_(character(), mesh_.num_vertices()),
      smoothing_(make_smoothing(character(), mesh_)),
      smooth_rest_(smoothed(smoothing_, mesh_.rest_vertices)),
      frames_(mesh_.faces, {smooth_rest_.data(), mesh_.rest_vertices.extents()}),
      details_(smooth_rest_.size(), 0.0f) {
    std::vector<float> normals(smooth_rest_.size());
    std::vector<float> frames(3 * smooth_rest_.size());
    frames_.evaluate(smooth_rest_.data(), normals.data(), frames.data());
    for (std::int64_t k = 0; k < mesh_.num_vertices(); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            for (int e = 0; e < 3; ++e) {
                details_[3 * k + axis] +=
                    frames[9 * k + 3 * axis + e] * (mesh_.rest_vertices(k, e) - smooth_rest_[3 * k + e]);
            }
        }
    }
}

/// Computes globals, skinning, blended, points, normals and frames of a pose.
void DeltaMush::smooth_pose(const float* pose, const Memory& memory) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    skin_.blend(memory.skinning, mesh_.rest_vertices.data(), 0, num_vertices, memory.blended);
    std::copy_n(memory.blended, 3 * num_vertices, memory.points);
    smoothing_.apply(memory.points, memory.scratch);
    frames_.evaluate(memory.points, memory.normals, memory.frames);
}

/// Writes the model's vertices from points, frames and blended vertices. Linear: derivatives give derivatives.
void DeltaMush::add_detail(const float* points, const float* frames, const float* blended, float* out) const {
    for (std::int64_t i = 0; i < character().num_vertices(); ++i, out += 3) {
        const std::int64_t k = mesh_.vertex(i);
        if (!frames_.has_frame(k)) {
            std::copy_n(blended + 3 * k, 3, out);
            continue;
        }
        const float* frame = frames + 9 * k;
        const float* d = details_.data() + 3 * k;
        for (int e = 0; e < 3; ++e) {
            out[e] = points[3 * k + e] + d[0] * frame[e] + d[1] * frame[3 + e] + d[2] * frame[6 + e];
        }
    }
}

void DeltaMush::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Memory memory = lease();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            add_detail(memory.points, memory.frames, memory.blended, vertices.row(t));
            check_overflow("evaluate", t, vertices.row(t), 3 * character().num_vertices());
        }
    });
}

/// The cotangents of the S vertices from those of the model's V vertices: sums over their occurrences in the model.
const float* DeltaMush::scatter_cotangents(const float* cotangents, const Memory& memory) const {
    if (mesh_.is_whole()) return cotangents;
    std::fill_n(memory.cotangents, 3 * mesh_.num_vertices(), 0.0f);
    for (std::int64_t i = 0; i < character().num_vertices(); ++i) {
        for (int e = 0; e < 3; ++e) memory.cotangents[3 * mesh_.vertex(i) + e] += cotangents[3 * i + e];
    }
    return memory.cotangents;
}

/// Computes point_derivative, the gradient with respect to the blended vertices, from the cotangents of the S vertices.
void DeltaMush::smoothed_vjp(const float* cotangents, const Memory& memory) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        for (int e = 0; e < 3; ++e) {
            const float g = frames_.has_frame(k) ? cotangents[3 * k + e] : 0.0f;
            memory.point_derivative[3 * k + e] = g;
            for (int axis = 0; axis < 3; ++axis) {
                memory.frame_derivative[9 * k + 3 * axis + e] = details_[3 * k + axis] * g;
            }
        }
    }
    frames_.vjp(memory.points, memory.normals, memory.frames, memory.frame_derivative, memory.point_derivative);
    smoothing_.apply_transposed(memory.point_derivative, memory.scratch);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        if (frames_.has_frame(k)) continue;
        for (int e = 0; e < 3; ++e) memory.point_derivative[3 * k + e] += cotangents[3 * k + e];
    }
}

void DeltaMush::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                       int threads) const {
    const Skeleton& skeleton = character().skeleton;
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Memory memory = lease();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            smoothed_vjp(scatter_cotangents(cotangents.row(t), memory), memory);
            std::fill_n(memory.skinning, 12 * skeleton.num_joints(), 0.0f);
            skin_.blend_vjp(mesh_.rest_vertices.data(), memory.point_derivative, memory.skinning);
            skinning_vjp(skeleton, poses.row(t), memory.globals, memory.skinning, gradients.extent(1),
                         gradients.row(t));
        }
    });
}

/// Call after smooth_pose. Replaces skinning and blended by their derivatives along the tangent, and computes
/// point_derivative and frame_derivative.
void DeltaMush::smoothed_jvp(const float* pose, const float* tangent, const Memory& memory) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    skinning_jvp(character().skeleton, pose, memory.globals, tangent, memory.globals_derivative, memory.skinning);
    skin_.blend(memory.skinning, mesh_.rest_vertices.data(), 0, num_vertices, memory.blended);
    std::copy_n(memory.blended, 3 * num_vertices, memory.point_derivative);
    smoothing_.apply(memory.point_derivative, memory.scratch);
    frames_.jvp(memory.points, memory.normals, memory.frames, memory.point_derivative, memory.frame_derivative);
}

void DeltaMush::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Memory memory = lease();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            smoothed_jvp(poses.row(t), tangents.row(t), memory);
            add_detail(memory.point_derivative, memory.frame_derivative, memory.blended, derivatives.row(t));
        }
    });
}

std::shared_ptr<Deformer> DeltaMush::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(restricted_tensors(character(), vertices, {"skin.", "mush."}));
    mesh_.add_restricted(*character().tensors, vertices, read_iterations(character()), tensors.get());
    return std::make_shared<DeltaMush>(std::move(tensors));
}

}  // namespace rigcast::rig
