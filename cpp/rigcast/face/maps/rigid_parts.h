#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::face {

/// Vertices that move as one rigid body: by the rotation R and the translation that take the rest positions r_k of F
/// followers to their posed ones f_k best in the sense of least squares (Kabsch),
///   v = R (v^0 - r) + f,   R = the rotation nearest to sum_k (f_k - f) (r_k - r)^T,
/// where r and f are the means. The nearest rotation has determinant 1, also if a reflection would fit better.
/// If the followers' rest positions lie on a line, rotations around it fit alike: the part then follows the mean of the
/// followers without turning.
class RigidPart {
public:
    /// A line: the second moment across it is at most this share of the one along it (a thousandth of its length).
    static constexpr double collinear_share = 1e-6;

    /// `rest` (N, 3) are the rest positions of all points; `vertices` and `followers` index them.
    RigidPart(View<const float, 2> rest, View<const std::int32_t, 1> vertices, View<const std::int32_t, 1> followers);

    const std::vector<std::int32_t>& vertices() const { return vertex_; }
    const std::vector<std::int32_t>& followers() const { return follower_; }
    /// Whether the followers lie on a line at rest.
    bool is_collinear() const { return is_collinear_; }

    /// Writes the part's points from those of the followers; points (N, 3).
    void evaluate(float* points) const;
    /// Writes the part's tangents from those of the followers.
    void jvp(const float* points, float* tangents) const;
    /// Adds to the gradients of the followers what those of the part ask for.
    void vjp(const float* points, float* gradients) const;

private:
    linalg::Vec3 mean_of_followers(const float* points) const;
    linalg::Polar fit(const float* points) const;

    std::vector<std::int32_t> vertex_;
    std::vector<std::int32_t> follower_;
    std::vector<linalg::Vec3> vertex_arm_;    // rest positions relative to the followers' mean
    std::vector<linalg::Vec3> follower_arm_;  // likewise; they sum to 0
    bool is_collinear_ = false;
};

}  // namespace rigcast::face
