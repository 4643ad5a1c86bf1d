#include "rigcast/mesh/vertex_frames.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {
namespace {

using Vector = linalg::Vector3<float>;

/// An edge whose projection is shorter than this share of it is normal to the surface up to rounding: it gives no
/// frame.
constexpr float min_projection = 1e-4f;

/// The two vectors whose cross product is a face's area vector: two sides of a triangle, or the diagonals of a quad.
struct Span {
    Span(const float* points, const std::int32_t* face)
        : from{face[0], face[1]},
          to{face[2], face[3] < 0 ? face[0] : face[3]},
          a(Vector::at(points, to[0]) - Vector::at(points, from[0])),
          b(Vector::at(points, to[1]) - Vector::at(points, from[1])) {}
    std::int32_t from[2];
    std::int32_t to[2];
    Vector a;
    Vector b;
};

void sum_area_vectors(View<const std::int32_t, 2> faces, const float* points, std::int64_t num_vertices,
                      float* normals) {
    std::fill_n(normals, 3 * num_vertices, 0.0f);
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const Span span(points, face);
        const Vector area = cross(span.a, span.b);
        for (int corner = 0; corner < num_corners(face); ++corner) area.add_to(normals, face[corner]);
    }
}

/// The projection of a vector on the plane with unit normal z.
Vector project(Vector edge, Vector z) {
    return edge - dot(edge, z) * z;
}

}  // namespace

VertexFrames::VertexFrames(View<const std::int32_t, 2> faces, View<const float, 2> rest)
    : corners_(faces.begin(), faces.end()), columns_(faces.extent(1)), neighbor_(rest.extent(0), -1) {
    const Neighbors neighbors(faces, rest.extent(0));
    std::vector<float> normals(static_cast<std::size_t>(rest.size()));
    sum_area_vectors(faces, rest.data(), rest.extent(0), normals.data());
    for (std::int64_t k = 0; k < rest.extent(0); ++k) {
        const Vector normal = Vector::at(normals.data(), k);
        const Vector vertex = Vector::at(rest.data(), k);
        const float size = length(normal);
        float longest = 0.0f;
        for (std::int32_t e = neighbors.start[k]; size > 0.0f && e < neighbors.start[k + 1]; ++e) {
            const Vector edge = Vector::at(rest.data(), neighbors.vertex[e]) - vertex;
            const float projected = length(project(edge, 1.0f / size * normal));
            if (projected <= longest || projected <= min_projection * length(edge)) continue;
            longest = projected;
            neighbor_[k] = neighbors.vertex[e];
        }
    }
}

View<const std::int32_t, 2> VertexFrames::faces() const {
    return {corners_.data(), {std::ssize(corners_) / columns_, columns_}};
}

void VertexFrames::evaluate(const float* points, float* normals, float* frames) const {
    const std::int64_t num_vertices = static_cast<std::int64_t>(neighbor_.size());
    sum_area_vectors(faces(), points, num_vertices, normals);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        float* frame = frames + 9 * k;
        std::fill_n(frame, 9, 0.0f);
        const Vector normal = Vector::at(normals, k);
        const float size = length(normal);
        if (!has_frame(k) || !(size > 0.0f)) continue;
        const Vector z = 1.0f / size * normal;
        const Vector side = project(Vector::at(points, neighbor_[k]) - Vector::at(points, k), z);
        const float side_length = length(side);
        if (!(side_length > 0.0f)) continue;
        const Vector x = 1.0f / side_length * side;
        x.write(frame);
        cross(z, x).write(frame + 3);
        z.write(frame + 6);
    }
}

/// The first vector of each entry of `derivatives` first accumulates the derivative of the vertex's sum of area
/// vectors; then the entry is replaced by the derivative of the frame.
void VertexFrames::jvp(const float* points, const float* normals, const float* frames, const float* change,
                       float* derivatives) const {
    const std::int64_t num_vertices = static_cast<std::int64_t>(neighbor_.size());
    std::fill_n(derivatives, 9 * num_vertices, 0.0f);
    const View<const std::int32_t, 2> faces = this->faces();
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const Span span(points, face);
        const Span derivative(change, face);
        const Vector area = cross(derivative.a, span.b) + cross(span.a, derivative.b);
        for (int corner = 0; corner < num_corners(face); ++corner)
            area.add_to(derivatives, 3 * static_cast<std::int64_t>(face[corner]));
    }
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        const Vector x = Vector::at(frames + 9 * k);
        const Vector z = Vector::at(frames + 9 * k + 6);
        float* out = derivatives + 9 * k;
        if (!(dot(z, z) > 0.0f)) {
            std::fill_n(out, 9, 0.0f);
            continue;
        }
        const Vector dz = 1.0f / length(Vector::at(normals, k)) * project(Vector::at(out), z);
        const Vector edge = Vector::at(points, neighbor_[k]) - Vector::at(points, k);
        const Vector edge_change = Vector::at(change, neighbor_[k]) - Vector::at(change, k);
        const Vector side = project(edge_change, z) - dot(edge, dz) * z - dot(edge, z) * dz;
        const Vector dx = 1.0f / length(project(edge, z)) * project(side, x);
        dx.write(out);
        (cross(dz, x) + cross(z, dx)).write(out + 3);  // y = z cross x
        dz.write(out + 6);
    }
}

void VertexFrames::vjp(const float* points, const float* normals, const float* frames, float* frame_gradient,
                       float* point_gradient) const {
    const std::int64_t num_vertices = static_cast<std::int64_t>(neighbor_.size());
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        const Vector x = Vector::at(frames + 9 * k);
        const Vector z = Vector::at(frames + 9 * k + 6);
        float* g = frame_gradient + 9 * k;
        Vector gx = Vector::at(g);
        Vector gy = Vector::at(g + 3);
        Vector gz = Vector::at(g + 6);
        Vector normal_gradient{};
        if (dot(z, z) > 0.0f) {
            gx = gx + cross(gy, z);  // y = z cross x
            gz = gz + cross(x, gy);
            const Vector edge = Vector::at(points, neighbor_[k]) - Vector::at(points, k);
            const Vector side = 1.0f / length(project(edge, z)) * project(gx, x);
            const Vector edge_gradient = project(side, z);
            gz = gz - dot(edge, z) * side - dot(side, z) * edge;
            edge_gradient.add_to(point_gradient, neighbor_[k]);
            (-1.0f * edge_gradient).add_to(point_gradient, k);
            normal_gradient = 1.0f / length(Vector::at(normals, k)) * project(gz, z);
        }
        normal_gradient.write(g);
    }
    const View<const std::int32_t, 2> all = faces();
    for (std::int64_t f = 0; f < all.extent(0); ++f) {
        const std::int32_t* face = all.row(f);
        const Span span(points, face);
        Vector area{};
        for (int corner = 0; corner < num_corners(face); ++corner) {
            area = area + Vector::at(frame_gradient + 9 * static_cast<std::int64_t>(face[corner]));
        }
        const Vector ga = cross(span.b, area);
        const Vector gb = cross(area, span.a);
        ga.add_to(point_gradient, span.to[0]);
        (-1.0f * ga).add_to(point_gradient, span.from[0]);
        gb.add_to(point_gradient, span.to[1]);
        (-1.0f * gb).add_to(point_gradient, span.from[1]);
    }
}

}  // namespace rigcast::mesh
