#include <pybind11/stl.h>

#include "bindings/convert/arrays.h"
#include "bindings/convert/poses.h"
#include "bindings/device/cuda_bindings.h"
#include "bindings/device/device_arrays.h"
#include "rigcast/cuda/resident.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceArray;
using cuda::ResidentModel;
using Model = std::shared_ptr<ResidentModel>;
using HostArray = py::array_t<float, py::array::c_style>;

/// The object of `_core` itself: it has been checked when it was made, so no index is out of range on the device.
using HostModel = std::shared_ptr<rig::Deformer>;

Model make_resident(HostModel model, bool dense, std::int64_t workspace, bool libraries) {
    const py::gil_scoped_release released;
    return cuda::resident(std::move(model), {workspace, dense, libraries});
}

Model make_for_core(HostModel model, const std::string& function) {
    if (!cuda::has_kernels(*model)) {
        const std::string& kind = model->character().kind;
        throw bad_argument(function, "device", "'cuda', which does not evaluate models of kind '" + kind + "'",
                           "'cpu' for this model");
    }
    const py::gil_scoped_release released;
    return cuda::resident(std::move(model));
}

/// What a call chooses beside its poses: the order and the lengths of a prefix of blendshapes, both or neither, and
/// the detail of refinements.
class ChoiceArrays {
public:
    ChoiceArrays(const char* function, const OptionalArray& order, const OptionalArray& lengths,
                 const OptionalArray& detail) {
        if (!detail.is_none()) {
            detail_ = as_array<float, 2>(function, "detail", detail, "numbers (1, R) or (T, R)");
            choices_.detail = view<float, 2>(detail_);
        }
        if (order.is_none() != lengths.is_none()) {
            throw bad_argument(function, "order", order.is_none() ? "missing" : "without lengths",
                               "given with lengths");
        }
        if (order.is_none()) return;
        order_ = as_indices(function, "order", order);
        length_ = as_indices(function, "prefix", lengths);
        prefix_ = {view<std::int32_t, 1>(order_), view<std::int32_t, 1>(length_)};
        choices_.prefix = &prefix_;
    }
    ChoiceArrays(const ChoiceArrays&) = delete;
    ChoiceArrays& operator=(const ChoiceArrays&) = delete;

    const cuda::Choices& get() const { return choices_; }
    bool any() const { return choices_.prefix != nullptr || choices_.detail.data() != nullptr; }

private:
    Array<std::int32_t> order_;
    Array<std::int32_t> length_;
    Array<float> detail_;
    rig::Prefix prefix_{};
    cuda::Choices choices_;
};

template <int Rank>
View<float, Rank> host_output(const char* function, HostArray& out, const char* shape) {
    if (out.ndim() != Rank) throw bad_argument(function, "out", describe(out), std::string("an array ") + shape);
    typename View<float, Rank>::Extents extents;
    for (int axis = 0; axis < Rank; ++axis) extents[axis] = out.shape(axis);
    return {out.mutable_data(), extents};
}

void evaluate(const ResidentModel& model, const ArrayLike& poses, HostArray out, const OptionalArray& order,
              const OptionalArray& lengths, const OptionalArray& detail) {
    const char* function = detail.is_none() ? "evaluate" : "evaluate_detail";
    const ChoiceArrays choices(function, order, lengths, detail);
    const View<float, 3> vertices = host_output<3>(function, out, "(T, V, 3)");
    if (const auto input = as_device_input(function, "poses", poses)) {
        const py::gil_scoped_release released;
        return model.evaluate_to_host(input->matrix(), vertices, choices.get());
    }
    const auto rows = as_array<float, 2>(function, "poses", poses, "an array (T, C)");
    const auto in = view<float, 2>(rows);
    const py::gil_scoped_release released;
    if (choices.any()) return model.evaluate_with(in, choices.get(), vertices);
    model.evaluate(in, vertices, 1);
}

DeviceArray evaluate_on_device(const ResidentModel& model, const ArrayLike& poses, const OptionalArray& order,
                               const OptionalArray& lengths, const OptionalArray& detail) {
    const char* function = detail.is_none() ? "evaluate_on_device" : "evaluate_detail_on_device";
    const ChoiceArrays choices(function, order, lengths, detail);
    DeviceArray vertices;
    bool single = false;
    if (const auto input = as_device_input(function, "poses", poses)) {
        single = input->is_single();
        const py::gil_scoped_release released;
        vertices = model.evaluate_on_device(input->matrix(), choices.get());
    } else {
        const auto [rows, one] = as_poses(function, poses);
        single = one;
        const auto in = view<float, 2>(rows);
        const py::gil_scoped_release released;
        vertices = model.evaluate_on_device(in, choices.get());
    }
    if (single) vertices.shape.erase(vertices.shape.begin());
    return vertices;
}

