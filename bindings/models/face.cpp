#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/face/map_floor.h"
#include "rigcast/face/mend_uvs.h"
#include "rigcast/mesh/charts/charts.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::bindings {
namespace {

constexpr const char* coordinates = "numbers (V, 2)";
constexpr const char* frames_must = "numbers (T, V, 3)";

Array<float> as_weights(const py::object& weights) {
    return weights.is_none() ? Array<float>(0) : as_array<float, 1>("map_floor", "weights", weights, "numbers (V,)");
}

Array<double> map_floor(const ArrayLike& uvs, const ArrayLike& offsets, std::int64_t resolution,
                        const py::object& weights, const IntLike& threads) {
    const int num_threads = thread_count("map_floor", threads);
    const auto at = as_array<double, 2>("map_floor", "uvs", uvs, coordinates);
    const auto moved = as_array<float, 3>("map_floor", "offsets", offsets, frames_must);
    const auto shares = as_weights(weights);
    Array<double> distances({moved.shape(0), moved.shape(1)});
    const auto out = writable<double, 2>(distances);
    const ReleasedGil released;
    face::MapFloor(view<double, 2>(at), resolution, view<float, 1>(shares))
        .distances(view<float, 3>(moved), out, num_threads);
    return distances;
}

Array<float> map_residuals(const ArrayLike& uvs, const ArrayLike& offsets, std::int64_t resolution,
                           const py::object& weights, const IntLike& threads) {
    const int num_threads = thread_count("map_floor", threads);
    const auto at = as_array<double, 2>("map_floor", "uvs", uvs, coordinates);
    const auto moved = as_array<float, 3>("map_floor", "offsets", offsets, frames_must);
    const auto shares = as_weights(weights);
    Array<float> residuals({moved.shape(0), moved.shape(1), moved.shape(2)});
    const auto out = writable<float, 3>(residuals);
    const ReleasedGil released;
    face::MapFloor(view<double, 2>(at), resolution, view<float, 1>(shares))
        .residuals(view<float, 3>(moved), out, num_threads);
    return residuals;
}

Array<std::int64_t> distinct_frames(const ArrayLike& offsets, std::int64_t count, const IntLike& threads) {
    const int num_threads = thread_count("distinct_frames", threads);
    const auto moved = as_array<float, 3>("distinct_frames", "offsets", offsets, frames_must);
    std::vector<std::int64_t> found;
    {
        const ReleasedGil released;
        found = face::distinct_frames(view<float, 3>(moved), count, num_threads);
    }
    return Array<std::int64_t>(static_cast<py::ssize_t>(found.size()), found.data());
}

py::tuple chart_uvs(const ArrayLike& rest_vertices, const ArrayLike& faces) {
    const auto rest = as_array<float, 2>("chart_uvs", "rest_vertices", rest_vertices, "numbers (V, 3)");
    const auto corners = as_faces("chart_uvs", faces);
    mesh::Charts charts;
    {
        const ReleasedGil released;
        charts = mesh::chart_uvs(view<float, 2>(rest), view<std::int32_t, 2>(corners));
    }
    Array<bool> whole(corners.shape(0));
    for (py::ssize_t f = 0; f < whole.shape(0); ++f) whole.mutable_at(f) = charts.whole[f];
    py::list facts;
    for (const auto& chart : charts.charts) {
        facts.append(py::make_tuple(chart.stretch, chart.num_cut, chart.num_holes));
    }
    return py::make_tuple(Array<double>({rest.shape(0), py::ssize_t{2}}, charts.uvs.data()),
                          Array<std::int32_t>(rest.shape(0), charts.chart.data()), whole, facts);
}

std::int64_t num_overlapped(const ArrayLike& uvs, const ArrayLike& faces) {
    const auto at = as_array<double, 2>("num_overlapped", "uvs", uvs, coordinates);
    const auto corners = as_faces("num_overlapped", faces);
    check_finite("num_overlapped", "uvs", view<double, 2>(at));
    mesh::check_faces("num_overlapped", view<std::int32_t, 2>(corners), at.shape(0));
    const ReleasedGil released;
    return face::num_overlapped(view<double, 2>(at), view<std::int32_t, 2>(corners));
}

std::int64_t num_folded(const ArrayLike& uvs, const ArrayLike& faces) {
    const auto at = as_array<double, 2>("num_folded", "uvs", uvs, coordinates);
    const auto corners = as_faces("num_folded", faces);
    mesh::check_faces("num_folded", view<std::int32_t, 2>(corners), at.shape(0));
    const ReleasedGil released;
    return face::num_folded(view<double, 2>(at), view<std::int32_t, 2>(corners));
}

py::dict mend_uvs(const ArrayLike& uvs, const ArrayLike& rest_vertices, const ArrayLike& faces,
                  const ArrayLike& offsets, std::int64_t resolution, int fields, const IntLike& threads) {
    const int num_threads = thread_count("mend_uvs", threads);

    const auto at = as_array<double, 2>("mend_uvs", "uvs", uvs, coordinates);
    const auto rest = as_array<float, 2>("mend_uvs", "rest_vertices", rest_vertices, "numbers (V, 3)");
    const auto corners = as_faces("mend_uvs", faces);
    const auto moved = as_array<float, 3>("mend_uvs", "offsets", offsets, frames_must);
    face::MendedUvs mended;
    {
        const ReleasedGil released;
        mended = face::mend_uvs(view<double, 2>(at), view<float, 2>(rest), view<std::int32_t, 2>(corners),
                                view<float, 3>(moved), resolution, fields, num_threads);
    }
    py::list moves;
    for (const auto& move : mended.moves) moves.append(py::make_tuple(move.frame, move.factor));
    py::dict result;
    result["uvs"] = Array<double>({at.shape(0), py::ssize_t{2}}, mended.uvs.data());
    result["moves"] = moves;
    result["floor_before"] = py::make_tuple(mended.before.mean, mended.before.max);
    result["floor_after"] = py::make_tuple(mended.after.mean, mended.after.max);
    result["folded_before"] = mended.folded_before;
    result["folded_after"] = mended.folded_after;
    return result;
}

}  // namespace

