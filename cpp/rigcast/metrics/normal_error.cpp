#include "rigcast/metrics/normal_error.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/normals.h"

namespace rigcast::metrics {
namespace {

using linalg::Vec3;

constexpr std::int64_t hinges_per_task = 256;  // not sensitive: a task is far longer than its start
constexpr double degrees_per_radian = 180.0 / std::numbers::pi;

Vec3 edge_vector(const float* vertices, const mesh::Edge& edge) {
    return linalg::difference(vertices, edge.b, edge.a);
}

void check(const char* function, View<const float, 3> truth, View<const float, 3> approximation,
           View<const std::int32_t, 2> faces) {
    check_shape<const float, 3>(function, "truth", truth, {-1, -1, 3});
    check_shape<const float, 3>(function, "approximation", approximation, truth.extents());
    check_finite(function, "truth", truth);
    check_finite(function, "approximation", approximation);
    mesh::check_faces(function, faces, truth.extent(1));
}

/// The signed dihedral angle in radians; NaN if a face has no area.
double dihedral(const float* vertices, const std::int32_t* first, const std::int32_t* second, const Vec3& edge) {
    const Vec3 n = mesh::area_vector(vertices, first);
    const Vec3 m = mesh::area_vector(vertices, second);
    const double squared = dot(edge, edge);
    if (dot(n, n) == 0.0 || dot(m, m) == 0.0 || squared == 0.0) return std::numeric_limits<double>::quiet_NaN();
    return std::atan2(dot(cross(n, m), edge) / std::sqrt(squared), dot(n, m) - dot(n, edge) * dot(m, edge) / squared);
}

}  // namespace

void face_normal_angles(View<const float, 3> truth, View<const float, 3> approximation,
                        View<const std::int32_t, 2> faces, View<float, 2> angles, int threads) {
    check("normal_angle", truth, approximation, faces);
    check_shape<float, 2>("normal_angle", "angles", angles, {truth.extent(0), faces.extent(0)});
    parallel_for(truth.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            for (std::int64_t f = 0; f < faces.extent(0); ++f) {
                const Vec3 n = mesh::area_vector(truth.row(t), faces.row(f));
                const Vec3 m = mesh::area_vector(approximation.row(t), faces.row(f));
                const Vec3 product = cross(n, m);
                const bool flat = dot(n, n) == 0.0 || dot(m, m) == 0.0;
                const double angle = std::atan2(length(product), dot(n, m)) * degrees_per_radian;
                angles(t, f) = flat ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(angle);
            }
        }
    });
}

HingeErrors hinge_errors(View<const float, 3> truth, View<const float, 3> approximation,
                         View<const std::int32_t, 2> faces, int threads) {
    check("seam_error", truth, approximation, faces);
    HingeErrors errors{mesh::hinges(faces), {}, {}};
    const std::int64_t count = static_cast<std::int64_t>(errors.hinges.size());
    errors.angle.assign(count, std::numeric_limits<double>::quiet_NaN());
    errors.length.assign(count, 0.0);
    parallel_for(count, hinges_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t h = begin; h < end; ++h) {
            const mesh::Hinge& hinge = errors.hinges[h];
            const std::int32_t* first = faces.row(hinge.first);
            const std::int32_t* second = faces.row(hinge.second);
            double sum = 0.0;
            double length = 0.0;
            std::int64_t valid = 0;
            for (std::int64_t t = 0; t < truth.extent(0); ++t) {
                const Vec3 p = edge_vector(truth.row(t), hinge.edge);
                const Vec3 q = edge_vector(approximation.row(t), hinge.edge);
                length += std::abs(linalg::length(p) - linalg::length(q));
                const double change =
                    dihedral(approximation.row(t), first, second, q) - dihedral(truth.row(t), first, second, p);
                if (std::isnan(change)) continue;
                sum += std::abs(std::remainder(change, 2.0 * std::numbers::pi));
                ++valid;
            }
            if (valid > 0) errors.angle[h] = sum / static_cast<double>(valid) * degrees_per_radian;
            if (truth.extent(0) > 0) errors.length[h] = length / static_cast<double>(truth.extent(0));
        }
    });
    return errors;
}

}  // namespace rigcast::metrics
