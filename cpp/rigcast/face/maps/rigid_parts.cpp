#include "rigcast/face/maps/map_segments.h"

namespace rigcast::face {
namespace {

using linalg::Polar;
using linalg::Vec3;

/// R x or, transposed, R^T x, of a row-major matrix.
Vec3 rotated(const double* r, const Vec3& x) {
    return {r[0] * x[0] + r[1] * x[1] + r[2] * x[2], r[3] * x[0] + r[4] * x[1] + r[5] * x[2],
            r[6] * x[0] + r[7] * x[1] + r[8] * x[2]};
}
Vec3 rotated_back(const double* r, const Vec3& x) {
    return {r[0] * x[0] + r[3] * x[1] + r[6] * x[2], r[1] * x[0] + r[4] * x[1] + r[7] * x[2],
            r[2] * x[0] + r[5] * x[1] + r[8] * x[2]};
}

Vec3 mean(const float* points, const std::vector<std::int32_t>& chosen) {
    Vec3 sum{};
    for (const std::int32_t i : chosen) sum = sum + Vec3::at(points, i);
    return (1.0 / static_cast<double>(chosen.size())) * sum;
}

/// matrix (3, 3) += a b^T.
void add_product(const Vec3& a, const Vec3& b, double* matrix) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) matrix[3 * row + column] += a[row] * b[column];
    }
}

/// Whether points around their mean lie on a line, by the sum of the products of two eigenvalues of their second
/// moment.
bool on_a_line(const std::vector<Vec3>& arms) {
    double m[9] = {};
    for (const Vec3& arm : arms) add_product(arm, arm, m);
    const double trace = m[0] + m[4] + m[8];
    const double products = m[0] * m[4] - m[1] * m[3] + m[0] * m[8] - m[2] * m[6] + m[4] * m[8] - m[5] * m[7];
    return !(products > RigidPart::collinear_share * trace * trace);
}

}  // namespace

RigidPart::RigidPart(View<const float, 2> rest, View<const std::int32_t, 1> vertices,
                     View<const std::int32_t, 1> followers)
    : vertex_(vertices.begin(), vertices.end()), follower_(followers.begin(), followers.end()) {
    const Vec3 center = mean(rest.data(), follower_);
    for (const std::int32_t i : vertex_) vertex_arm_.push_back(Vec3::at(rest.data(), i) - center);
    for (const std::int32_t i : follower_) follower_arm_.push_back(Vec3::at(rest.data(), i) - center);
    is_collinear_ = on_a_line(follower_arm_);
}

Vec3 RigidPart::mean_of_followers(const float* points) const {
    return mean(points, follower_);
}

/// The polar decomposition of sum_k (f_k - f) (r_k - r)^T, whose rotation is the best one.
Polar RigidPart::fit(const float* points) const {
    const Vec3 center = mean_of_followers(points);
    double product[9] = {};
    for (std::size_t k = 0; k < follower_.size(); ++k) {
        add_product(Vec3::at(points, follower_[k]) - center, follower_arm_[k], product);
    }
    return linalg::polar_decomposition(product);
}

void RigidPart::evaluate(float* points) const {
    const Vec3 center = mean_of_followers(points);
    Polar polar{{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {}};
    if (!is_collinear_) polar = fit(points);
    for (std::size_t i = 0; i < vertex_.size(); ++i) {
        const Vec3 moved = rotated(polar.rotation, vertex_arm_[i]) + center;
        for (int axis = 0; axis < 3; ++axis) points[3 * vertex_[i] + axis] = static_cast<float>(moved[axis]);
    }
}

/// With dR = R [omega]x: dv = R (omega x arm) + df.
void RigidPart::jvp(const float* points, float* tangents) const {
    const Vec3 center = mean_of_followers(tangents);
    Polar polar{};
    Vec3 omega{};
    if (!is_collinear_) {
        polar = fit(points);
        double change[9] = {}, stretch[9];
        for (std::size_t k = 0; k < follower_.size(); ++k) {
            add_product(Vec3::at(tangents, follower_[k]), follower_arm_[k], change);  // the arms sum to 0
        }
        linalg::polar_jvp(polar, change, stretch, omega.data());
    }
    for (std::size_t i = 0; i < vertex_.size(); ++i) {
        const Vec3 moved = rotated(polar.rotation, linalg::cross(omega, vertex_arm_[i])) + center;
        for (int axis = 0; axis < 3; ++axis) tangents[3 * vertex_[i] + axis] = static_cast<float>(moved[axis]);
    }
}

void RigidPart::vjp(const float* points, float* gradients) const {
    const double share = 1.0 / static_cast<double>(follower_.size());
    Vec3 center{}, omega{};
    Polar polar{};
    if (!is_collinear_) polar = fit(points);
    for (std::size_t i = 0; i < vertex_.size(); ++i) {
        const Vec3 gradient = Vec3::at(gradients, vertex_[i]);
        center = center + share * gradient;
        omega = omega + linalg::cross(vertex_arm_[i], rotated_back(polar.rotation, gradient));
    }
    double product[9] = {};
    if (!is_collinear_) {
        const double no_stretch[9] = {};
        linalg::polar_vjp(polar, no_stretch, omega.data(), product);
    }
    for (std::size_t k = 0; k < follower_.size(); ++k) {
        const Vec3 gradient = rotated(product, follower_arm_[k]) + center;
        for (int axis = 0; axis < 3; ++axis) gradients[3 * follower_[k] + axis] += static_cast<float>(gradient[axis]);
    }
}

}  // namespace rigcast::face
