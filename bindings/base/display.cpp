#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "rigcast/core/check.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/packed_vertices.h"
#include "rigcast/mesh/search/surface_picker.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::bindings {
namespace {

std::unique_ptr<mesh::SurfacePicker> make_picker(const ArrayLike& vertices, const ArrayLike& faces) {
    const auto points = as_array<float, 2>("SurfacePicker", "vertices", vertices, "numbers (V, 3)");
    const auto corners = as_faces("SurfacePicker", faces);
    const ReleasedGil released;
    return std::make_unique<mesh::SurfacePicker>(view<float, 2>(points), view<std::int32_t, 2>(corners));
}

void refit(mesh::SurfacePicker& picker, const ArrayLike& vertices) {
    const auto points = as_array<float, 2>("SurfacePicker.refit", "vertices", vertices, "numbers (V, 3)");
    const ReleasedGil released;
    picker.refit(view<float, 2>(points));
}

linalg::Vec3 as_vector(const char* argument, const ArrayLike& value) {
    const auto array = as_array<double, 1>("SurfacePicker.pick", argument, value, "numbers (3,)");
    check_shape<const double, 1>("SurfacePicker.pick", argument, view<double, 1>(array), {3});
    return linalg::Vec3::at(array.data());
}

py::object pick(const mesh::SurfacePicker& picker, const ArrayLike& origin, const ArrayLike& direction) {
    const mesh::SurfaceHit hit = picker.pick(as_vector("origin", origin), as_vector("direction", direction));
    if (hit.face < 0) return py::none();
    return py::make_tuple(hit.face, Array<std::int32_t>(3, hit.corner.data()), Array<double>(3, hit.weight.data()),
                          hit.vertex, hit.distance);
}

/// Packs poses of one mesh: keeps its faces, which would cost as much to check as a pose to pack.
class VertexPacker {
public:
    VertexPacker(const ArrayLike& faces, std::int64_t num_vertices) : faces_(as_faces("VertexPacker", faces)) {
        if (num_vertices < 0) {
            throw bad_argument("VertexPacker", "num_vertices", std::to_string(num_vertices), "at least 0");
        }
        num_vertices_ = num_vertices;
        mesh::check_faces("VertexPacker", view<std::int32_t, 2>(faces_), num_vertices_);
    }

    py::tuple pack(const ArrayLike& vertices, const OptionalArray& marks) const {
        constexpr const char* name = "VertexPacker.pack";
        const auto points = as_array<float, 2>(name, "vertices", vertices, "numbers (V, 3)");
        check_shape<const float, 2>(name, "vertices", view<float, 2>(points), {num_vertices_, 3});
        Array<std::uint8_t> colors(num_vertices_);
        std::fill_n(colors.mutable_data(), num_vertices_, std::uint8_t{0});
        if (!marks.is_none()) colors = as_array<std::uint8_t, 1>(name, "marks", marks, "integers (V,)");
        Array<std::uint8_t> packed({num_vertices_, mesh::bytes_per_packed_vertex});
        const auto target = writable<std::uint8_t, 2>(packed);
        mesh::PackedBox box;
        {
            const ReleasedGil released;
            std::vector<float> normals(static_cast<std::size_t>(points.size()));
            const std::array<std::int64_t, 2> shape{num_vertices_, 3};
            mesh::vertex_normals(view<float, 2>(points), view<std::int32_t, 2>(faces_), {normals.data(), shape});
            box = mesh::pack_vertices(view<float, 2>(points), {normals.data(), shape}, view<std::uint8_t, 1>(colors),
                                      target);
        }
        return py::make_tuple(packed, Array<float>(3, box.low.data()), Array<float>(3, box.high.data()));
    }

private:
    Array<std::int32_t> faces_;
    std::int64_t num_vertices_ = 0;
};

}  // namespace

void bind_display(py::module_& module) {
    py::class_<mesh::SurfacePicker>(module, "SurfacePicker",
                                    "Finds what a ray meets on a deforming surface: vertices (V, 3), faces (F, 3) or\n"
                                    "(F, 4), quads split along their first diagonal.")
        .def(py::init(&make_picker), py::arg("vertices"), py::arg("faces"))
        .def("refit", &refit, py::arg("vertices"), "Move the vertices to (V, 3). Not while another thread picks.")
        .def("pick", &pick, py::arg("origin"), py::arg("direction"),
             "The first point origin + t direction, t >= 0, on the surface, from either side: face, the corners (3,) "
             "of\n"
             "its triangle, their barycentric weights (3,), the corner nearest to the point, and t. None if there is\n"
             "no such point.");
    py::class_<VertexPacker>(module, "VertexPacker", "Packs poses of a mesh as graphics hardware reads vertices.")
        .def(py::init<const ArrayLike&, std::int64_t>(), py::arg("faces"), py::arg("num_vertices"))
        .def("pack", &VertexPacker::pack, py::arg("vertices"), py::arg("marks") = py::none(),
             "(V, 12) uint8: position (3 x uint16 between low and high), mark (uint8), zero, normal (2 x int16,\n"
             "octahedral). Also low (3,) and high (3,).");
}

}  // namespace rigcast::bindings
