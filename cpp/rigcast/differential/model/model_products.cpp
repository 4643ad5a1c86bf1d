#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/differential/model/differential_model.h"
#include "rigcast/network/frame_batches.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::differential {
namespace {

/// Frames that share a pass over the weights. Measured with a network of 5 x 2,048 on a Zen 5 core: 64 frames together
/// take 16.5 ms, 48 and 16 take 19.0.
constexpr std::int64_t frames_per_batch = 96;
constexpr std::int64_t vertices_per_block = 1024;  // of a single frame, for threads; chosen, not tuned

}  // namespace

/// The arrays of a batch of frames, in one piece of memory. Without memory (null) it only counts their floats.
struct DifferentialModel::Memory {
    Memory(float* memory, const DifferentialModel& model, int frames, bool with_derivatives) : memory_(memory) {
        const std::size_t joints = 12 * static_cast<std::size_t>(model.character().skeleton.num_joints());
        const std::size_t points_size = with_derivatives ? 3 * model.character().num_vertices() : 0;
        coefficients = rows(frames, model.num_coefficients());
        anchors = rows(frames, 3 * model.num_anchors());
        coefficient_change = rows(1, model.num_coefficients());
        anchor_change = rows(1, 3 * model.num_anchors());
        globals = take(2 * joints);
        skinning = globals == nullptr ? nullptr : globals + joints;
        globals_change = take(joints);
        skinning_change = take(joints);
        points = take(points_size);
        pulled = take(points_size);
        tail = take(model.tail_->memory_size(frames));
        networks = take(std::max({model.network_.memory_size(frames), model.anchors_.memory_size(frames),
                                  model.network_.derivative_size(), model.anchors_.derivative_size()}));
    }

    Rows<float> coefficients;  // z
    Rows<float> anchors;       // a
    Rows<float> coefficient_change;
    Rows<float> anchor_change;
    float* globals;  // (J, 3, 4)
    float* skinning;
    float* globals_change;
    float* skinning_change;
    float* points;  // (V, 3) v^0 + d
    float* pulled;  // (V, 3) gradients with respect to them
    float* tail;
    float* networks;
    std::size_t size = 0;

private:
    float* take(std::size_t count) {
        float* const array = memory_ == nullptr ? nullptr : memory_ + size;
        size += Scratch::padded(count);
        return array;
    }
    Rows<float> rows(int frames, std::int64_t width) {
        const std::size_t padded = Scratch::padded(static_cast<std::size_t>(width));
        return {take(padded * static_cast<std::size_t>(frames)), static_cast<std::int64_t>(padded)};
    }

    float* memory_;
};

/// Computes z and a of `count` poses.
void DifferentialModel::predict(const char* function, std::int64_t frame, Rows<const float> poses, const Memory& memory,
                                int count) const {
    network_.evaluate(poses, memory.coefficients, count, memory.networks);
    anchors_.evaluate(poses, memory.anchors, count, memory.networks);
    for (int p = 0; p < count; ++p) {
        rig::check_overflow(function, frame + p, memory.coefficients.row(p), num_coefficients());
        rig::check_overflow(function, frame + p, memory.anchors.row(p), 3 * num_anchors());
    }
}

/// Adds the offsets of the base at some poses to points (t, V, 3).
void DifferentialModel::add_base(const char* function, std::int64_t frame, View<const float, 2> poses, float* points,
                                 int threads) const {
    if (!base_) return;
    const std::int64_t size = poses.extent(0) * 3 * character().num_vertices();
    const Scratch::Inside level;
    const Scratch::Lease<float> lease(static_cast<std::size_t>(size));
    base_->evaluate(function, frame, poses, {lease.data(), {poses.extent(0), character().num_vertices(), 3}}, threads);
    for (std::int64_t i = 0; i < size; ++i) points[i] += lease.data()[i];
}

/// Applies the linear transforms of a pose to points (V, 3) in place; `transforms` are 24 J floats of memory.
void DifferentialModel::transform(std::int64_t frame, const float* pose, float* points, float* transforms,
                                  int threads) const {
    if (!skin_) return;
    const rig::Skeleton& skeleton = character().skeleton;
    float* const skinning = transforms + 12 * skeleton.num_joints();
    rig::skinning_transforms(skeleton, pose, transforms, skinning);
    rig::check_overflow("evaluate", frame, skinning, 12 * skeleton.num_joints());
    parallel_for(skin_->num_vertices(), vertices_per_block, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
            float moved[3];
            skin_->blend_point(skinning, k, points + 3 * k, moved);
            std::copy_n(moved, 3, points + 3 * k);
        }
    });
}

void DifferentialModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    const std::int64_t width = 3 * vertices.extent(1);
    network::for_frame_batches(poses.extent(0), frames_per_batch, threads, [&](std::int64_t begin, int count, int own) {
        const Scratch::Lease<float> lease(Memory(nullptr, *this, count, false).size);
        const Memory memory(lease.data(), *this, count, false);
        predict("evaluate", begin, {poses.row(begin), poses.extent(1)}, memory, count);
        tail_->evaluate(memory.coefficients, memory.anchors, {vertices.row(begin), width}, count, true, memory.tail,
                        own);
        add_base("evaluate", begin, {poses.row(begin), {count, poses.extent(1)}}, vertices.row(begin), own);
        for (std::int64_t t = begin; t < begin + count; ++t) {
            transform(t, poses.row(t), vertices.row(t), memory.globals, own);
            rig::check_overflow("evaluate", t, vertices.row(t), width);
        }
    });
}

