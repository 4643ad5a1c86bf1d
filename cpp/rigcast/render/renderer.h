#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/render/rasterize.h"
#include "rigcast/render/sensor.h"
#include "rigcast/render/shading.h"

namespace rigcast::render {

/// Throws ArgumentError unless an image has 1 to 8,192 pixels along each axis.
void check_size(const char* function, std::int64_t height, std::int64_t width);

/// What is in front of the camera at the centers of pixels, for T pictures.
struct SurfaceMaps {
    View<float, 3> depth;           // (T, H, W): z in camera coordinates, infinity for nothing
    View<std::int32_t, 3> face;     // (T, H, W): -1 for nothing
    View<std::int32_t, 4> corners;  // (T, H, W, 3): vertices of the triangle, -1 for nothing
    View<float, 4> weights;         // (T, H, W, 3): perspective-correct barycentric coordinates, 0 for nothing
};

/// Pictures, for T pictures.
struct Pictures {
    View<std::uint8_t, 4> color;  // (T, H, W, 3)
    View<float, 3> coverage;      // (T, H, W): the share of a pixel's samples that see the mesh
};

/// Draws a mesh of F triangles and quads over V vertices by z-buffer: rasterize.h states which samples a triangle
/// covers, shading.h the light and sensor.h the picture. A quad is split along its first diagonal.
///
/// All functions take the vertices (T, V, 3) of T pictures, or (1, V, 3) for all of them, and T cameras. Pictures are
/// drawn in parallel; their bytes do not depend on the number of threads. Immutable and thread-safe.
/// All throw ArgumentError if a shape is wrong, a position is not finite or beyond 1e9, or an image is empty or wider
/// or higher than 8,192 pixels.
///
/// Example: the depth of a triangle that fills a picture of 8 x 8 pixels.
/// ```cpp
/// const std::vector<std::int32_t> faces{0, 1, 2, -1};
/// const std::vector<float> points{-9, 9, 2, 9, 9, 2, 0, -9, 2};
/// const render::Renderer renderer({faces.data(), {1, 4}}, 3);
/// render::Camera camera;
/// camera.focal_x = camera.focal_y = 8.0;
/// camera.center_x = camera.center_y = 4.0;
/// std::vector<float> depth(64), weights(192);
/// std::vector<std::int32_t> face(64), corners(192);
/// renderer.survey({points.data(), {1, 3, 3}}, {camera}, render::Sides::both,
///                 {{depth.data(), {1, 8, 8}}, {face.data(), {1, 8, 8}}, {corners.data(), {1, 8, 8, 3}},
///                  {weights.data(), {1, 8, 8, 3}}}, 1);
/// ```
class Renderer {
public:
    /// faces (F, 4), -1 in the last column of triangles. Throws ArgumentError if an index is out of range.
    Renderer(View<const std::int32_t, 2> faces, std::int64_t num_vertices);

    std::int64_t num_vertices() const { return num_vertices_; }
    std::int64_t num_faces() const { return num_faces_; }

    /// Writes what the centers of pixels see, without shading.
    void survey(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides, SurfaceMaps maps,
                int threads) const;

    /// Writes pictures. lighting, sensors (T); background (T, 3), linear light; samples per pixel along each axis: 1
    /// to 4.
    void draw(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides, const Material& material,
              const std::vector<Lighting>& lighting, View<const double, 2> background,
              const std::vector<Sensor>& sensors, int samples, Pictures pictures, int threads) const;

    /// Writes 1 for points (T, P, 3) that are inside of the image of height x width pixels and not hidden: their z
    /// exceeds that of the surface on their ray by at most `tolerance`. The surface is that of the sample next to the
    /// ray, of 2 x 2 per pixel, extended to the ray.
    void visible(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides,
                 View<const float, 3> points, std::int64_t height, std::int64_t width, double tolerance,
                 View<std::uint8_t, 2> result, int threads) const;

private:
    void check(const char* function, View<const float, 3> vertices, std::size_t pictures, std::int64_t height,
               std::int64_t width, int threads) const;
    void check(const Material& material) const;
    std::vector<double> in_camera(const float* vertices, const Camera& camera) const;
    std::vector<float> normals(const float* vertices, const Camera& camera) const;

    std::int64_t num_vertices_;
    std::int64_t num_faces_;
    std::vector<std::int32_t> faces_;
    std::vector<DrawnTriangle> triangles_;
};

}  // namespace rigcast::render
