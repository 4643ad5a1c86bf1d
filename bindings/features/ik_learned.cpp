#include "bindings/features/ik_learned.h"

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/tensors.h"
#include "rigcast/ik/learned/face_ik.h"

namespace rigcast::bindings {
namespace {

using ik::FaceIk;

std::unique_ptr<FaceIk> make_face_ik(const py::dict& tensors, const std::string& metadata) {
    auto file = std::make_shared<const TensorFile>(from_arrays(tensors, metadata, "load"));
    const ReleasedGil released;
    return std::make_unique<FaceIk>(std::move(file));
}

Array<float> solve_points(const FaceIk& self, const ArrayLike& points, const IntLike& threads) {
    const int num_threads = thread_count("solve", threads);
    const auto given = as_array<float, 3>("solve", "targets", points, "numbers (T, M, 3) or (T, M, 2)");
    Array<float> parameters({given.shape(0), static_cast<py::ssize_t>(self.num_parameters())});
    const auto out = writable<float, 2>(parameters);
    const ReleasedGil released;
    self.solve(view<float, 3>(given), out, num_threads);
    return parameters;
}

}  // namespace

void bind_face_ik(py::module_& module) {
    py::class_<FaceIk>(module, "FaceIkNetworks",
                       "The networks of learned inverse kinematics; rigcast.ik.FaceIk is their public face.")
        .def(py::init(&make_face_ik), py::arg("tensors"), py::arg("metadata"),
             "tensors: float32 and int32 arrays by name. metadata: JSON text.")
        .def_property_readonly("dimensions", &FaceIk::dimensions)
        .def_property_readonly("num_points", &FaceIk::num_points)
        .def_property_readonly("num_parameters", &FaceIk::num_parameters)
        .def_property_readonly("num_regions", &FaceIk::num_regions)
        .def_property_readonly(
            "metadata", [](const FaceIk& self) { return self.tensors().metadata_text(); }, "JSON text.")
        .def("tensors", [](const FaceIk& self) { return to_arrays(self.tensors()); })
        .def("solve", &solve_points, py::arg("points"), py::arg("threads") = 0,
             "Parameters (T, N) float32 of control points (T, M, 3) or (T, M, 2).")
        .def(
            "save", [](const FaceIk& self, const std::string& path) { self.tensors().write(path); }, py::arg("path"));
}

}  // namespace rigcast::bindings
