#include "rigcast/render/renderer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::render {

using linalg::Vec3;

namespace {

constexpr std::int64_t most_pixels = 8192;  // along an axis
constexpr float farthest = 1e9f;            // beyond, the place of a cut is rounding error

const float* picture_vertices(View<const float, 3> vertices, std::int64_t t) {
    return vertices.row(vertices.extent(0) == 1 ? 0 : t);
}

void check_positions(const char* function, const char* argument, View<const float, 3> positions) {
    check_finite(function, argument, positions);
    for (float x : positions) {
        if (std::fabs(x) > farthest) throw bad_argument(function, argument, std::to_string(x), "at most 1e9 from 0");
    }
}

}  // namespace

void check_size(const char* function, std::int64_t height, std::int64_t width) {
    if (height < 1 || width < 1 || height > most_pixels || width > most_pixels) {
        throw bad_argument(function, "size", std::to_string(width) + " x " + std::to_string(height) + " pixels",
                           "1 to 8192 pixels along each axis");
    }
}

Renderer::Renderer(View<const std::int32_t, 2> faces, std::int64_t num_vertices)
    : num_vertices_(num_vertices), num_faces_(faces.extent(0)), faces_(faces.begin(), faces.end()) {
    if (num_vertices < 0) throw bad_argument("Renderer", "num_vertices", std::to_string(num_vertices), "at least 0");
    check_shape<const std::int32_t, 2>("Renderer", "faces", faces, {-1, 4});
    mesh::check_faces("Renderer", faces, num_vertices);
    for (std::int64_t f = 0; f < num_faces_; ++f) {
        std::int8_t second = 1;
        mesh::for_each_triangle(faces.row(f), [&](const mesh::Corners& vertex) {
            const auto third = static_cast<std::int8_t>(second + 1);
            triangles_.push_back({vertex, static_cast<std::int32_t>(f), {0, second, third}});
            second = third;
        });
    }
}

void Renderer::check(const char* function, View<const float, 3> vertices, std::size_t pictures, std::int64_t height,
                     std::int64_t width, int threads) const {
    const auto count = static_cast<std::int64_t>(pictures);
    check_shape<const float, 3>(function, "vertices", vertices,
                                {vertices.extent(0) == 1 ? 1 : count, num_vertices_, 3});
    check_positions(function, "vertices", vertices);
    check_size(function, height, width);
    check_threads(function, threads);
}

void Renderer::check(const Material& material) const {
    check_shape<const float, 2>("draw", "albedo", material.albedo, {num_vertices_, 3});
    check_shape<const float, 2>("draw", "gloss", material.gloss, {num_vertices_, 2});
    check_shape<const float, 1>("draw", "occlusion", material.occlusion, {num_vertices_});
    check_finite("draw", "albedo", material.albedo);
    check_finite("draw", "gloss", material.gloss);
    check_finite("draw", "occlusion", material.occlusion);
    if (material.texture.size() == 0) return;
    check_shape<const float, 3>("draw", "texture", material.texture, {-1, -1, 3});
    check_shape<const float, 3>("draw", "uvs", material.uvs, {num_faces_, 4, 2});
    check_finite("draw", "texture", material.texture);
    check_finite("draw", "uvs", material.uvs);
}

std::vector<double> Renderer::in_camera(const float* vertices, const Camera& camera) const {
    std::vector<double> points(3 * num_vertices_);
    for (std::int64_t v = 0; v < num_vertices_; ++v) camera.seen(Vec3::at(vertices, v)).write(&points[3 * v]);
    return points;
}

std::vector<float> Renderer::normals(const float* vertices, const Camera& camera) const {
    std::vector<float> result(3 * num_vertices_);
    mesh::vertex_normals({vertices, {num_vertices_, 3}}, {faces_.data(), {num_faces_, 4}},
                         {result.data(), {num_vertices_, 3}});
    for (std::int64_t v = 0; v < num_vertices_; ++v) {
        const Vec3 turned = camera.turned(Vec3::at(result.data(), v));
        for (int axis = 0; axis < 3; ++axis) result[3 * v + axis] = static_cast<float>(turned[axis]);
    }
    return result;
}

