#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/scalars.h"
#include "rigwright/core/check.h"
#include "rigwright/face/map_floor.h"
#include "rigwright/face/mend_uvs.h"

namespace rigwright::bindings {
namespace {

constexpr const char* coordinates = "numbers (V, 2)";

Array<double> map_floor(const ArrayLike& uvs, const ArrayLike& offsets, std::int64_t resolution,
                        const IntLike& threads) {
    const int num_threads = thread_count("map_floor", threads);
    const auto at = as_array<double, 2>("map_floor", "uvs", uvs, coordinates);
    const auto moved = as_array<float, 3>("map_floor", "offsets", offsets, "numbers (T, V, 3)");
    Array<double> distances({moved.shape(0), moved.shape(1)});
    const auto out = writable<double, 2>(distances);
    const py::gil_scoped_release released;
    face::MapFloor(view<double, 2>(at), resolution).distances(view<float, 3>(moved), out, num_threads);
    return distances;
}

py::dict mend_uvs(const ArrayLike& uvs, const ArrayLike& rest_vertices, const ArrayLike& faces,
                  const ArrayLike& offsets, std::int64_t resolution, int fields, const IntLike& threads) {
    const int num_threads = thread_count("mend_uvs", threads);

    const auto at = as_array<double, 2>("mend_uvs", "uvs", uvs, coordinates);
    const auto rest = as_array<float, 2>("mend_uvs", "rest_vertices", rest_vertices, "numbers (V, 3)");
    const auto corners = as_faces("mend_uvs", faces);
    const auto moved = as_array<float, 3>("mend_uvs", "offsets", offsets, "numbers (T, V, 3)");
    face::MendedUvs mended;
    {
        const py::gil_scoped_release released;
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
               py::arg("threads") = 0,
               "Distances (T, V) between offsets (T, V, 3) and the best map of R x R texels, sampled at uvs (V, 2).");
    module.def("mend_uvs", &mend_uvs, py::arg("uvs"), py::arg("rest_vertices"), py::arg("faces"), py::arg("offsets"),
               py::arg("resolution"), py::arg("fields"), py::arg("threads") = 0,
               "Texture coordinates (V, 2) for maps of R x R texels, and what was done to get them.");
}

}  // namespace rigwright::bindings
