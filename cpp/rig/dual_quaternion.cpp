#include "rig/dual_quaternion.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/overflow.h"
#include "rig/polar.h"
#include "rig/pose_blocks.h"
#include "rig/quaternion.h"
#include "rig/transform.h"

namespace rigwright::rig {
namespace {

using Real = Quaternion<double>;

/// A rigid motion: a rotation and the dual part (0, t) q / 2 of its translation t.
struct Motion {
    Quaternion<float> q, d;
};
static_assert(sizeof(Motion) == 8 * sizeof(float));

/// What a pose becomes before it meets vertices: J motions, J stretches (3, 4), whether any stretches, then the
/// global and skinning transforms.
template <class T>
struct State {
    State(T* memory, int num_joints)
        : motions(memory),
          stretches(motions + 8 * num_joints),
          globals(stretches + 12 * num_joints),
          skinning(globals + 12 * num_joints),
          stretched(skinning + 12 * num_joints) {}
    T *motions, *stretches, *globals, *skinning, *stretched;
};

/// The parts of a skinning transform about the joint's rest position c: R, P, and t = A c + translation - R c.
struct Parts {
    Parts(const float* skinning, const float* rest_global) {
        double a[9];
        for (int row = 0; row < 3; ++row) {
            for (int e = 0; e < 3; ++e) a[row * 3 + e] = skinning[row * 4 + e];
            centre[row] = rest_global[row * 4 + 3];
        }
        polar = polar_decomposition(a);
        rotation = from_rotation(polar.rotation);
        for (int row = 0; row < 3; ++row) {
            translation[row] = skinning[row * 4 + 3];
            for (int e = 0; e < 3; ++e) {
                translation[row] += (a[row * 3 + e] - polar.rotation[row * 3 + e]) * centre[e];
            }
        }
    }
    Polar polar;
    Real rotation;
    double centre[3], translation[3];
};

Quaternion<float> narrow(const Real& q) {
    return {float(q.w), float(q.x), float(q.y), float(q.z)};
}
Real widen(const float* q) {
    return {q[0], q[1], q[2], q[3]};
}

/// The blended motion of a vertex, and the sign of each influence.
Motion blend(const SkinWeights& skin, std::int64_t k, const Motion* motions) {
    const Quaternion<float>& first = motions[skin.joint(skin.begin(k))].q;
    Motion sum;
    for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
        const Motion& motion = motions[skin.joint(i)];
        const float w = std::copysign(skin.weight(i), dot(first, motion.q));
        sum.q = sum.q + w * motion.q;
        sum.d = sum.d + w * motion.d;
    }
    return sum;
}

}  // namespace

DualQuaternionBlend::DualQuaternionBlend(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), skin_(character()) {}

std::size_t DualQuaternionBlend::state_size() const {
    return 44 * static_cast<std::size_t>(character().skeleton.num_joints()) + 1;
}

void DualQuaternionBlend::prepare(const float* pose, float* memory) const {
    const Skeleton& skeleton = character().skeleton;
    const State state(memory, skeleton.num_joints());
    skinning_transforms(skeleton, pose, state.globals, state.skinning);
    Motion* motions = reinterpret_cast<Motion*>(state.motions);
    double largest = 0.0;
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        const Parts parts(state.skinning + 12 * j, skeleton.rest_globals().row(j));
        motions[j].q = narrow(parts.rotation);
        motions[j].d = narrow(0.5 * (Real::vector(parts.translation) * parts.rotation));
        float* stretch = state.stretches + 12 * j;
        for (int row = 0; row < 3; ++row) {  // c + P (v - c)
            double moved = parts.centre[row];
            for (int e = 0; e < 3; ++e) {
                const double p = parts.polar.stretch[row * 3 + e];
                stretch[row * 4 + e] = static_cast<float>(p);
                moved -= p * parts.centre[e];
                largest = std::max(largest, std::abs(p - (row == e ? 1.0 : 0.0)));
            }
            stretch[row * 4 + 3] = static_cast<float>(moved);
        }
    }
    *state.stretched = largest > 1e-6 ? 1.0f : 0.0f;  // float32 rounding of a rotation is no stretch
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

