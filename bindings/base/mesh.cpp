#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/mesh/laplacian.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/search/closest_points.h"
#include "rigcast/mesh/search/intersections.h"
#include "rigcast/mesh/search/point_tree.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::bindings {
namespace {

/// Faces (F, 4) with indices checked to be below `num_vertices`.
Array<std::int32_t> mesh_faces(const char* function, const ArrayLike& faces, std::int64_t num_vertices) {
    if (num_vertices < 0) throw bad_argument(function, "num_vertices", std::to_string(num_vertices), "at least 0");
    Array<std::int32_t> array = as_faces(function, faces);
    mesh::check_faces(function, view<std::int32_t, 2>(array), num_vertices);
    return array;
}

Array<std::int32_t> edges(const ArrayLike& faces, std::int64_t num_vertices) {
    const auto array = mesh_faces("edges", faces, num_vertices);
    const std::vector<mesh::Edge> list = mesh::edges(view<std::int32_t, 2>(array));
    Array<std::int32_t> result({static_cast<py::ssize_t>(list.size()), py::ssize_t{2}});
    for (std::size_t e = 0; e < list.size(); ++e) {
        result.mutable_at(e, 0) = list[e].a;
        result.mutable_at(e, 1) = list[e].b;
    }
    return result;
}

py::tuple graph_laplacian(const ArrayLike& faces, std::int64_t num_vertices) {
    const auto array = mesh_faces("graph_laplacian", faces, num_vertices);
    const mesh::Entries entries = mesh::graph_laplacian(view<std::int32_t, 2>(array), num_vertices);
    const py::ssize_t count = static_cast<py::ssize_t>(entries.value.size());
    return py::make_tuple(Array<std::int32_t>(count, entries.row.data()),
                          Array<std::int32_t>(count, entries.column.data()),
                          Array<double>(count, entries.value.data()));
}

Array<float> vertex_normals(const ArrayLike& vertices, const ArrayLike& faces) {
    const auto points = as_array<float, 2>("vertex_normals", "vertices", vertices, "numbers (V, 3)");
    check_shape<const float, 2>("vertex_normals", "vertices", view<float, 2>(points), {-1, 3});
    check_finite("vertex_normals", "vertices", view<float, 2>(points));
    const auto array = mesh_faces("vertex_normals", faces, points.shape(0));
    Array<float> normals({points.shape(0), py::ssize_t{3}});
    mesh::vertex_normals(view<float, 2>(points), view<std::int32_t, 2>(array), writable<float, 2>(normals));
    return normals;
}

std::unique_ptr<mesh::PointTree> make_tree(const ArrayLike& points) {
    const auto all = as_array<float, 2>("PointTree", "points", points, "numbers (N, 3)");
    const ReleasedGil released;
    return std::make_unique<mesh::PointTree>(view<float, 2>(all));
}

py::tuple nearest(const mesh::PointTree& tree, const ArrayLike& queries, std::int64_t count, const IntLike& threads) {
    const int num_threads = thread_count("PointTree.nearest", threads);
    const auto query_array = as_array<float, 2>("PointTree.nearest", "queries", queries, "numbers (Q, 3)");
    if (count < 1) throw bad_argument("PointTree.nearest", "count", std::to_string(count), "at least 1");
    Array<std::int32_t> indices({query_array.shape(0), static_cast<py::ssize_t>(count)});
    Array<float> squared({query_array.shape(0), static_cast<py::ssize_t>(count)});
    const auto index_view = writable<std::int32_t, 2>(indices);
    const auto squared_view = writable<float, 2>(squared);
    {
        const ReleasedGil released;
        tree.nearest(view<float, 2>(query_array), index_view, squared_view, num_threads);
    }
    return py::make_tuple(indices, squared);
}

py::tuple closest_points(const ArrayLike& vertices, const ArrayLike& faces, const ArrayLike& queries,
                         const OptionalArray& normals, const IntLike& threads) {
    constexpr const char* name = "closest_points";
    const int num_threads = thread_count(name, threads);
    const auto points = as_array<float, 2>(name, "vertices", vertices, "numbers (V, 3)");
    const auto query_array = as_array<float, 2>(name, "queries", queries, "numbers (Q, 3)");
    const auto normal_array = normals.is_none() ? Array<float>(std::vector<py::ssize_t>{0, 3})
                                                : as_array<float, 2>(name, "normals", normals, "numbers (Q, 3)");
    const auto array = mesh_faces(name, faces, points.shape(0));
    Array<std::int32_t> corners({query_array.shape(0), py::ssize_t{3}});
    Array<float> weights({query_array.shape(0), py::ssize_t{3}});
    Array<float> distances(query_array.shape(0));
    const auto corner_view = writable<std::int32_t, 2>(corners);
    const auto weight_view = writable<float, 2>(weights);
    const auto distance_view = writable<float, 1>(distances);
    const auto normal_view = view<float, 2>(normal_array);
    const auto* filter = normals.is_none() ? nullptr : &normal_view;
    {
        const ReleasedGil released;
        mesh::closest_points(view<float, 2>(points), view<std::int32_t, 2>(array), view<float, 2>(query_array), filter,
                             corner_view, weight_view, distance_view, num_threads);
    }
    return py::make_tuple(corners, weights, distances);
}

Array<std::int32_t> self_intersections(const ArrayLike& vertices, const ArrayLike& faces, const ArrayLike& chosen) {
    constexpr const char* name = "self_intersections";
    const auto points = as_array<float, 2>(name, "vertices", vertices, "numbers (V, 3)");
    check_shape<const float, 2>(name, "vertices", view<float, 2>(points), {-1, 3});
    check_finite(name, "vertices", view<float, 2>(points));
    const auto array = mesh_faces(name, faces, points.shape(0));
    const auto mask = as_array<std::uint8_t, 1>(name, "chosen", chosen, "integers (F,)");
    check_shape<const std::uint8_t, 1>(name, "chosen", view<std::uint8_t, 1>(mask), {array.shape(0)});
    std::vector<std::array<std::int32_t, 2>> pairs;
    {
        const ReleasedGil released;
        pairs =
            mesh::self_intersections(view<float, 2>(points), view<std::int32_t, 2>(array), view<std::uint8_t, 1>(mask));
    }
    Array<std::int32_t> result({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
    for (std::size_t p = 0; p < pairs.size(); ++p) std::copy_n(pairs[p].begin(), 2, result.mutable_data(p));
    return result;
}

}  // namespace

void bind_mesh(py::module_& module) {
    py::class_<mesh::PointTree>(module, "PointTree", "A k-d tree over points (N, 3), for nearest-neighbor queries.")
        .def(py::init(&make_tree), py::arg("points"))
        .def("nearest", &nearest, py::arg("queries"), py::arg("count") = 1, py::arg("threads") = 0,
             "The `count` nearest points of each query (Q, 3): indices (Q, count), nearest first, then lower index\n"
             "first, and squared distances (Q, count).");
    module.def("edges", &edges, py::arg("faces"), py::arg("num_vertices"),
               "(E, 2) int32: the edges between successive corners of faces (F, 3) or (F, 4), each once, lower vertex\n"
               "first, ascending. Equal successive corners give no edge.");
    module.def("graph_laplacian", &graph_laplacian, py::arg("faces"), py::arg("num_vertices"),
               "Rows, columns (int32) and values (float64) of the graph Laplacian D - A of a mesh.");
    module.def(
        "closest_points", &closest_points, py::arg("vertices"), py::arg("faces"), py::arg("queries"),
        py::arg("normals") = py::none(), py::kw_only(), py::arg("threads") = 0,
        "The nearest point of a surface for each query (Q, 3): the corners (Q, 3) of its triangle, their barycentric\n"
        "weights (Q, 3) and the distance (Q,). With normals (Q, 3), only triangles whose normal is less than 90\n"
        "degrees away count; if there is none, corners are -1 and the distance is infinite.");
    module.def("self_intersections", &self_intersections, py::arg("vertices"), py::arg("faces"), py::arg("chosen"),
               "(M, 2) int32: the pairs of intersecting faces among those with nonzero chosen (F,). Faces that share a "
               "vertex\n"
               "are not tested.");
    module.def("vertex_normals", &vertex_normals, py::arg("vertices"), py::arg("faces"),
               "(V, 3) unit vertex normals, weighted by area; (0, 0, 0) for loose vertices.");
}

}  // namespace rigcast::bindings
