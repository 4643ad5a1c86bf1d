#include "rigwright/rig/skinning/delta_mush.h"

#include <algorithm>
#include <cmath>

#include "rigwright/core/error.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/rig/overflow.h"
#include "rigwright/rig/restricted.h"

namespace rigwright::rig {
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
    std::vector<float> points(vertices.begin(), vertices.end()), scratch(points.size());
    smoothing.apply(points.data(), scratch.data());
    return points;
}

}  // namespace

/// The working memory of one pose.
struct DeltaMush::Work {
    Scratch::Lease<float> memory;
    float *globals, *skinning, *globals_derivative;        // 12 J each
    float *blended, *points, *scratch, *normals, *frames;  // S x 3, frames S x 9
    float *frame_derivative, *point_derivative;            // S x 9, S x 3; gradients in vjp
    float* cotangents;                                     // S x 3
};

DeltaMush::Work DeltaMush::work() const {
    const std::size_t joints = Scratch::padded(12 * static_cast<std::size_t>(character().skeleton.num_joints()));
    const std::size_t points = Scratch::padded(3 * static_cast<std::size_t>(mesh_.num_vertices()));
    Work work;
    work.memory = Scratch::Lease<float>(3 * joints + 12 * points);
    float* next = work.memory.data();
    const auto take = [&](std::size_t size) {
        float* part = next;
        next += size;
        return part;
    };
    work.globals = take(joints);
    work.skinning = take(joints);
    work.globals_derivative = take(joints);
    work.blended = take(points);
    work.points = take(points);
    work.scratch = take(points);
    work.normals = take(points);
    work.point_derivative = take(points);
    work.cotangents = take(points);
    work.frames = take(3 * points);
    work.frame_derivative = take(3 * points);
    return work;
}

DeltaMush::DeltaMush(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
      mesh_(character()),
      skin_(character(), mesh_.num_vertices()),
      smoothing_(make_smoothing(character(), mesh_)),
      smooth_rest_(smoothed(smoothing_, mesh_.rest_vertices)),
      frames_(mesh_.faces, {smooth_rest_.data(), mesh_.rest_vertices.extents()}),
      details_(smooth_rest_.size(), 0.0f) {
    std::vector<float> normals(smooth_rest_.size()), frames(3 * smooth_rest_.size());
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

/// Fills globals, blended, points, normals and frames.
void DeltaMush::smooth_pose(const float* pose, const Work& work) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    skinning_transforms(character().skeleton, pose, work.globals, work.skinning);
    skin_.blend(work.skinning, mesh_.rest_vertices.data(), 0, num_vertices, work.blended);
    std::copy_n(work.blended, 3 * num_vertices, work.points);
    smoothing_.apply(work.points, work.scratch);
    frames_.evaluate(work.points, work.normals, work.frames);
}

/// Writes the model's vertices, or their derivatives from those of points, frames and blended vertices.
void DeltaMush::add_detail(const float* points, const float* frames, const float* blended, float* out) const {
    for (std::int64_t i = 0; i < character().num_vertices(); ++i, out += 3) {
        const std::int64_t k = mesh_.place(i);
        if (!frames_.has_frame(k)) {
            std::copy_n(blended + 3 * k, 3, out);
            continue;
        }
        const float *frame = frames + 9 * k, *d = details_.data() + 3 * k;
        for (int e = 0; e < 3; ++e) {
            out[e] = points[3 * k + e] + d[0] * frame[e] + d[1] * frame[3 + e] + d[2] * frame[6 + e];
        }
    }
}

void DeltaMush::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Work memory = work();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            add_detail(memory.points, memory.frames, memory.blended, vertices.row(t));
            check_overflow("evaluate", t, vertices.row(t), 3 * character().num_vertices());
        }
    });
}

/// Cotangents of the S vertices, from those of the model's: 0 for vertices that it does not show, sums for those that
/// it repeats.
const float* DeltaMush::whole_cotangents(const float* cotangents, const Work& work) const {
    if (mesh_.is_whole()) return cotangents;
    std::fill_n(work.cotangents, 3 * mesh_.num_vertices(), 0.0f);
    for (std::int64_t i = 0; i < character().num_vertices(); ++i) {
        for (int e = 0; e < 3; ++e) work.cotangents[3 * mesh_.place(i) + e] += cotangents[3 * i + e];
    }
    return work.cotangents;
}

/// From the cotangents of the S vertices to point_derivative, the gradient with respect to the blended vertices.
void DeltaMush::smoothed_vjp(const float* cotangents, const Work& work) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        for (int e = 0; e < 3; ++e) {
            const float g = frames_.has_frame(k) ? cotangents[3 * k + e] : 0.0f;
            work.point_derivative[3 * k + e] = g;
            for (int axis = 0; axis < 3; ++axis) {
                work.frame_derivative[9 * k + 3 * axis + e] = details_[3 * k + axis] * g;
            }
        }
    }
    frames_.vjp(work.points, work.normals, work.frames, work.frame_derivative, work.point_derivative);
    smoothing_.apply_transposed(work.point_derivative, work.scratch);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        if (frames_.has_frame(k)) continue;
        for (int e = 0; e < 3; ++e) work.point_derivative[3 * k + e] += cotangents[3 * k + e];
    }
}

void DeltaMush::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                       int threads) const {
    const Skeleton& skeleton = character().skeleton;
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Work memory = work();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            smoothed_vjp(whole_cotangents(cotangents.row(t), memory), memory);
            std::fill_n(memory.skinning, 12 * skeleton.num_joints(), 0.0f);
            skin_.blend_vjp(mesh_.rest_vertices.data(), memory.point_derivative, memory.skinning);
            skinning_vjp(skeleton, poses.row(t), memory.globals, memory.skinning, gradients.extent(1),
                         gradients.row(t));
        }
    });
}

/// After smooth_pose: replaces skinning and blended by their derivatives, and fills point_derivative and
/// frame_derivative.
void DeltaMush::smoothed_jvp(const float* pose, const float* tangent, const Work& work) const {
    const std::int64_t num_vertices = mesh_.num_vertices();
    skinning_jvp(character().skeleton, pose, work.globals, tangent, work.globals_derivative, work.skinning);
    skin_.blend(work.skinning, mesh_.rest_vertices.data(), 0, num_vertices, work.blended);
    std::copy_n(work.blended, 3 * num_vertices, work.point_derivative);
    smoothing_.apply(work.point_derivative, work.scratch);
    frames_.jvp(work.points, work.normals, work.frames, work.point_derivative, work.frame_derivative);
}

void DeltaMush::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Work memory = work();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            smoothed_jvp(poses.row(t), tangents.row(t), memory);
            add_detail(memory.point_derivative, memory.frame_derivative, memory.blended, derivatives.row(t));
        }
    });
}

std::shared_ptr<Deformer> DeltaMush::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(restricted_tensors(character(), vertices, {"skin.", "mush."}));
    mesh_.add_part(*character().tensors, vertices, read_iterations(character()), tensors.get());
    return std::make_shared<DeltaMush>(std::move(tensors));
}

}  // namespace rigwright::rig
