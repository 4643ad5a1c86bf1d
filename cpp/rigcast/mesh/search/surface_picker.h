#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/search/box_tree.h"
#include "rigcast/mesh/triangles.h"

namespace rigcast::mesh {

/// Where a ray first meets a surface.
struct SurfaceHit {
    std::int32_t face = -1;    // -1: nowhere
    Corners corner{};          // of the triangle: a face, or half of a quad
    linalg::Vec3 weight{};     // barycentric weights of the corners
    std::int32_t vertex = -1;  // the corner nearest to the point
    double distance = 0.0;     // the ray parameter t of the point
};

/// Finds what a ray meets on a deforming surface. Method: triangles in Morton order of their centroids, sixteen to a
/// cluster, and a BoxTree over the clusters, refitted to each pose. A cluster keeps each of its vertices once, so
/// that a refit reads a vertex about 1.5 times instead of six times.
/// refit is for one thread; const members are thread-safe in between.
class SurfacePicker {
public:
    /// points: (V, 3). faces: (F, 4); quads are split along their first diagonal.
    /// Throws ArgumentError if shapes do not match, a value is not finite or a face index is out of range.
    SurfacePicker(View<const float, 2> points, View<const std::int32_t, 2> faces);

    /// Moves the vertices to points (V, 3). Throws ArgumentError if the shape differs or a value is not finite.
    void refit(View<const float, 2> points);

    /// The first point origin + t direction, t >= 0, on the surface, from either side. Of triangles that are met at
    /// the same t any may be found. Throws ArgumentError if a value is not finite or the direction is 0.
    SurfaceHit pick(const linalg::Vec3& origin, const linalg::Vec3& direction) const;

private:
    struct FaceTriangle {
        Corners corner;
        std::int32_t face;
    };
    void sort_along_curve();
    void gather_cluster_vertices();
    std::vector<Box> boxes() const;

    std::vector<float> points_;
    std::vector<FaceTriangle> triangles_;
    std::vector<std::int32_t> start_;   // cluster c has vertices vertex_[start_[c]] to before vertex_[start_[c + 1]]
    std::vector<std::int32_t> vertex_;  // each once per cluster
    BoxTree tree_;
};

}  // namespace rigcast::mesh
