#include "arrays.h"
#include "bindings.h"
#include "core/check.h"
#include "faces.h"
#include "mesh/laplacian.h"
#include "mesh/normals.h"
#include "mesh/topology.h"

namespace rigwright::bindings {
namespace {

/// Faces whose corners are vertices below `num_vertices`.
Array<std::int32_t> mesh_faces(const char* function, const py::object& faces, std::int64_t num_vertices) {
    if (num_vertices < 0) throw bad_argument(function, "num_vertices", std::to_string(num_vertices), "at least 0");
    Array<std::int32_t> array = as_faces(function, faces);
    mesh::check_faces(function, view<std::int32_t, 2>(array), num_vertices);
    return array;
}

Array<std::int32_t> edges(const py::object& faces, std::int64_t num_vertices) {
    const auto array = mesh_faces("edges", faces, num_vertices);
    const std::vector<mesh::Edge> list = mesh::edges(view<std::int32_t, 2>(array));
    Array<std::int32_t> result({static_cast<py::ssize_t>(list.size()), py::ssize_t{2}});
    for (std::size_t e = 0; e < list.size(); ++e) {
        result.mutable_at(e, 0) = list[e].a;
        result.mutable_at(e, 1) = list[e].b;
    }
    return result;
}

py::tuple graph_laplacian(const py::object& faces, std::int64_t num_vertices) {
    const auto array = mesh_faces("graph_laplacian", faces, num_vertices);
    const mesh::Entries entries = mesh::graph_laplacian(view<std::int32_t, 2>(array), num_vertices);
    const py::ssize_t count = static_cast<py::ssize_t>(entries.value.size());
    return py::make_tuple(Array<std::int32_t>(count, entries.row.data()),
                          Array<std::int32_t>(count, entries.column.data()),
                          Array<double>(count, entries.value.data()));
}

Array<float> vertex_normals(const py::object& vertices, const py::object& faces) {
    const auto points = as_array<float, 2>("vertex_normals", "vertices", vertices, "numbers (V, 3)");
    check_shape<const float, 2>("vertex_normals", "vertices", view<float, 2>(points), {-1, 3});
    check_finite("vertex_normals", "vertices", view<float, 2>(points));
    const auto array = mesh_faces("vertex_normals", faces, points.shape(0));
    Array<float> normals({points.shape(0), py::ssize_t{3}});
    mesh::vertex_normals(view<float, 2>(points), view<std::int32_t, 2>(array), writable<float, 2>(normals));
    return normals;
}

}  // namespace

void bind_mesh(py::module_& module) {
    module.def("edges", &edges, py::arg("faces"), py::arg("num_vertices"),
               "(E, 2) int32: the edges between successive corners of faces (F, 3) or (F, 4), each once, the lower\n"
               "vertex first, ascending. Corners that repeat make no edge.");
    module.def("graph_laplacian", &graph_laplacian, py::arg("faces"), py::arg("num_vertices"),
               "Rows, columns (int32) and values (float64) of the graph Laplacian D - A of a mesh.");
    module.def("vertex_normals", &vertex_normals, py::arg("vertices"), py::arg("faces"),
               "(V, 3) unit normals, weighted by area; (0, 0, 0) at loose vertices.");
}

}  // namespace rigwright::bindings
