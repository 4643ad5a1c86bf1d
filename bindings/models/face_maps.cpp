#include "rigcast/face/maps/face_maps.h"

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/pieces.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/device/device_calls.h"
#include "rigcast/network/model_storage.h"

namespace rigcast::bindings {

namespace {

using face::FaceMaps;

std::string face_maps_line(const py::object& self) {
    const auto& model = self.cast<const FaceMaps&>();
    const rig::Character& character = model.character();
    const std::int64_t joints = character.skeleton.num_joints();
    const auto segments = static_cast<std::int64_t>(model.segments().size()) - model.num_refinements();
    return model_line(
        self, {counted(joints, "joint", "joints"),
               counted(character.num_controls() - 12 * joints, "numeric control", "numeric controls"),
               counted(character.num_vertices(), "vertex", "vertices"), counted(segments, "segment", "segments"),
               counted(model.num_refinements(), "refinement", "refinements"),
               counted(static_cast<std::int64_t>(model.parts().size()), "rigid part", "rigid parts")});
}

constexpr const char* name_of_detail = "evaluate_detail";

/// Detail (R,) as (1, R), or (T, R).
Array<float> as_detail(const char* function, const ArrayLike& detail) {
    constexpr const char* shapes = "numbers (R,) or (T, R)";
    const py::array any = py::array::ensure(detail);
    if (!any) PyErr_Clear();
    if (!any || any.ndim() != 1) return as_array<float, 2>(function, "detail", detail, shapes);
    const Array<float> row = as_array<float, 1>(function, "detail", detail, shapes);
    return Array<float>({py::ssize_t{1}, row.shape(0)}, row.data());
}

Array<float> evaluate_detail(const py::object& self, const ArrayLike& poses, const ArrayLike& detail,
                             const std::string& device, const IntLike& threads, const OutputArray& out) {
    const auto& model = self.cast<const FaceMaps&>();
    const int num_threads = thread_count(name_of_detail, threads);
    const Array<float> factors = as_detail(name_of_detail, detail);
    const auto values = view<float, 2>(factors);
    if (is_on_device(name_of_detail, poses)) {
        return evaluate_from_device(self, device, poses, out, {.detail = factors});
    }
    const auto [input, single] = as_poses(name_of_detail, poses);
    Array<float> output = output_array(model, input, single, out);
    const auto in = view<float, 2>(input);
    const View<float, 3> vertices(output.mutable_data(), {in.extent(0), model.character().num_vertices(), 3});
    if (device != "cpu") {
        model.check_poses(name_of_detail, in);
        face::check_detail(name_of_detail, values, in.extent(0), model.num_refinements());
        evaluate_on(self, device, input, vertices, output, {.detail = factors});
        return output;
    }
    const ReleasedGil released;
    const std::int64_t size = 12 * model.character().num_vertices();
    if (in.extent(0) <= frames_of_piece(size) || values.extent(0) != in.extent(0)) {
        model.evaluate_detail(in, values, vertices, num_threads);
        return output;
    }
    model.check_poses(name_of_detail, in);
    face::check_detail(name_of_detail, values, in.extent(0), model.num_refinements());
    in_pieces(in.extent(0), size, [&](std::int64_t begin, std::int64_t count) {
        model.evaluate_detail(some_rows(in, begin, count), some_rows(values, begin, count),
                              some_rows(vertices, begin, count), num_threads);
    });
    return output;
}

DeviceArrayResult evaluate_detail_on_device(const py::object& self, const ArrayLike& poses, const ArrayLike& detail,
                                            const std::string& device) {
    return evaluate_to_device(self, device, poses, {.detail = as_detail("evaluate_detail_on_device", detail)});
}

constexpr const char* about = R"(A face on deformation maps: networks of segments draw maps that vertices sample.

``detail`` is the quality at run time: one number in [0, 1] per refinement segment, which multiplies what the segment
adds. At 0 it is skipped and costs nothing, so a detail that fades to 0 before it stays there never pops.)";

constexpr const char* evaluate_detail_text = R"(Vertices with less detail: refinement segments multiplied by numbers.

Parameters
----------
poses : (T, C) or (C,)
    On a device also a contiguous float32 array there, whose values are not checked.
detail : (R,) or (T, R)
    For each refinement segment a number in [0, 1], the same for all frames or one row per frame. 1 everywhere gives
    the bytes of ``evaluate``; a segment at 0 is skipped.
device : str
    ``"cpu"`` or another of ``rigcast.devices()``.
threads : int
    0: all processors. The result does not depend on it.
out : (T, V, 3) or (V, 3) float32, optional
    An array to write into.

Returns
-------
(T, V, 3), or (V, 3) of one pose

Raises
------
ValueError
    As ``evaluate``, and if ``detail`` has a wrong shape or a value outside of [0, 1].
)";

constexpr const char* stored_maps_text = R"(The same model with another storage of its dense layers' weights.

Parameters
----------
storage : str
    ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
    ``"float32"``: as in the file, which always has float32. Convolutions, a small share of the bytes, stay float32.

Returns
-------
FaceMaps
    Its ``storage_error`` is the largest error of a weight. After saving, it loads with the same storage.

Raises
------
ValueError
    If the storage is neither of these.
)";

}  // namespace

void bind_face_maps(py::module_& module) {
    py::class_<FaceMaps, rig::Deformer, std::shared_ptr<FaceMaps>>(module, "FaceMaps", about)
        .def_property_readonly(
            "num_segments", [](const FaceMaps& m) { return m.segments().size(); },
            "Number of segments, coarse ones and refinements.")
        .def_property_readonly("num_refinements", &FaceMaps::num_refinements, "R, the number of refinement segments.")
        .def_property_readonly(
            "num_parts", [](const FaceMaps& m) { return m.parts().size(); }, "Number of rigid parts.")
        .def_property_readonly(
            "storage", [](const FaceMaps& m) { return network::network_storage(*m.character().tensors); },
            "How weights of dense layers are stored in memory: \"float32\" or \"16-bit\".")
        .def_property_readonly("storage_error", &FaceMaps::storage_error,
                               "The largest difference of a stored weight from that of the file; 0 for float32.")
        .def_property_readonly("num_bytes", &FaceMaps::num_bytes, "Bytes of the constants that an evaluation reads.")
        .def("multiply_adds", &FaceMaps::multiply_adds, py::arg("all_texels") = false,
             "Products per evaluation: of the texels that vertices need, or of all texels of all maps.")
        .def("evaluate_detail", &evaluate_detail, py::arg("poses"), py::arg("detail"), py::arg("device") = "cpu",
             py::kw_only(), py::arg("threads") = 0, py::arg("out") = py::none(), evaluate_detail_text)
        .def("evaluate_detail_on_device", &evaluate_detail_on_device, py::arg("poses"), py::arg("detail"),
             py::arg("device"),
             "The vertices of ``evaluate_detail`` in an array that stays on the device: see ``evaluate_on_device``.")
        .def("stored", &FaceMaps::stored, py::arg("storage"), py::call_guard<ReleasedGil>(), stored_maps_text)
        .def("__repr__", &face_maps_line);
}

}  // namespace rigcast::bindings
