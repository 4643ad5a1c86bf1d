#include <pybind11/stl.h>

#include <memory>
#include <optional>

#include "bindings/convert/heads.h"
#include "bindings/device/cuda_bindings.h"
#include "rigcast/cuda/crowd.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceArray;
using cuda::ResidentCrowd;
using cuda::ResidentModel;

std::unique_ptr<ResidentCrowd> make_crowd(std::shared_ptr<ResidentModel> rig, std::shared_ptr<crowd::Crowd> crowd) {
    const py::gil_scoped_release released;
    return std::make_unique<ResidentCrowd>(std::move(rig), std::move(crowd));
}

void evaluate_crowd(const ResidentCrowd& crowd, const ArrayLike& clip, const ArrayLike& frame, const ArrayLike& prefix,
                    py::array_t<float, py::array::c_style> out) {
    const HeadArrays arrays("evaluate", clip, frame, prefix);
    if (out.ndim() != 3) throw bad_argument("evaluate", "out", describe(out), "an array (H, V, 3)");
    const View<float, 3> vertices(out.mutable_data(), {out.shape(0), out.shape(1), out.shape(2)});
    const py::gil_scoped_release released;
    crowd.evaluate(arrays.heads(), vertices);
}

DeviceArray evaluate_crowd_on_device(const ResidentCrowd& crowd, const ArrayLike& clip, const ArrayLike& frame,
                                     const ArrayLike& prefix, const std::optional<DeviceArray>& out) {
    const HeadArrays arrays("evaluate_on_device", clip, frame, prefix);
    const py::gil_scoped_release released;
    if (!out) return crowd.evaluate_on_device(arrays.heads());
    crowd.evaluate_on_device(arrays.heads(), *out);
    return *out;
}

}  // namespace

void bind_cuda_crowd(py::module_& module) {
    py::class_<ResidentCrowd>(module, "ResidentCrowd", py::module_local(),
                              "Heads of a blendshape rig whose shapes and animation curves stay on the device.")
        .def(py::init(&make_crowd), py::arg("rig").none(false), py::arg("crowd").none(false),
             "Copy the clips of a _core.Crowd to the device.")
        .def("evaluate", &evaluate_crowd, py::arg("clip"), py::arg("frame"), py::arg("prefix"),
             py::arg("out").noconvert(),
             "Write the vertices (H, V, 3) of heads: which clip, at which frame, of how many shapes of the order, each "
             "(H,).")
        .def("evaluate_on_device", &evaluate_crowd_on_device, py::arg("clip"), py::arg("frame"), py::arg("prefix"),
             py::arg("out") = py::none(),
             "The same vertices as a DeviceArray; `out`, an earlier result of that shape, is written if it is given.")
        .def_property_readonly("num_bytes", &ResidentCrowd::num_bytes,
                               "Bytes of the curves on the device, without the rig.");
}

}  // namespace rigcast::bindings