/// Of f = (q u q* + 2 d q*) / |q|^2 with a cotangent g, and G = g / |q|^2 as a quaternion:
///   dq = -2 G (q u + d) - 2 (g . f) q / |q|^2,   dd = 2 G q,   du = vec(q* G q).
void DualQuaternionBlend::skin_vjp(const float* memory, const float* cotangents, float* motion_gradient,
                                   float* stretch_gradient) const {
    const State state(memory, character().skeleton.num_joints());
    const float* rest = character().rest_vertices.data();
    const Motion* motions = reinterpret_cast<const Motion*>(state.motions);
    Motion* gradients = reinterpret_cast<Motion*>(motion_gradient);
    for (std::int64_t k = 0; k < character().num_vertices(); ++k) {
        const Motion motion = blend(skin_, k, motions);
        float stretch[12] = {};
        for (std::int32_t i = skin_.begin(k); i < skin_.begin(k + 1); ++i) {
            const float* s = state.stretches + 12 * skin_.joint(i);
            for (int e = 0; e < 12; ++e) stretch[e] += skin_.weight(i) * s[e];
        }
        float point[3], inner[3];
        apply(stretch, rest + 3 * k, point);
        const float scale = 1.0f / dot(motion.q, motion.q);
        const Quaternion<float> back = conjugate(motion.q), u = Quaternion<float>::vector(point);
        const Quaternion<float> moved = scale * (motion.q * u * back + 2.0f * (motion.d * back));
        const Quaternion<float> g = scale * Quaternion<float>::vector(cotangents + 3 * k);
        const float along = g.x * moved.x + g.y * moved.y + g.z * moved.z;
        const Quaternion<float> dq = -2.0f * (g * (motion.q * u + motion.d)) + (-2.0f * along) * motion.q;
        const Quaternion<float> dd = 2.0f * (g * motion.q);
        (back * g * motion.q).vector_part(inner);

        const Quaternion<float>& first = motions[skin_.joint(skin_.begin(k))].q;
        for (std::int32_t i = skin_.begin(k); i < skin_.begin(k + 1); ++i) {
            const std::int32_t j = skin_.joint(i);
            const float w = std::copysign(skin_.weight(i), dot(first, motions[j].q));
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

/// From a joint's motion and stretch back to its skinning transform [A | b]: with d = (0, t) q / 2 and
/// t = A c + b - R c, a turn dR = R [w]x moves q by q (0, w) / 2 and t by -R [w]x c.
void DualQuaternionBlend::joint_vjp(int joint, const float* memory, const float* motion_gradient,
                                    const float* stretch_gradient, float* skinning_gradient) const {
    const Skeleton& skeleton = character().skeleton;
    const State state(memory, skeleton.num_joints());
    const Parts parts(state.skinning + 12 * joint, skeleton.rest_globals().row(joint));
    const double* r = parts.polar.rotation;
    const Real dq = widen(motion_gradient + 8 * joint), dd = widen(motion_gradient + 8 * joint + 4);
    double dt[3], turn[3], inner[3] = {};
    (0.5 * (dd * conjugate(parts.rotation))).vector_part(dt);
    const Real whole = dq + -0.5 * (Real::vector(parts.translation) * dd);
    (0.5 * (conjugate(parts.rotation) * whole)).vector_part(turn);
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) inner[e] += r[row * 3 + e] * dt[row];  // R^T dt
    }
    const double* c = parts.centre;  // -(R^T dt) . (w x c) = -w . (c x R^T dt)
    turn[0] -= c[1] * inner[2] - c[2] * inner[1];
    turn[1] -= c[2] * inner[0] - c[0] * inner[2];
    turn[2] -= c[0] * inner[1] - c[1] * inner[0];

    const float* s = stretch_gradient + 12 * joint;
    double stretch[9], a[9] = {};
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) stretch[row * 3 + e] = s[row * 4 + e] - double(s[row * 4 + 3]) * c[e];
    }
    polar_vjp(parts.polar, stretch, turn, a);
    float* out = skinning_gradient + 12 * joint;
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) out[row * 4 + e] = static_cast<float>(a[row * 3 + e] + dt[row] * c[e]);
        out[row * 4 + 3] = static_cast<float>(dt[row]);
    }
}

void DualQuaternionBlend::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    for_pose_blocks(
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
        float *state = memory.data(), *motion = state + size, *stretch = motion + 8 * joints,
              *skinning = stretch + 12 * joints;
        for (std::int64_t t = begin; t < end; ++t) {
            prepare(poses.row(t), state);
            std::fill_n(motion, 20 * joints, 0.0f);
            skin_vjp(state, cotangents.row(t), motion, stretch);
            for (int j = 0; j < skeleton.num_joints(); ++j) joint_vjp(j, state, motion, stretch, skinning);
            skinning_vjp(skeleton, poses.row(t), State(state, skeleton.num_joints()).globals, skinning,
                         gradients.extent(1), gradients.row(t));
        }
    });
}

}  // namespace rigwright::rig
