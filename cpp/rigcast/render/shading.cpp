#include "rigcast/render/shading.h"

#include <algorithm>
#include <cmath>

namespace rigcast::render {

using linalg::Vec3;

namespace {

template <class Real>
Vec3 mixed(const Real* values, const mesh::Corners& vertex, const Vec3& weight) {
    return weight[0] * Vec3::at(values, vertex[0]) + weight[1] * Vec3::at(values, vertex[1]) +
           weight[2] * Vec3::at(values, vertex[2]);
}

Vec3 unit(const Vec3& a) {
    const double size = length(a);
    return size > 0.0 ? (1.0 / size) * a : a;
}

Vec3 product(const Vec3& a, const Vec3& b) {
    return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

}  // namespace

Shading::Shading(const Camera& camera, const Material& material, const Lighting& lighting,
                 const std::vector<DrawnTriangle>& triangles, const double* points, const float* normals)
    : camera_(camera),
      material_(material),
      lighting_(lighting),
      triangles_(triangles),
      points_(points),
      normals_(normals) {
    for (Light& light : lighting_.lights) light.direction = camera.turned(light.direction);
    lighting_.up = camera.turned(lighting.up);
}

Vec3 Shading::texel(const DrawnTriangle& triangle, const Vec3& weight) const {
    const View<const float, 3>& texture = material_.texture;
    if (texture.size() == 0) return {1, 1, 1};
    double u = 0.0, v = 0.0;
    for (int c = 0; c < 3; ++c) {
        const int corner = triangle.corner[c];
        u += weight[c] * material_.uvs(triangle.face, corner, 0);
        v += weight[c] * material_.uvs(triangle.face, corner, 1);
    }
    const auto place = [](double at, std::int64_t count, std::int64_t& low, std::int64_t& high) {
        const double x = std::clamp(at * static_cast<double>(count) - 0.5, 0.0, static_cast<double>(count - 1));
        low = static_cast<std::int64_t>(x);
        high = std::min(low + 1, count - 1);
        return x - static_cast<double>(low);
    };
    std::int64_t x0, x1, y0, y1;
    const double x = place(u, texture.extent(1), x0, x1);
    const double y = place(1.0 - v, texture.extent(0), y0, y1);
    const auto row = [&](std::int64_t j) {
        return (1.0 - x) * Vec3::at(texture.row(j), x0) + x * Vec3::at(texture.row(j), x1);
    };
    return (1.0 - y) * row(y0) + y * row(y1);
}

Vec3 Shading::radiance(const Vec3& ray, std::int32_t index) const {
    const DrawnTriangle& triangle = triangles_[index];
    const mesh::Corners& vertex = triangle.vertex;
    const Vec3 weight = SeenTriangle(points_, vertex).barycentric(ray);
    const Vec3 a = Vec3::at(points_, vertex[0]);
    const Vec3 side = cross(Vec3::at(points_, vertex[1]) - a, Vec3::at(points_, vertex[2]) - a);
    const double toward = dot(side, ray) > 0.0 ? -1.0 : 1.0;
    const Vec3 normal = toward * unit(mixed(normals_, vertex, weight));
    const Vec3 view = unit(-1.0 * ray);
    const Vec3 albedo = product(mixed(material_.albedo.data(), vertex, weight), texel(triangle, weight));
    double strength = 0.0, exponent = 0.0, occlusion = 0.0;
    for (int c = 0; c < 3; ++c) {
        strength += weight[c] * material_.gloss(vertex[c], 0);
        exponent += weight[c] * material_.gloss(vertex[c], 1);
        occlusion += weight[c] * material_.occlusion(vertex[c]);
    }
    const double above = 0.5 + 0.5 * dot(normal, lighting_.up);
    Vec3 result = occlusion * product(albedo, above * lighting_.sky + (1.0 - above) * lighting_.ground);
    for (const Light& light : lighting_.lights) {
        const double wrap = lighting_.wrap;
        const double diffuse = std::max(0.0, dot(normal, light.direction) + wrap) / (1.0 + wrap);
        const double half = dot(normal, unit(light.direction + view));
        const double specular = half > 0.0 && strength > 0.0
                                    ? strength * std::pow(static_cast<float>(half), static_cast<float>(exponent))
                                    : 0.0;
        result = result + product(light.color, diffuse * albedo + specular * Vec3{1, 1, 1});
    }
    return result;
}

void Shading::draw(const SampleGrid& grid, const Vec3& background, float* radiance_out, float* coverage) const {
    const int n = grid.per_pixel;
    const std::int64_t columns = grid.width / n;
    const double share = 1.0 / (n * n);
    for (std::int64_t pixel = 0; pixel < columns * (grid.height / n); ++pixel) {
        Vec3 sum{0, 0, 0};
        int covered = 0;
        for (int s = 0; s < n * n; ++s) {
            const std::int64_t x = pixel % columns * n + s % n;
            const std::int64_t y = pixel / columns * n + s / n;
            const std::int32_t triangle = grid.triangle[y * grid.width + x];
            covered += triangle >= 0;
            const Vec3 ray = camera_.ray((static_cast<double>(x) + 0.5) / n, (static_cast<double>(y) + 0.5) / n);
            sum = sum + (triangle >= 0 ? radiance(ray, triangle) : background);
        }
        for (int channel = 0; channel < 3; ++channel)
            radiance_out[3 * pixel + channel] = static_cast<float>(share * sum[channel]);
        coverage[pixel] = static_cast<float>(share * covered);
    }
}

}  // namespace rigcast::render
