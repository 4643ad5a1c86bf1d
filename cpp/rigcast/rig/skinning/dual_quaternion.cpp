#include "rigcast/rig/skinning/dual_quaternion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/derivatives/linearizer.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"
#include "rigcast/rig/skinning/dual_quaternion_parts.h"
#include "rigcast/rig/skinning/frame_blocks.h"
#include "rigcast/rig/skinning/skin_session.h"

namespace rigcast::rig {

using namespace dual;

/// Entries of P - I up to this are float32 rounding of a rotation, no stretch.
static constexpr double min_stretch = 1e-6;

DualQuaternionBlend::DualQuaternionBlend(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), skin_(character()) {}

std::size_t DualQuaternionBlend::state_size() const {
    return State<float>::size(character().skeleton.num_joints());
}

void DualQuaternionBlend::prepare(const float* pose, float* memory) const {
    const Skeleton& skeleton = character().skeleton;
    const State state(memory, skeleton.num_joints());
    skinning_transforms(skeleton, pose, state.globals, state.skinning);
    Motion* motions = reinterpret_cast<Motion*>(state.motions);
    double largest = 0.0;
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        const Split split(state.skinning + 12 * j, skeleton.rest_globals().row(j));
        motions[j].q = narrow(split.rotation);
        motions[j].d = narrow(0.5 * (Real::vector(split.translation) * split.rotation));
        float* stretch = state.stretches + 12 * j;
        for (int row = 0; row < 3; ++row) {  // c + P (v - c)
            double moved = split.center[row];
            for (int e = 0; e < 3; ++e) {
                const double p = split.polar.stretch[row * 3 + e];
                stretch[row * 4 + e] = static_cast<float>(p);
                moved -= p * split.center[e];
                largest = std::max(largest, std::abs(p - (row == e ? 1.0 : 0.0)));
            }
            stretch[row * 4 + 3] = static_cast<float>(moved);
        }
    }
    *state.stretched = largest > min_stretch ? 1.0f : 0.0f;
}

void DualQuaternionBlend::skin(const float* memory, std::int64_t first, std::int64_t last, float* vertices) const {
    const State state(memory, character().skeleton.num_joints());
    const float* rest = character().rest_vertices.data();
    if (*state.stretched != 0.0f) {
        skin_.blend(state.stretches, rest, first, last, vertices);
    } else {
        std::copy(rest + 3 * first, rest + 3 * last, vertices + 3 * first);
    }
    const Motion* motions = reinterpret_cast<const Motion*>(state.motions);
    for (std::int64_t k = first; k < last; ++k) {
        float* v = vertices + 3 * k;
        const Motion motion = blend(skin_, k, motions);
        const Quaternion<float> back = conjugate(motion.q);
        const Quaternion<float> moved =
            motion.q * Quaternion<float>::vector(v) * back + 2.0f * (motion.d * back);  // times |q|^2
        ((1.0f / dot(motion.q, motion.q)) * moved).vector_part(v);
    }
}

