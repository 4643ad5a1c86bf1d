#include "rig/delta_mush.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/overflow.h"

namespace rigwright::rig {
namespace {

mesh::Smoothing make_smoothing(const Character& character) {
    const double iterations = character.tensors->metadata().number("iterations");
    const double step = character.tensors->metadata().number("step");
    if (!(iterations >= 0.0 && iterations <= 1000.0) || iterations != std::floor(iterations)) {
        throw bad_argument("load", "metadata.iterations", std::to_string(iterations), "a whole number from 0 to 1000");
    }
    if (!(step > 0.0 && step <= 1.0)) {
        throw bad_argument("load", "metadata.step", std::to_string(step), "above 0 and at most 1");
    }
    return {character.faces, character.num_vertices(), static_cast<int>(iterations), static_cast<float>(step)};
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
    float *globals, *skinning;                             // 12 J each
    float *blended, *points, *scratch, *normals, *frames;  // V x 3, frames V x 9
    float *frame_gradient, *point_gradient;                // V x 9, V x 3; for vjp
};

DeltaMush::Work DeltaMush::work() const {
    const std::size_t joints = Scratch::padded(12 * static_cast<std::size_t>(character().skeleton.num_joints()));
    const std::size_t points = Scratch::padded(3 * static_cast<std::size_t>(character().num_vertices()));
    Work work;
    work.memory = Scratch::Lease<float>(2 * joints + 11 * points);
    float* next = work.memory.data();
    const auto take = [&](std::size_t size) {
        float* part = next;
        next += size;
        return part;
    };
    work.globals = take(joints);
    work.skinning = take(joints);
    work.blended = take(points);
    work.points = take(points);
    work.scratch = take(points);
    work.normals = take(points);
    work.point_gradient = take(points);
    work.frames = take(3 * points);
    work.frame_gradient = take(3 * points);
    return work;
}

DeltaMush::DeltaMush(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)),
      skin_(character()),
      smoothing_(make_smoothing(character())),
      smooth_rest_(smoothed(smoothing_, character().rest_vertices)),
      frames_(character().faces, {smooth_rest_.data(), character().rest_vertices.extents()}),
      details_(smooth_rest_.size(), 0.0f) {
    std::vector<float> normals(smooth_rest_.size()), frames(3 * smooth_rest_.size());
    frames_.evaluate(smooth_rest_.data(), normals.data(), frames.data());
    for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            for (int e = 0; e < 3; ++e) {
                details_[3 * k + axis] +=
                    frames[9 * k + 3 * axis + e] * (character().rest_vertices(k, e) - smooth_rest_[3 * k + e]);
            }
        }
    }
}

/// Fills globals, blended, points, normals and frames.
void DeltaMush::smooth_pose(const float* pose, const Work& work) const {
    const std::int64_t num_vertices = character().num_vertices();
    skinning_transforms(character().skeleton, pose, work.globals, work.skinning);
    skin_.blend(work.skinning, character().rest_vertices.data(), 0, num_vertices, work.blended);
    std::copy_n(work.blended, 3 * num_vertices, work.points);
    smoothing_.apply(work.points, work.scratch);
    frames_.evaluate(work.points, work.normals, work.frames);
}

void DeltaMush::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Work memory = work();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
                float* out = vertices.row(t) + 3 * k;
                const float *frame = memory.frames + 9 * k, *d = details_.data() + 3 * k;
                if (!frames_.has_frame(k)) {
                    std::copy_n(memory.blended + 3 * k, 3, out);
                    continue;
                }
                for (int e = 0; e < 3; ++e) {
                    out[e] = memory.points[3 * k + e] + d[0] * frame[e] + d[1] * frame[3 + e] + d[2] * frame[6 + e];
                }
            }
            check_overflow("evaluate", t, vertices.row(t), 3 * character().num_vertices());
        }
    });
}

/// From the cotangents of the vertices to point_gradient, the gradient with respect to the blended vertices.
void DeltaMush::smoothed_vjp(const float* cotangents, const Work& work) const {
    const std::int64_t num_vertices = character().num_vertices();
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        for (int e = 0; e < 3; ++e) {
            const float g = frames_.has_frame(k) ? cotangents[3 * k + e] : 0.0f;
            work.point_gradient[3 * k + e] = g;
            for (int axis = 0; axis < 3; ++axis) {
                work.frame_gradient[9 * k + 3 * axis + e] = details_[3 * k + axis] * g;
            }
        }
    }
    frames_.vjp(work.points, work.normals, work.frames, work.frame_gradient, work.point_gradient);
    smoothing_.apply_transposed(work.point_gradient, work.scratch);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        if (frames_.has_frame(k)) continue;
        for (int e = 0; e < 3; ++e) work.point_gradient[3 * k + e] += cotangents[3 * k + e];
    }
}

void DeltaMush::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                       int threads) const {
    const Skeleton& skeleton = character().skeleton;
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Work memory = work();
        for (std::int64_t t = begin; t < end; ++t) {
            smooth_pose(poses.row(t), memory);
            smoothed_vjp(cotangents.row(t), memory);
            std::fill_n(memory.skinning, 12 * skeleton.num_joints(), 0.0f);
            skin_.blend_vjp(character().rest_vertices.data(), memory.point_gradient, memory.skinning);
            skinning_vjp(skeleton, poses.row(t), memory.globals, memory.skinning, gradients.extent(1),
                         gradients.row(t));
        }
    });
}

}  // namespace rigwright::rig
