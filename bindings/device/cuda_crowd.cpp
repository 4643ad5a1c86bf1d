#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/convert/arrays.h"
#include "bindings/device/cuda_bindings.h"
#include "rigcast/core/check.h"
#include "rigcast/cuda/crowd.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceArray;
using cuda::ResidentCrowd;
using cuda::ResidentModel;

std::unique_ptr<ResidentCrowd> make_crowd(std::shared_ptr<ResidentModel> rig, const std::vector<Array<float>>& clips,
                                          const ArrayLike& order) {
    std::vector<View<const float, 2>> curves;
    for (const Array<float>& clip : clips) {
        if (clip.ndim() != 2) throw bad_argument("ResidentCrowd", "clips", describe(clip), "arrays (T, K)");
        curves.push_back(view<float, 2>(clip));
    }
    const auto shapes = as_indices("ResidentCrowd", "order", order);
    const py::gil_scoped_release released;
    return std::make_unique<ResidentCrowd>(std::move(rig), curves, view<std::int32_t, 1>(shapes));
}

/// The heads of a call, one value each.
struct HeadArrays {
    HeadArrays(const char* function, const ArrayLike& clips, const ArrayLike& frames, const ArrayLike& prefixes)
        : clip(as_indices(function, "clip", clips)),
          frame(as_array<double, 1>(function, "frame", frames, "numbers (H,)")),
          prefix(as_indices(function, "prefix", prefixes)) {}

    cuda::Heads heads() const {
        return {view<std::int32_t, 1>(clip), view<double, 1>(frame), view<std::int32_t, 1>(prefix)};
    }

    Array<std::int32_t> clip;
    Array<double> frame;
    Array<std::int32_t> prefix;
};

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
        .def(py::init(&make_crowd), py::arg("rig"), py::arg("clips"), py::arg("order"),
             "Copy clips of weights, (T_i, K) each, to the device; order (K,): shapes, most important first.")
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