/// Adds the gradients with respect to motions and stretches from vertices [first, last), whose cotangents are
/// `cotangents` (last - first, 3). For f = (q u q* + 2 d q*) / |q|^2, a cotangent g, and G = g / |q|^2 as a quaternion:
///   dq = -2 G (q u + d) - 2 (g . f) q / |q|^2,   dd = 2 G q,   du = vec(q* G q).
void DualQuaternionBlend::skin_vjp(const float* memory, std::int64_t first, std::int64_t last, const float* cotangents,
                                   float* motion_gradient, float* stretch_gradient) const {
    const State state(memory, character().skeleton.num_joints());
    const float* rest = character().rest_vertices.data();
    const Motion* motions = reinterpret_cast<const Motion*>(state.motions);
    Motion* gradients = reinterpret_cast<Motion*>(motion_gradient);
    for (std::int64_t k = first; k < last; ++k, cotangents += 3) {
        const Motion motion = blend(skin_, k, motions);
        float point[3];
        float inner[3];
        skin_.blend_point(state.stretches, k, rest + 3 * k, point);
        const float scale = 1.0f / dot(motion.q, motion.q);
        const Quaternion<float> back = conjugate(motion.q);
        const Quaternion<float> u = Quaternion<float>::vector(point);
        const Quaternion<float> moved = scale * (motion.q * u * back + 2.0f * (motion.d * back));
        const Quaternion<float> g = scale * Quaternion<float>::vector(cotangents);
        const float along = g.x * moved.x + g.y * moved.y + g.z * moved.z;
        const Quaternion<float> dq = -2.0f * (g * (motion.q * u + motion.d)) + (-2.0f * along) * motion.q;
        const Quaternion<float> dd = 2.0f * (g * motion.q);
        (back * g * motion.q).vector_part(inner);

        const Quaternion<float>& pivot = motions[skin_.joint(skin_.begin(k))].q;
        for (std::int32_t i = skin_.begin(k); i < skin_.begin(k + 1); ++i) {
            const std::int32_t j = skin_.joint(i);
            const float w = signed_weight(skin_, i, motions, pivot);
            gradients[j].q = gradients[j].q + w * dq;
            gradients[j].d = gradients[j].d + w * dd;
            float* s = stretch_gradient + 12 * j;
            for (int row = 0; row < 3; ++row) {
                const float c = skin_.weight(i) * inner[row];
                for (int e = 0; e < 3; ++e) s[row * 4 + e] += c * rest[3 * k + e];
                s[row * 4 + 3] += c;
            }
        }
    }
}

/// Writes the gradient with respect to a joint's skinning transform [A | b] from those of its motion and stretch: with
/// d = (0, t) q / 2 and t = A c + b - R c, a rotation dR = R [w]x changes q by q (0, w) / 2 and t by -R [w]x c.
void DualQuaternionBlend::joint_vjp(int joint, const float* memory, const float* motion_gradient,
                                    const float* stretch_gradient, float* skinning_gradient) const {
    const Skeleton& skeleton = character().skeleton;
    const State state(memory, skeleton.num_joints());
    const Split split(state.skinning + 12 * joint, skeleton.rest_globals().row(joint));
    const double* r = split.polar.rotation;
    const Real dq = widen(motion_gradient + 8 * joint);
    const Real dd = widen(motion_gradient + 8 * joint + 4);
    double dt[3];
    double turn[3];
    double inner[3] = {};
    (0.5 * (dd * conjugate(split.rotation))).vector_part(dt);
    const Real whole = dq + -0.5 * (Real::vector(split.translation) * dd);
    (0.5 * (conjugate(split.rotation) * whole)).vector_part(turn);
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) inner[e] += r[row * 3 + e] * dt[row];  // R^T dt
    }
    const double* c = split.center;  // -(R^T dt) . (w x c) = -w . (c x R^T dt)
    turn[0] -= c[1] * inner[2] - c[2] * inner[1];
    turn[1] -= c[2] * inner[0] - c[0] * inner[2];
    turn[2] -= c[0] * inner[1] - c[1] * inner[0];

    const float* s = stretch_gradient + 12 * joint;
    double stretch[9];
    double a[9] = {};
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) stretch[row * 3 + e] = s[row * 4 + e] - double(s[row * 4 + 3]) * c[e];
    }
    linalg::polar_vjp(split.polar, stretch, turn, a);
    float* out = skinning_gradient + 12 * joint;
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) out[row * 4 + e] = static_cast<float>(a[row * 3 + e] + dt[row] * c[e]);
        out[row * 4 + 3] = static_cast<float>(dt[row]);
    }
}

void DualQuaternionBlend::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    for_frame_blocks(
        poses.extent(0), character().num_vertices(), state_size(), threads,
        [&](std::int64_t t, float* state) { prepare(poses.row(t), state); },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin(state, first, last, vertices.row(t));
            check_overflow("evaluate", t, vertices.row(t) + 3 * first, 3 * (last - first));
        });
}

