#include <memory>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/render/renderer.h"

namespace rigcast::bindings {
namespace {

using render::Camera;
using render::Renderer;
using render::Sides;

std::unique_ptr<Renderer> make_renderer(const ArrayLike& faces, std::int64_t num_vertices) {
    const auto corners = as_faces("Renderer", faces);
    return std::make_unique<Renderer>(view<std::int32_t, 2>(corners), num_vertices);
}

std::vector<Camera> as_cameras(const char* function, const ArrayLike& cameras) {
    const auto numbers = as_array<double, 2>(function, "cameras", cameras, "numbers (T, 17)");
    check_shape<const double, 2>(function, "cameras", view<double, 2>(numbers), {-1, render::camera_numbers});
    std::vector<Camera> result;
    for (py::ssize_t t = 0; t < numbers.shape(0); ++t)
        result.push_back(render::read_camera(function, view<double, 2>(numbers), t));
    return result;
}

py::tuple survey(const Renderer& renderer, const ArrayLike& vertices, const ArrayLike& cameras, std::int64_t height,
                 std::int64_t width, bool front, const IntLike& threads) {
    const int num_threads = thread_count("survey", threads);
    const auto points = as_array<float, 3>("survey", "vertices", vertices, "numbers (T, V, 3)");
    const std::vector<Camera> seen = as_cameras("survey", cameras);
    render::check_size("survey", height, width);
    const auto count = static_cast<py::ssize_t>(seen.size());
    Array<float> depth({count, py::ssize_t{height}, py::ssize_t{width}});
    Array<std::int32_t> face({count, py::ssize_t{height}, py::ssize_t{width}});
    Array<std::int32_t> corners({count, py::ssize_t{height}, py::ssize_t{width}, py::ssize_t{3}});
    Array<float> weights({count, py::ssize_t{height}, py::ssize_t{width}, py::ssize_t{3}});
    const render::SurfaceMaps maps{writable<float, 3>(depth), writable<std::int32_t, 3>(face),
                                   writable<std::int32_t, 4>(corners), writable<float, 4>(weights)};
    {
        const ReleasedGil released;
        renderer.survey(view<float, 3>(points), seen, front ? Sides::front : Sides::both, maps, num_threads);
    }
    return py::make_tuple(depth, face, corners, weights);
}

/// Lighting of T pictures from lights (T, L, 6), directions and colors, and hemispheres (T, 9): sky, ground, up.
std::vector<render::Lighting> as_lighting(const ArrayLike& lights, const ArrayLike& hemispheres, double wrap) {
    using linalg::Vec3;
    const auto rows = as_array<double, 3>("draw", "lights", lights, "numbers (T, L, 6)");
    const auto round = as_array<double, 2>("draw", "hemispheres", hemispheres, "numbers (T, 9)");
    const py::ssize_t count = round.shape(0);
    check_shape<const double, 3>("draw", "lights", view<double, 3>(rows), {count, -1, 6});
    check_shape<const double, 2>("draw", "hemispheres", view<double, 2>(round), {-1, 9});
    check_finite("draw", "lights", view<double, 3>(rows));
    check_finite("draw", "hemispheres", view<double, 2>(round));
    if (!(wrap >= 0.0 && wrap <= 1.0)) throw bad_argument("draw", "wrap", std::to_string(wrap), "from 0 to 1");
    std::vector<render::Lighting> result(static_cast<std::size_t>(count));
    for (py::ssize_t t = 0; t < count; ++t) {
        render::Lighting& lighting = result[t];
        const double* numbers = round.data(t, 0);
        lighting.sky = Vec3::at(numbers, 0);
        lighting.ground = Vec3::at(numbers, 1);
        lighting.up = Vec3::at(numbers, 2);
        lighting.wrap = wrap;
        for (py::ssize_t l = 0; l < rows.shape(1); ++l)
            lighting.lights.push_back({Vec3::at(rows.data(t, l, 0), 0), Vec3::at(rows.data(t, l, 0), 1)});
    }
    return result;
}

/// Sensors of T pictures from (T, 4): exposure, blur, noise, gamma; and seeds (T).
std::vector<render::Sensor> as_sensors(const ArrayLike& sensors, const ArrayLike& seeds) {
    const auto rows = as_array<double, 2>("draw", "sensors", sensors, "numbers (T, 4)");
    const auto chance = as_array<std::int64_t, 1>("draw", "seeds", seeds, "integers (T,)");
    check_shape<const double, 2>("draw", "sensors", view<double, 2>(rows), {chance.shape(0), 4});
    std::vector<render::Sensor> result;
    for (py::ssize_t t = 0; t < rows.shape(0); ++t) {
        const double* s = rows.data(t, 0);
        if (!(s[0] >= 0.0 && s[0] <= 1e6 && s[1] >= 0.0 && s[1] <= 50.0 && s[2] >= 0.0 && s[2] <= 1.0 && s[3] >= 0.1 &&
              s[3] <= 10.0)) {
            throw bad_argument("draw", "sensors", "out of range in picture " + std::to_string(t),
                               "exposure from 0 to 1e6, blur from 0 to 50 pixels, noise from 0 to 1, gamma from 0.1 "
                               "to 10");
        }
        result.push_back({s[0], s[1], s[2], s[3], static_cast<std::uint64_t>(chance.at(t))});
    }
    return result;
}

/// material: albedo (V, 3), gloss (V, 2), occlusion (V), texture (h, w, 3), uvs (F, 4, 2); size: height, width.
py::tuple draw(const Renderer& renderer, const ArrayLike& vertices, const ArrayLike& cameras, const ArrayLike& albedo,
               const ArrayLike& gloss, const ArrayLike& occlusion, const ArrayLike& texture, const ArrayLike& uvs,
               const ArrayLike& lights, const ArrayLike& hemispheres, double wrap, const ArrayLike& background,
               const ArrayLike& sensors, const ArrayLike& seeds, std::int64_t height, std::int64_t width, int samples,
               bool front, const IntLike& threads) {
    const int num_threads = thread_count("draw", threads);
    const auto points = as_array<float, 3>("draw", "vertices", vertices, "numbers (T, V, 3)");
    const std::vector<Camera> seen = as_cameras("draw", cameras);
    const auto color = as_array<float, 2>("draw", "albedo", albedo, "numbers (V, 3)");
    const auto shine = as_array<float, 2>("draw", "gloss", gloss, "numbers (V, 2)");
    const auto open = as_array<float, 1>("draw", "occlusion", occlusion, "numbers (V,)");
    const auto image = as_array<float, 3>("draw", "texture", texture, "numbers (h, w, 3)");
    const auto places = as_array<float, 3>("draw", "uvs", uvs, "numbers (F, 4, 2)");
    const auto behind = as_array<double, 2>("draw", "background", background, "numbers (T, 3)");
    const auto lighting = as_lighting(lights, hemispheres, wrap);
    const auto response = as_sensors(sensors, seeds);
    render::check_size("draw", height, width);
    const auto count = static_cast<py::ssize_t>(seen.size());
    Array<std::uint8_t> pictures({count, py::ssize_t{height}, py::ssize_t{width}, py::ssize_t{3}});
    Array<float> coverage({count, py::ssize_t{height}, py::ssize_t{width}});
    const render::Material material{view<float, 2>(color), view<float, 3>(image), view<float, 3>(places),
                                    view<float, 2>(shine), view<float, 1>(open)};
    const render::Pictures out{writable<std::uint8_t, 4>(pictures), writable<float, 3>(coverage)};
    {
        const ReleasedGil released;
        renderer.draw(view<float, 3>(points), seen, front ? Sides::front : Sides::both, material, lighting,
                      view<double, 2>(behind), response, samples, out, num_threads);
    }
    return py::make_tuple(pictures, coverage);
}

Array<std::uint8_t> visible(const Renderer& renderer, const ArrayLike& vertices, const ArrayLike& cameras,
                            const ArrayLike& points, std::int64_t height, std::int64_t width, double tolerance,
                            bool front, const IntLike& threads) {
    const int num_threads = thread_count("visible", threads);
    const auto mesh = as_array<float, 3>("visible", "vertices", vertices, "numbers (T, V, 3)");
    const auto places = as_array<float, 3>("visible", "points", points, "numbers (T, P, 3)");
    const std::vector<Camera> seen = as_cameras("visible", cameras);
    Array<std::uint8_t> result({static_cast<py::ssize_t>(seen.size()), places.shape(1)});
    const auto out = writable<std::uint8_t, 2>(result);
    const ReleasedGil released;
    renderer.visible(view<float, 3>(mesh), seen, front ? Sides::front : Sides::both, view<float, 3>(places), height,
                     width, tolerance, out, num_threads);
    return result;
}

}  // namespace

void bind_render(py::module_& module) {
    py::class_<Renderer>(module, "Renderer",
                         "Draws a mesh of faces (F, 3) or (F, 4) by z-buffer: what rigcast.render is made of.")
        .def(py::init(&make_renderer), py::arg("faces"), py::arg("num_vertices"))
        .def("survey", &survey, py::arg("vertices"), py::arg("cameras"), py::kw_only(), py::arg("height"),
             py::arg("width"), py::arg("front") = false, py::arg("threads") = 0,
             "Depth and face (T, H, W), corners and barycentric coordinates (T, H, W, 3) at the centers of pixels.")
        .def("draw", &draw, py::arg("vertices"), py::arg("cameras"), py::kw_only(), py::arg("albedo"), py::arg("gloss"),
             py::arg("occlusion"), py::arg("texture"), py::arg("uvs"), py::arg("lights"), py::arg("hemispheres"),
             py::arg("wrap"), py::arg("background"), py::arg("sensors"), py::arg("seeds"), py::arg("height"),
             py::arg("width"), py::arg("samples") = 2, py::arg("front") = false, py::arg("threads") = 0,
             "Pictures (T, H, W, 3) uint8, and covered shares (T, H, W).")
        .def("visible", &visible, py::arg("vertices"), py::arg("cameras"), py::arg("points"), py::kw_only(),
             py::arg("height"), py::arg("width"), py::arg("tolerance"), py::arg("front") = false,
             py::arg("threads") = 0, "(T, P) uint8: 1 for points (T, P, 3) that the camera sees.");
}

}  // namespace rigcast::bindings