void bind_face(py::module_& module) {
    module.def("map_floor", &map_floor, py::arg("uvs"), py::arg("offsets"), py::arg("resolution"),
               py::arg("weights") = py::none(), py::arg("threads") = 0,
               "Distances (T, V) between offsets (T, V, 3) and the best map of R x R texels, sampled at uvs (V, 2).");
    module.def("map_residuals", &map_residuals, py::arg("uvs"), py::arg("offsets"), py::arg("resolution"),
               py::arg("weights") = py::none(), py::arg("threads") = 0,
               "Offsets (T, V, 3) minus what the best map of R x R texels, sampled at uvs (V, 2), makes of them.");
    module.def("distinct_frames", &distinct_frames, py::arg("offsets"), py::arg("count"), py::arg("threads") = 0,
               "The frames of offsets (T, V, 3) that differ most, at most `count`.");
    module.def("chart_uvs", &chart_uvs, py::arg("rest_vertices"), py::arg("faces"),
               "Charts of least stretch: coordinates (V, 2), the chart of each vertex (V,), -1 for none, faces (F,) "
               "that lie in the chart as a whole, and per chart its stretch, the edges cut and the holes filled.");
    module.def("num_folded", &num_folded, py::arg("uvs"), py::arg("faces"),
               "Triangles whose texture winds against the majority.");
    module.def("num_overlapped", &num_overlapped, py::arg("uvs"), py::arg("faces"),
               "Triangles whose texture lies on that of triangles elsewhere on the mesh.");
    module.def("mend_uvs", &mend_uvs, py::arg("uvs"), py::arg("rest_vertices"), py::arg("faces"), py::arg("offsets"),
               py::arg("resolution"), py::arg("fields"), py::arg("threads") = 0,
               "Texture coordinates (V, 2) for maps of R x R texels, and what was done to get them.");
}

}  // namespace rigcast::bindings