void DualQuaternionBlend::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                                 int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const std::size_t joints = static_cast<std::size_t>(skeleton.num_joints());
    const std::size_t size = Scratch::padded(state_size());
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<float> memory(size + 32 * joints);
        float* state = memory.data();
        float* motion = state + size;
        float* stretch = motion + 8 * joints;
        float* skinning = stretch + 12 * joints;
        for (std::int64_t t = begin; t < end; ++t) {
            prepare(poses.row(t), state);
            std::fill_n(motion, 20 * joints, 0.0f);
            skin_vjp(state, 0, character().num_vertices(), cotangents.row(t), motion, stretch);
            for (int j = 0; j < skeleton.num_joints(); ++j) joint_vjp(j, state, motion, stretch, skinning);
            skinning_vjp(skeleton, poses.row(t), State(state, skeleton.num_joints()).globals, skinning,
                         gradients.extent(1), gradients.row(t));
        }
    });
}

/// Writes the three Jacobian rows of a vertex: one vjp per row, over the joints of the vertex only. `memory` has 32 J
/// floats.
void DualQuaternionBlend::vertex_jacobian(std::int64_t vertex, const float* pose, const float* state, float* memory,
                                          View<float, 2> jacobian) const {
    const Skeleton& skeleton = character().skeleton;
    const std::size_t joints = static_cast<std::size_t>(skeleton.num_joints());
    float* motion = memory;
    float* stretch = motion + 8 * joints;
    float* skinning = stretch + 12 * joints;
    for (int axis = 0; axis < 3; ++axis) {
        float cotangent[3] = {};
        cotangent[axis] = 1.0f;
        std::fill_n(memory, 32 * joints, 0.0f);
        skin_vjp(state, vertex, vertex + 1, cotangent, motion, stretch);
        for (std::int32_t i = skin_.begin(vertex); i < skin_.begin(vertex + 1); ++i) {
            joint_vjp(skin_.joint(i), state, motion, stretch, skinning);
        }
        skinning_vjp(skeleton, pose, State(state, skeleton.num_joints()).globals, skinning, jacobian.extent(1),
                     jacobian.row(3 * vertex + axis));
    }
}

void DualQuaternionBlend::do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    // A task prepares its pose, which costs as much as one vertex: 16 vertices per task make that a sixteenth.
    constexpr std::int64_t vertices_per_task = 16;
    const std::int64_t num_vertices = character().num_vertices();
    const std::int64_t tasks = (num_vertices + vertices_per_task - 1) / vertices_per_task;
    const std::size_t size = state_size();
    parallel_for(poses.extent(0) * tasks, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> memory(size + 32 * static_cast<std::size_t>(character().skeleton.num_joints()));
        float* state = memory.data();
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t t = i / tasks;
            const std::int64_t first = i % tasks * vertices_per_task;
            const View<float, 2> jacobian(jacobians.row(t), {jacobians.extent(1), jacobians.extent(2)});
            prepare(poses.row(t), state);
            for (std::int64_t k = first; k < std::min(first + vertices_per_task, num_vertices); ++k) {
                vertex_jacobian(k, poses.row(t), state, state + size, jacobian);
            }
        }
    });
}

std::shared_ptr<Deformer> DualQuaternionBlend::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(restricted_tensors(character(), vertices, {"skin."}));
    add_skin_rows(*character().tensors, vertices, tensors.get());
    return std::make_shared<DualQuaternionBlend>(std::move(tensors));
}

std::unique_ptr<Linearizer> DualQuaternionBlend::linearizer() const {
    return general_linearizer(*this, true);
}

std::unique_ptr<SessionState> DualQuaternionBlend::new_session_state() const {
    return std::make_unique<SkinSession>(
        skin_, SkinSession::Steps{character().skeleton.num_joints(), state_size(), state_size() - 1,
                                  [this](const float* pose, float* state) { prepare(pose, state); },
                                  [this](const float* state, std::int64_t first, std::int64_t last, float* vertices) {
                                      skin(state, first, last, vertices);
                                  }});
}

}  // namespace rigcast::rig
