#include "rigcast/mesh/gradients/elements.h"

#include <cmath>

namespace rigcast::mesh {
namespace {

using linalg::Vec3;

Vec3 side(const double* points, const Corners& vertex, int to, int from) {
    return linalg::difference(points, vertex[to], vertex[from]);
}

/// [a, b, n]^-1 e for n normal to a and b: the first two from the normal equations in the plane, the third separately.
Vec3 coordinates(const Vec3& a, const Vec3& b, const Vec3& n, const Vec3& e) {
    const double aa = dot(a, a);
    const double ab = dot(a, b);
    const double bb = dot(b, b);
    const double ae = dot(a, e);
    const double be = dot(b, e);
    const double determinant = aa * bb - ab * ab;
    return {(bb * ae - ab * be) / determinant, (aa * be - ab * ae) / determinant, dot(n, e) / dot(n, n)};
}

}  // namespace

Element make_element(const Triangle& triangle, const double* source, const double* target) {
    const auto& v = triangle.vertex;
    const Vec3 a = side(source, v, 1, 0);
    const Vec3 b = side(source, v, 2, 0);
    const Vec3 n = normal_column(a, b);
    const Vec3 e1 = side(target, v, 1, 0);
    const Vec3 e2 = side(target, v, 2, 0);
    const Vec3 e3 = side(target, v, 2, 1);
    const double double_area = std::sqrt(dot(e1, e1) * dot(e2, e2) - dot(e1, e2) * dot(e1, e2));
    const double scale = 0.5 * triangle.share / double_area;
    return {v,
            n,
            coordinates(a, b, n, e1),
            coordinates(a, b, n, e2),
            {scale * dot(e2, e3), -scale * dot(e1, e3), scale * dot(e1, e2)}};
}

SideChange side_change(const Element& element, const double* source, const double* offset) {
    const Vec3 da = side(offset, element.vertex, 1, 0);
    const Vec3 db = side(offset, element.vertex, 2, 0);
    if (dot(da, da) + dot(db, db) == 0.0) return {};
    Vec3 a = side(source, element.vertex, 1, 0);
    Vec3 b = side(source, element.vertex, 2, 0);
    for (int i = 0; i < 3; ++i) {
        a[i] += da[i];
        b[i] += db[i];
    }
    const Vec3 n = normal_column(a, b);
    SideChange change;
    for (int i = 0; i < 3; ++i) {
        const double dn = n[i] - element.normal[i];
        change.first[i] = element.first[0] * da[i] + element.first[1] * db[i] + element.first[2] * dn;
        change.second[i] = element.second[0] * da[i] + element.second[1] * db[i] + element.second[2] * dn;
    }
    return change;
}

void add_to_sums(const Element& element, const SideChange& change, double* sums) {
    double* s0 = sums + 3 * element.vertex[0];
    double* s1 = sums + 3 * element.vertex[1];
    double* s2 = sums + 3 * element.vertex[2];
    for (int i = 0; i < 3; ++i) {
        const double first = element.weight[0] * change.first[i];
        const double second = element.weight[1] * change.second[i];
        const double across = element.weight[2] * (change.second[i] - change.first[i]);
        s0[i] -= first + second;
        s1[i] += first - across;
        s2[i] += second + across;
    }
}

}  // namespace rigcast::mesh
