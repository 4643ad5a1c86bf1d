#include "rigcast/rig/skinning/dual_quaternion.h"
#include "rigcast/rig/skinning/dual_quaternion_parts.h"
#include "rigcast/rig/skinning/frame_blocks.h"

namespace rigcast::rig {

using namespace dual;

/// Writes the derivatives of a joint's motion and stretch from the derivative [dA | db] of its skinning transform: with
/// d = (0, t) q / 2 and t = A c + b - R c, a rotation dR = R [w]x gives dq = q (0, w) / 2 and dt = dA c + db - R (w x
/// c).
void DualQuaternionBlend::joint_jvp(int joint, const float* memory, const float* skinning_derivative,
                                    float* motion_derivative, float* stretch_derivative) const {
    const Skeleton& skeleton = character().skeleton;
    const State state(memory, skeleton.num_joints());
    const Split split(state.skinning + 12 * joint, skeleton.rest_globals().row(joint));
    const float* m = skinning_derivative + 12 * joint;
    double da[9];
    double stretch[9];
    double turn[3];
    for (int row = 0; row < 3; ++row) {
        for (int e = 0; e < 3; ++e) da[row * 3 + e] = m[row * 4 + e];
    }
    linalg::polar_jvp(split.polar, da, stretch, turn);
    const double* c = split.center;
    const double* r = split.polar.rotation;
    const double across[3] = {turn[1] * c[2] - turn[2] * c[1], turn[2] * c[0] - turn[0] * c[2],
                              turn[0] * c[1] - turn[1] * c[0]};
    double dt[3];
    for (int row = 0; row < 3; ++row) {
        dt[row] = m[row * 4 + 3];
        for (int e = 0; e < 3; ++e) dt[row] += da[row * 3 + e] * c[e] - r[row * 3 + e] * across[e];
    }
    const Real dq = 0.5 * (split.rotation * Real::vector(turn));
    Motion& motion = reinterpret_cast<Motion*>(motion_derivative)[joint];
    motion.q = narrow(dq);
    motion.d = narrow(0.5 * (Real::vector(dt) * split.rotation + Real::vector(split.translation) * dq));
    float* s = stretch_derivative + 12 * joint;
    for (int row = 0; row < 3; ++row) {  // c + P (v - c)
        double moved = 0.0;
        for (int e = 0; e < 3; ++e) {
            s[row * 4 + e] = static_cast<float>(stretch[row * 3 + e]);
            moved -= stretch[row * 3 + e] * c[e];
        }
        s[row * 4 + 3] = static_cast<float>(moved);
    }
}

/// Writes the derivatives of vertices [first, last). For f = (q u q* + 2 d q*) / |q|^2:
///   df = (dq u q* + q du q* + q u dq* + 2 dd q* + 2 d dq* - 2 (q . dq) f) / |q|^2.
void DualQuaternionBlend::skin_jvp(const float* memory, const float* motion_derivative, const float* stretch_derivative,
                                   std::int64_t first, std::int64_t last, float* derivatives) const {
    using Single = Quaternion<float>;
    const State state(memory, character().skeleton.num_joints());
    const float* rest = character().rest_vertices.data();
    const Motion* motions = reinterpret_cast<const Motion*>(state.motions);
    const Motion* changes = reinterpret_cast<const Motion*>(motion_derivative);
    for (std::int64_t k = first; k < last; ++k) {
        const Motion motion = blend(skin_, k, motions);
        const Motion change = blend_derivative(skin_, k, motions, changes);
        float point[3];
        float moving[3];
        skin_.blend_point(state.stretches, k, rest + 3 * k, point);
        skin_.blend_point(stretch_derivative, k, rest + 3 * k, moving);
        const Single u = Single::vector(point);
        const Single du = Single::vector(moving);
        const Single back = conjugate(motion.q);
        const Single dback = conjugate(change.q);
        const float scale = 1.0f / dot(motion.q, motion.q);
        const Single moved = scale * (motion.q * u * back + 2.0f * (motion.d * back));
        const Single turned = (change.q * u + motion.q * du) * back + motion.q * u * dback;
        const Single shifted = 2.0f * (change.d * back + motion.d * dback);
        (scale * (turned + shifted + (-2.0f * dot(motion.q, change.q)) * moved)).vector_part(derivatives + 3 * k);
    }
}

void DualQuaternionBlend::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                                 int threads) const {
    const Skeleton& skeleton = character().skeleton;
    const int num_joints = skeleton.num_joints();
    const std::size_t joints = static_cast<std::size_t>(num_joints);
    const std::size_t motion = state_size();
    const std::size_t stretch = motion + 8 * joints;
    for_frame_blocks(
        poses.extent(0), character().num_vertices(), stretch + 36 * joints, threads,
        [&](std::int64_t t, float* state) {
            prepare(poses.row(t), state);
            float* globals = state + stretch + 12 * joints;
            float* skinning = globals + 12 * joints;
            skinning_jvp(skeleton, poses.row(t), State(state, num_joints).globals, tangents.row(t), globals, skinning);
            for (int j = 0; j < num_joints; ++j) joint_jvp(j, state, skinning, state + motion, state + stretch);
        },
        [&](std::int64_t t, const float* state, std::int64_t first, std::int64_t last) {
            skin_jvp(state, state + motion, state + stretch, first, last, derivatives.row(t));
        });
}

}  // namespace rigcast::rig
