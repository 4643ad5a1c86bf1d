#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/triangles.h"
#include "rigcast/render/camera.h"

namespace rigcast::render {

/// A triangle of the drawn mesh and the face that it is part of.
struct DrawnTriangle {
    mesh::Corners vertex;
    std::int32_t face;
    std::array<std::int8_t, 3> corner;  // of the face
};

/// Which sides of the faces are drawn. Front: counterclockwise as seen from the camera.
enum class Sides { both, front };

/// What the samples of one image see: a grid of `width` x `height` samples at the centers of its cells. Cell (0, 0) is
/// the upper left one; `per_pixel` cells along each axis are one pixel.
struct SampleGrid {
    SampleGrid(std::int64_t columns, std::int64_t rows, int cells_per_pixel)
        : width(columns * cells_per_pixel),
          height(rows * cells_per_pixel),
          per_pixel(cells_per_pixel),
          inverse_depth(width * height, 0.0f),
          triangle(width * height, -1) {}

    std::int64_t width, height;
    int per_pixel;
    std::vector<float> inverse_depth;    // 1 / z of what is seen, 0 for nothing
    std::vector<std::int32_t> triangle;  // its index, -1 for nothing
};

/// One triangle in camera coordinates, as a ray from the camera meets it.
class SeenTriangle {
public:
    SeenTriangle(const double* points, const mesh::Corners& vertex);

    /// 1 / z along the ray (x, y, 1), kept between the corners' values: far corners give the least, and `near` the
    /// largest.
    double inverse_depth(const linalg::Vec3& ray, double near) const;
    /// Perspective-correct barycentric coordinates of the ray's point, each at least 0, sum 1.
    linalg::Vec3 barycentric(const linalg::Vec3& ray) const;

private:
    linalg::Vec3 corner_[3];
    linalg::Vec3 normal_;  // over its product with a corner: 1 / z = normal . ray; 0 if seen edge-on
};

/// Draws triangles of points (V, 3) in camera coordinates.
///
/// Coverage. Image positions are rounded to 1/256 of a cell and compared in whole numbers. A sample on an edge belongs
/// to the triangle whose left or top edge it is, so that an edge of two triangles covers each sample exactly once.
/// Depth. The nearest triangle is seen; of equal ones that with the lower index.
/// Clipping. What is nearer than camera.near, or farther from the image than its own longer side, is cut off in camera
/// coordinates. Triangles without area on the rounded image cover nothing.
/// Requires: finite points; at most 32,768 samples along an axis.
void rasterize(const double* points, const std::vector<DrawnTriangle>& triangles, const Camera& camera, Sides sides,
               SampleGrid& grid);

}  // namespace rigcast::render
