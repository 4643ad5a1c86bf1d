#pragma once
#include <cmath>
#include <cstddef>

#include "rigcast/linalg/polar.h"
#include "rigcast/rig/skinning/quaternion.h"
#include "rigcast/rig/skinning/skin_weights.h"

/// Types of dual quaternion skinning that its evaluation and its derivatives share.
namespace rigcast::rig::dual {

using Real = Quaternion<double>;

/// A rigid motion as a dual quaternion.
struct Motion {
    Quaternion<float> q;  // the rotation
    Quaternion<float> d;  // the dual part (0, t) q / 2 of the translation t
};
static_assert(sizeof(Motion) == 8 * sizeof(float));

/// The per-pose data that all vertices share, in one array of floats.
template <class T>
struct State {
    State(T* memory, int num_joints)
        : skinning(memory),
          motions(skinning + 12 * num_joints),
          stretches(motions + 8 * num_joints),
          globals(stretches + 12 * num_joints),
          stretched(globals + 12 * num_joints) {}
    static std::size_t size(int num_joints) { return 44 * static_cast<std::size_t>(num_joints) + 1; }
    T* skinning;   // (J, 3, 4) skinning transforms
    T* motions;    // (J) Motion
    T* stretches;  // (J, 3, 4) c + P (v - c)
    T* globals;    // (J, 3, 4) global transforms
    T* stretched;  // (1) 1 if any joint scales or shears, else 0
};

/// A skinning transform [A | b] split about the joint's rest position c: R, P, and t = A c + b - R c.
struct Split {
    Split(const float* skinning, const float* rest_global) {
        double a[9];
        for (int row = 0; row < 3; ++row) {
            for (int e = 0; e < 3; ++e) a[row * 3 + e] = skinning[row * 4 + e];
            center[row] = rest_global[row * 4 + 3];
        }
        polar = linalg::polar_decomposition(a);
        rotation = from_rotation(polar.rotation);
        for (int row = 0; row < 3; ++row) {
            translation[row] = skinning[row * 4 + 3];
            for (int e = 0; e < 3; ++e) {
                translation[row] += (a[row * 3 + e] - polar.rotation[row * 3 + e]) * center[e];
            }
        }
    }
    linalg::Polar polar;
    Real rotation;
    double center[3];
    double translation[3];
};

inline Quaternion<float> narrow(const Real& q) {
    return {float(q.w), float(q.x), float(q.y), float(q.z)};
}
inline Real widen(const float* q) {
    return {q[0], q[1], q[2], q[3]};
}

/// The weight of an influence in the blended motion. Its sign aligns q with that of the vertex's first influence.
inline float signed_weight(const SkinWeights& skin, std::int32_t influence, const Motion* motions,
                           const Quaternion<float>& first) {
    return std::copysign(skin.weight(influence), dot(first, motions[skin.joint(influence)].q));
}

/// The blended motion of a vertex.
inline Motion blend(const SkinWeights& skin, std::int64_t k, const Motion* motions) {
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

/// The derivative of `blend` along the derivatives `changes` of the motions; the signs are constant.
inline Motion blend_derivative(const SkinWeights& skin, std::int64_t k, const Motion* motions, const Motion* changes) {
    const Quaternion<float>& first = motions[skin.joint(skin.begin(k))].q;
    Motion sum;
    for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
        const Motion& change = changes[skin.joint(i)];
        const float w = signed_weight(skin, i, motions, first);
        sum.q = sum.q + w * change.q;
        sum.d = sum.d + w * change.d;
    }
    return sum;
}

}  // namespace rigcast::rig::dual
