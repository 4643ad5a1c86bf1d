#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/render/rasterize.h"

namespace rigcast::render {

/// The surface of a mesh. Colors are linear light.
struct Material {
    View<const float, 2> albedo;     // (V, 3) of the vertices, interpolated
    View<const float, 3> texture;    // (h, w, 3), multiplied with albedo; empty: none. Its first row is its upper edge
    View<const float, 3> uvs;        // (F, 4, 2) of the faces' corners if there is a texture; (0, 0) is the lower left
    View<const float, 2> gloss;      // (V, 2): strength and exponent of the specular reflection
    View<const float, 1> occlusion;  // (V): share of the hemisphere light that arrives
};

/// Light of one picture, in world directions.
struct Light {
    linalg::Vec3 direction;  // toward the light, of length 1
    linalg::Vec3 color;
};
struct Lighting {
    std::vector<Light> lights;
    linalg::Vec3 sky, ground;  // hemisphere light from above and from below
    linalg::Vec3 up;           // of length 1
    double wrap = 0.2;         // how far diffuse light reaches around: 0 is Lambert's law
};

/// Radiance toward the camera, at a point with albedo a, unit normal n and unit direction v to the camera:
///   a o (sky (1 + n.up) / 2 + ground (1 - n.up) / 2) + sum_l c_l (a max(0, n.l + w) / (1 + w) + s max(0, n.h)^g)
/// with the light's color c_l and direction l, h = (l + v) / |l + v|, wrap w, occlusion o, specular strength s and
/// exponent g (Blinn 1977). Lights cast no shadows. A face seen from behind is shaded with its normal turned around.
class Shading {
public:
    /// points and normals (V, 3) in camera coordinates.
    Shading(const Camera& camera, const Material& material, const Lighting& lighting,
            const std::vector<DrawnTriangle>& triangles, const double* points, const float* normals);

    /// Writes the radiance (H, W, 3) and the covered share (H, W) of pixels: means over their samples, with
    /// `background` where a sample sees nothing.
    void draw(const SampleGrid& grid, const linalg::Vec3& background, float* radiance, float* coverage) const;

private:
    linalg::Vec3 radiance(const linalg::Vec3& ray, std::int32_t triangle) const;
    linalg::Vec3 texel(const DrawnTriangle& triangle, const linalg::Vec3& weight) const;

    const Camera& camera_;
    const Material& material_;
    Lighting lighting_;  // in camera directions
    const std::vector<DrawnTriangle>& triangles_;
    const double* points_;
    const float* normals_;
};

}  // namespace rigcast::render
