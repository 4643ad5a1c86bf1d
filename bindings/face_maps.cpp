#include "rigwright/face/maps/face_maps.h"

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/scalars.h"
#include "rigwright/network/model_storage.h"

namespace rigwright::bindings {

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

Array<float> evaluate_detail(const FaceMaps& model, const ArrayLike& poses, const ArrayLike& detail,
                             const IntLike& threads, const OutputArray& out) {
    constexpr const char* name = "evaluate_detail";
    const int num_threads = thread_count(name, threads);
    const auto [input, single] = as_poses(name, poses);
    const py::array any = py::array::ensure(detail);
    if (!any) PyErr_Clear();
    const bool alike = any && any.ndim() == 1;
    Array<float> factors = alike ? as_array<float, 1>(name, "detail", detail, "numbers (R,) or (T, R)")
                                 : as_array<float, 2>(name, "detail", detail, "numbers (R,) or (T, R)");
    const View<const float, 2> values(factors.data(), {alike ? 1 : factors.shape(0), factors.shape(alike ? 0 : 1)});
    Array<float> output = output_array(model, input, single, out);
    const auto in = view<float, 2>(input);
    const View<float, 3> vertices(output.mutable_data(), {in.extent(0), model.character().num_vertices(), 3});
    const py::gil_scoped_release released;
    model.evaluate_detail(in, values, vertices, num_threads);
    return output;
}

constexpr const char* about = R"(A face on deformation maps: networks of segments draw maps that vertices sample.

``detail`` is the quality at run time: one number in [0, 1] per refinement segment, which multiplies what the segment
adds. At 0 it is skipped and costs nothing, so a detail that fades to 0 before it stays there never pops.)";

constexpr const char* evaluate_detail_text = R"(Vertices with less detail: refinement segments multiplied by numbers.

Parameters
----------
poses : (T, C) or (C,)
detail : (R,) or (T, R)
    For each refinement segment a number in [0, 1], the same for all frames or one row per frame. 1 everywhere gives
    the bytes of ``evaluate``; a segment at 0 is skipped.
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

constexpr const char* stored_text = R"(The same model with another storage of its dense layers' weights.

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
        .def("evaluate_detail", &evaluate_detail, py::arg("poses"), py::arg("detail"), py::kw_only(),
             py::arg("threads") = 0, py::arg("out") = py::none(), evaluate_detail_text)
        .def("stored", &FaceMaps::stored, py::arg("storage"), py::call_guard<py::gil_scoped_release>(), stored_text)
        .def("__repr__", &face_maps_line);
}

}  // namespace rigwright::bindings