void jvp(const ResidentModel& model, const Array<float>& poses, const Array<float>& tangents, HostArray out) {
    if (poses.ndim() != 2) throw bad_argument("jvp", "poses", describe(poses), "an array (T, C)");
    if (tangents.ndim() != 2) throw bad_argument("jvp", "tangents", describe(tangents), "an array (T, C)");
    const auto at = view<float, 2>(poses);
    const auto along = view<float, 2>(tangents);
    const View<float, 3> derivatives = host_output<3>("jvp", out, "(T, V, 3)");
    const py::gil_scoped_release released;
    model.jvp(at, along, derivatives, 1);
}

void jacobian(const ResidentModel& model, const Array<float>& poses, HostArray out) {
    if (poses.ndim() != 2) throw bad_argument("jacobian", "poses", describe(poses), "an array (T, C)");
    const auto at = view<float, 2>(poses);
    const View<float, 3> jacobians = host_output<3>("jacobian", out, "(T, 3 V, C)");
    const py::gil_scoped_release released;
    model.jacobian(at, jacobians, 1);
}

Model restricted(const ResidentModel& model, const ArrayLike& vertices) {
    const auto chosen = as_indices("restricted", "vertices", vertices);
    const py::gil_scoped_release released;
    return std::dynamic_pointer_cast<ResidentModel>(model.restricted(view<std::int32_t, 1>(chosen)));
}

std::vector<double> milliseconds(const ResidentModel& model, const Array<float>& poses, std::int64_t batch, int repeats,
                                 const OptionalArray& detail) {
    if (poses.ndim() != 2) throw bad_argument("milliseconds", "poses", describe(poses), "an array (T, C)");
    const ChoiceArrays choices("milliseconds", py::none(), py::none(), detail);
    const auto in = view<float, 2>(poses);
    const py::gil_scoped_release released;
    return model.milliseconds(in, batch, repeats, choices.get().detail);
}

}  // namespace

void bind_cuda_resident(py::module_& module) {
    py::module_::import("rigcast._core");  // Deformer, which signatures name
    bind_device_array(module);
    py::class_<ResidentModel, Model>(
        module, "ResidentModel", py::module_local(),
        "A model of kind \"body\", \"differential\", \"face_maps\" or \"blendshape\" whose constants stay on the "
        "device.")
        .def(py::init(&make_resident), py::arg("model").none(false), py::arg("dense") = false,
             py::arg("workspace") = cuda::ResidentOptions().workspace, py::arg("libraries") = false,
             "Copy a model to the device. dense: store all offsets of blendshapes, zeros included, as one matrix;\n"
             "workspace: bytes that a chunk of frames may use; libraries: large products of a differential model by\n"
             "cuBLAS, the sparse product of blendshapes by cuSPARSE.")
        .def("evaluate", &evaluate, py::arg("poses"), py::arg("out").noconvert(), py::arg("order") = py::none(),
             py::arg("lengths") = py::none(), py::arg("detail") = py::none(),
             "Write the vertices (T, V, 3) of poses (T, C), which may be on the device; order (K,) and lengths (T,):\n"
             "of one prefix of blendshapes per frame; detail (1, R) or (T, R): of the refinements of a face.")
        .def("evaluate_on_device", &evaluate_on_device, py::arg("poses"), py::arg("order") = py::none(),
             py::arg("lengths") = py::none(), py::arg("detail") = py::none(),
             "The same vertices as a DeviceArray; (V, 3) for one pose (C,).")
        .def("jvp", &jvp, py::arg("poses"), py::arg("tangents"), py::arg("out").noconvert(),
             "Write the derivatives (T, V, 3) along tangents (T, C).")
        .def("jacobian", &jacobian, py::arg("poses"), py::arg("out").noconvert(), "Write the Jacobians (T, 3 V, C).")
        .def("restricted", &restricted, py::arg("vertices"), "The model of the vertices (M,) only, on the device.")
        .def_property_readonly("num_bytes", &ResidentModel::num_bytes,
                               "Bytes of the model's constants on the device, without working memory.")
        .def("milliseconds", &milliseconds, py::arg("poses"), py::arg("batch"), py::arg("repeats"),
             py::arg("detail") = py::none(),
             "Device time in milliseconds of each of `repeats` evaluations of `batch` frames, without copies.");
    module.def("factory", &make_for_core, py::arg("model").none(false), py::arg("function"),
               "A ResidentModel for ``rigcast._core.set_device_factory``; errors name the function.");
}

}  // namespace rigcast::bindings
