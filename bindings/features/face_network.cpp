#include "rigcast/capture/learned/face_network.h"

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/tensors.h"

namespace rigcast::bindings {
namespace {

using capture::FaceNetwork;

std::unique_ptr<FaceNetwork> make_face_network(const py::dict& tensors, const std::string& metadata) {
    auto file = std::make_shared<const TensorFile>(from_arrays(tensors, metadata, "load"));
    const ReleasedGil released;
    return std::make_unique<FaceNetwork>(std::move(file));
}

py::tuple read_faces(const FaceNetwork& self, const ArrayLike& pictures, const ArrayLike& neutrals,
                     const ArrayLike& motion, const IntLike& threads) {
    const int num_threads = thread_count("read", threads);
    const auto given = as_array<std::uint8_t, 4>("read", "pictures", pictures, "integers (T, S, S, 3)");
    const auto rest = as_array<std::uint8_t, 4>("read", "neutrals", neutrals, "integers (T or 1, S, S, 3)");
    const auto moved = as_array<float, 2>("read", "motion", motion, "numbers (T, 2 Q)");
    const auto landmarks = static_cast<py::ssize_t>(self.num_landmarks());
    Array<float> weights({given.shape(0), static_cast<py::ssize_t>(self.num_weights())});
    Array<float> means({given.shape(0), landmarks, py::ssize_t{2}});
    Array<float> covariance({given.shape(0), landmarks, py::ssize_t{3}});
    const FaceNetwork::Reading out{writable<float, 2>(weights), writable<float, 3>(means),
                                   writable<float, 3>(covariance)};
    {
        const ReleasedGil released;
        self.read(view<std::uint8_t, 4>(given), view<std::uint8_t, 4>(rest), view<float, 2>(moved), out, num_threads);
    }
    return py::make_tuple(weights, means, covariance);
}

}  // namespace

void bind_face_network(py::module_& module) {
    py::class_<FaceNetwork>(module, "FaceNetwork",
                            "A network that reads faces; rigcast.capture.CaptureNetwork is its public face.")
        .def(py::init(&make_face_network), py::arg("tensors"), py::arg("metadata"),
             "tensors: float32 and int32 arrays by name. metadata: JSON text.")
        .def_property_readonly("size", &FaceNetwork::size)
        .def_property_readonly("num_weights", &FaceNetwork::num_weights)
        .def_property_readonly("num_landmarks", &FaceNetwork::num_landmarks)
        .def_property_readonly("num_points", &FaceNetwork::num_points)
        .def(
            "read", &read_faces, py::arg("pictures"), py::arg("neutrals"), py::arg("motion"), py::arg("threads") = 0,
            "Weights (T, K), landmarks (T, P, 2) and covariances (T, P, 3) of pictures (T, S, S, 3) uint8, each beside "
            "a neutral (T or 1, S, S, 3); motion (T, 2 Q) of a detector's points, NaN where it found none.")
        .def(
            "save", [](const FaceNetwork& self, const std::string& path) { self.tensors().write(path); },
            py::arg("path"));
}

}  // namespace rigcast::bindings
