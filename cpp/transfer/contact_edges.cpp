#include "transfer/contact_edges.h"

#include <algorithm>
#include <cmath>

namespace rigwright::transfer {
namespace {

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The smallest rotation that turns the direction of a into that of b, row-major; the identity where one is 0 or the
/// two are opposed (then there is no smallest one). R = I + [v]x + [v]x^2 / (1 + c), v = a x b, c = a . b.
std::array<double, 9> smallest_rotation(const Vector& a, const Vector& b) {
    std::array<double, 9> r{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double scale = std::sqrt(dot(a, a) * dot(b, b));
    const double c = scale > 0.0 ? dot(a, b) / scale : 1.0;
    if (!(scale > 0.0) || c < -0.999) return r;
    const Vector v{(a[1] * b[2] - a[2] * b[1]) / scale, (a[2] * b[0] - a[0] * b[2]) / scale,
                   (a[0] * b[1] - a[1] * b[0]) / scale};
    const double skew[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double square = 0.0;
            for (int k = 0; k < 3; ++k) square += skew[3 * i + k] * skew[3 * k + j];
            r[3 * i + j] += skew[3 * i + j] + square / (1.0 + c);
        }
    }
    return r;
}

}  // namespace

ContactEdge::ContactEdge(std::int32_t first, std::int32_t second, const Vector& source_gap, const Vector& target_gap,
                         double reach)
    : i(first),
      j(second),
      source_(source_gap),
      target_(target_gap),
      reach_(reach),
      source_length_(std::sqrt(dot(source_gap, source_gap))),
      ratio_(source_length_ > 1e-3 * reach ? std::sqrt(dot(target_gap, target_gap)) / source_length_ : -1.0),
      rotation_(smallest_rotation(source_gap, target_gap)) {}

Vector ContactEdge::change(const Vector& gap, const Vector& free) const {
    const double open = std::min(1.0, std::sqrt(dot(gap, gap)) / reach_);
    const double share = open * open * (3.0 - 2.0 * open);  // of the free gap: smooth at both ends
    const Vector closed = met(gap);
    Vector change;
    for (int a = 0; a < 3; ++a) change[a] = share * free[a] + (1.0 - share) * closed[a];
    return change;
}

/// The change where contact is full.
Vector ContactEdge::met(const Vector& gap) const {
    if (ratio_ < 0.0) return {gap[0] - source_[0], gap[1] - source_[1], gap[2] - source_[2]};
    const double length = std::sqrt(dot(gap, gap));
    // L(|g|) / |g|
    const double closing = ratio_ * std::min(length, source_length_);
    const double factor = length > 0.0 ? (closing + std::max(0.0, length - source_length_)) / length : ratio_;
    Vector change;
    for (int r = 0; r < 3; ++r) {
        const double turned = rotation_[3 * r] * gap[0] + rotation_[3 * r + 1] * gap[1] + rotation_[3 * r + 2] * gap[2];
        change[r] = factor * turned - target_[r];
    }
    return change;
}

void add_to_sums(const ContactEdge& contact, double weight, const Vector& change, double* sums) {
    for (int i = 0; i < 3; ++i) {
        sums[3 * contact.i + i] += weight * change[i];
        sums[3 * contact.j + i] -= weight * change[i];
    }
}

}  // namespace rigwright::transfer