void DifferentialModel::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                               int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t num_vertices = character().num_vertices();
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> lease(Memory(nullptr, *this, 1, true).size);
        const Memory memory(lease.data(), *this, 1, true);
        for (std::int64_t t = begin; t < end; ++t) {
            std::fill_n(gradients.row(t), gradients.extent(1), 0.0f);
            const float* pulled = cotangents.row(t);
            if (skin_) {
                predict("vjp", t, {poses.row(t), 0}, memory, 1);
                tail_->evaluate(memory.coefficients, memory.anchors, {memory.points, 0}, 1, true, memory.tail, 1);
                add_base("vjp", t, {poses.row(t), {1, poses.extent(1)}}, memory.points, 1);
                rig::skinning_transforms(skeleton, poses.row(t), memory.globals, memory.skinning);
                std::fill_n(memory.skinning_change, 12 * skeleton.num_joints(), 0.0f);
                skin_->blend_vjp(memory.points, cotangents.row(t), memory.skinning_change);
                rig::skinning_vjp(skeleton, poses.row(t), memory.globals, memory.skinning_change, gradients.extent(1),
                                  gradients.row(t));
                std::fill_n(memory.pulled, 3 * num_vertices, 0.0f);
                for (std::int64_t k = 0; k < num_vertices; ++k) {
                    const float* g = cotangents.row(t) + 3 * k;
                    for (std::int32_t i = skin_->begin(k); i < skin_->begin(k + 1); ++i) {
                        const float* m = memory.skinning + 12 * skin_->joint(i);
                        for (int e = 0; e < 3; ++e) {
                            memory.pulled[3 * k + e] +=
                                skin_->weight(i) * (m[e] * g[0] + m[4 + e] * g[1] + m[8 + e] * g[2]);
                        }
                    }
                }
                rig::check_overflow("vjp", t, memory.pulled, 3 * num_vertices);
                pulled = memory.pulled;
            }
            if (base_) {
                base_->add_vjp({poses.row(t), {poses.extent(1)}}, {pulled, {num_vertices, 3}}, gradients.row(t));
            }
            tail_->vjp(pulled, memory.coefficient_change.row(0), memory.anchor_change.row(0), memory.tail);
            network_.vjp(poses.row(t), memory.coefficient_change.row(0), gradients.row(t), memory.networks);
            anchors_.vjp(poses.row(t), memory.anchor_change.row(0), gradients.row(t), memory.networks);
        }
    });
}

/// Adds the derivatives of the base at frame t along a tangent to those of its points (V, 3).
void DifferentialModel::add_base_tangents(std::int64_t t, View<const float, 2> poses, View<const float, 2> tangents,
                                          float* changes) const {
    if (!base_) return;
    const std::int64_t size = 3 * character().num_vertices();
    const Scratch::Inside level;
    const Scratch::Lease<float> lease(static_cast<std::size_t>(size));
    base_->jvp({poses.row(t), {1, poses.extent(1)}}, {tangents.row(t), {1, tangents.extent(1)}},
               {lease.data(), {1, character().num_vertices(), 3}});
    for (std::int64_t i = 0; i < size; ++i) changes[i] += lease.data()[i];
}

/// d(T p) = T dp + dT p.
void DifferentialModel::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                               int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> lease(Memory(nullptr, *this, 1, true).size);
        const Memory memory(lease.data(), *this, 1, true);
        for (std::int64_t t = begin; t < end; ++t) {
            network_.jvp(poses.row(t), tangents.row(t), memory.coefficient_change.row(0), memory.networks);
            anchors_.jvp(poses.row(t), tangents.row(t), memory.anchor_change.row(0), memory.networks);
            float* change = skin_ ? memory.pulled : derivatives.row(t);
            tail_->evaluate(memory.coefficient_change, memory.anchor_change, {change, 0}, 1, false, memory.tail, 1);
            add_base_tangents(t, poses, tangents, change);
            rig::check_overflow("jvp", t, change, derivatives.extent(1) * 3);
            if (!skin_) continue;
            predict("jvp", t, {poses.row(t), 0}, memory, 1);
            tail_->evaluate(memory.coefficients, memory.anchors, {memory.points, 0}, 1, true, memory.tail, 1);
            add_base("jvp", t, {poses.row(t), {1, poses.extent(1)}}, memory.points, 1);
            rig::skinning_transforms(skeleton, poses.row(t), memory.globals, memory.skinning);
            rig::skinning_jvp(skeleton, poses.row(t), memory.globals, tangents.row(t), memory.globals_change,
                              memory.skinning_change);
            for (std::int64_t k = 0; k < skin_->num_vertices(); ++k) {
                float* out = derivatives.row(t) + 3 * k;
                skin_->blend_point(memory.skinning_change, k, memory.points + 3 * k, out);
                for (std::int32_t i = skin_->begin(k); i < skin_->begin(k + 1); ++i) {
                    const float* m = memory.skinning + 12 * skin_->joint(i);
                    for (int row = 0; row < 3; ++row) {
                        for (int e = 0; e < 3; ++e) {
                            out[row] += skin_->weight(i) * m[4 * row + e] * change[3 * k + e];
                        }
                    }
                }
            }
        }
    });
}

}  // namespace rigcast::differential