void Renderer::survey(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides, SurfaceMaps maps,
                      int threads) const {
    const std::int64_t height = maps.depth.extent(1);
    const std::int64_t width = maps.depth.extent(2);
    const auto count = static_cast<std::int64_t>(cameras.size());
    check("survey", vertices, cameras.size(), height, width, threads);
    check_shape<float, 3>("survey", "depth", maps.depth, {count, height, width});
    check_shape<std::int32_t, 3>("survey", "face", maps.face, {count, height, width});
    check_shape<std::int32_t, 4>("survey", "corners", maps.corners, {count, height, width, 3});
    check_shape<float, 4>("survey", "weights", maps.weights, {count, height, width, 3});
    const auto picture = [&](std::int64_t t) {
        const std::vector<double> points = in_camera(picture_vertices(vertices, t), cameras[t]);
        SampleGrid grid(width, height, 1);
        rasterize(points.data(), triangles_, cameras[t], sides, grid);
        for (std::int64_t p = 0; p < width * height; ++p) {
            const std::int32_t index = grid.triangle[p];
            std::int32_t* corners = maps.corners.row(t) + 3 * p;
            float* weights = maps.weights.row(t) + 3 * p;
            maps.depth.row(t)[p] = index < 0 ? std::numeric_limits<float>::infinity() : 1.0f / grid.inverse_depth[p];
            maps.face.row(t)[p] = index < 0 ? -1 : triangles_[index].face;
            std::fill_n(corners, 3, -1);
            std::fill_n(weights, 3, 0.0f);
            if (index < 0) continue;
            std::copy_n(triangles_[index].vertex.data(), 3, corners);
            const Vec3 ray = cameras[t].ray(static_cast<double>(p % width) + 0.5, static_cast<double>(p / width) + 0.5);
            const Vec3 weight = SeenTriangle(points.data(), triangles_[index].vertex).barycentric(ray);
            for (int c = 0; c < 3; ++c) weights[c] = static_cast<float>(weight[c]);
        }
    };
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) picture(t);
    });
}

void Renderer::draw(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides,
                    const Material& material, const std::vector<Lighting>& lighting, View<const double, 2> background,
                    const std::vector<Sensor>& sensors, int samples, Pictures pictures, int threads) const {
    const std::int64_t height = pictures.color.extent(1);
    const std::int64_t width = pictures.color.extent(2);
    const auto count = static_cast<std::int64_t>(cameras.size());
    check("draw", vertices, cameras.size(), height, width, threads);
    check(material);
    check_shape<std::uint8_t, 4>("draw", "color", pictures.color, {count, height, width, 3});
    check_shape<float, 3>("draw", "coverage", pictures.coverage, {count, height, width});
    check_shape<const double, 2>("draw", "background", background, {count, 3});
    check_finite("draw", "background", background);
    if (samples < 1 || samples > 4) throw bad_argument("draw", "samples", std::to_string(samples), "1 to 4");
    if (lighting.size() != cameras.size() || sensors.size() != cameras.size())
        throw bad_argument("draw", "lighting", "not as many as cameras", "one per camera");
    const auto picture = [&](std::int64_t t) {
        const float* positions = picture_vertices(vertices, t);
        const std::vector<double> points = in_camera(positions, cameras[t]);
        const std::vector<float> turned = normals(positions, cameras[t]);
        SampleGrid grid(width, height, samples);
        rasterize(points.data(), triangles_, cameras[t], sides, grid);
        std::vector<float> radiance(3 * width * height);
        const Shading shading(cameras[t], material, lighting[t], triangles_, points.data(), turned.data());
        shading.draw(grid, Vec3::at(background.row(t)), radiance.data(), pictures.coverage.row(t));
        expose(sensors[t], height, width, radiance.data(), pictures.color.row(t));
    };
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) picture(t);
    });
}

void Renderer::visible(View<const float, 3> vertices, const std::vector<Camera>& cameras, Sides sides,
                       View<const float, 3> points, std::int64_t height, std::int64_t width, double tolerance,
                       View<std::uint8_t, 2> result, int threads) const {
    const auto count = static_cast<std::int64_t>(cameras.size());
    check("visible", vertices, cameras.size(), height, width, threads);
    check_shape<const float, 3>("visible", "points", points, {count, -1, 3});
    check_positions("visible", "points", points);
    check_shape<std::uint8_t, 2>("visible", "result", result, {count, points.extent(1)});
    if (!(tolerance >= 0.0)) throw bad_argument("visible", "tolerance", std::to_string(tolerance), "at least 0");
    const auto picture = [&](std::int64_t t) {
        const Camera& camera = cameras[t];
        const std::vector<double> corners = in_camera(picture_vertices(vertices, t), camera);
        SampleGrid grid(width, height, 2);
        rasterize(corners.data(), triangles_, camera, sides, grid);
        for (std::int64_t p = 0; p < points.extent(1); ++p) {
            const Vec3 at = camera.seen(Vec3::at(points.row(t), p));
            result(t, p) = 0;
            if (!(at[2] >= camera.near)) continue;
            const double x = std::floor(2.0 * (camera.focal_x * at[0] / at[2] + camera.center_x));
            const double y = std::floor(2.0 * (camera.focal_y * at[1] / at[2] + camera.center_y));
            if (!(x >= 0.0 && y >= 0.0 && x < static_cast<double>(grid.width) && y < static_cast<double>(grid.height)))
                continue;
            const std::int64_t cell = static_cast<std::int64_t>(y) * grid.width + static_cast<std::int64_t>(x);
            const std::int32_t index = grid.triangle[cell];
            const Vec3 ray{at[0] / at[2], at[1] / at[2], 1.0};
            const double depth =
                index < 0
                    ? std::numeric_limits<double>::infinity()
                    : 1.0 / SeenTriangle(corners.data(), triangles_[index].vertex).inverse_depth(ray, camera.near);
            result(t, p) = at[2] <= depth + tolerance;
        }
    };
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) picture(t);
    });
}

}  // namespace rigcast::render
