#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/pieces.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/tensors.h"
#include "bindings/device/device_calls.h"
#include "bindings/models/channels.h"
#include "bindings/models/rig_texts.h"
#include "bindings/models/surface.h"
#include "rigcast/core/check.h"
#include "rigcast/rig/channels/skeleton.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/skinning/rigid_assignment.h"
#include "rigcast/rig/stated/error_bound.h"

namespace rigcast::bindings {
namespace {

using rig::Deformer;
using rig::Skeleton;

Array<float> skeleton_globals(const Skeleton& skeleton, const ArrayLike& poses) {
    const Array<float> input = as_array<float, 2>("globals", "poses", poses, "an array of numbers (T, C)");
    const py::ssize_t width = 12 * skeleton.num_joints();
    if (input.shape(1) < width) {
        throw bad_argument("globals", "poses", describe(input), "at least " + std::to_string(width) + " wide");
    }
    Array<float> output({input.shape(0), py::ssize_t{skeleton.num_joints()}, py::ssize_t{3}, py::ssize_t{4}});
    const auto in = view<float, 2>(input);
    const auto out = writable<float, 4>(output);
    const ReleasedGil released;
    check_finite("globals", "poses", in);
    for (std::int64_t t = 0; t < in.extent(0); ++t) {
        check_interruption();
        skeleton.globals(in.row(t), out.row(t));
    }
    return output;
}

Array<float> evaluate(const py::object& self, const ArrayLike& poses, const std::string& device, const IntLike& threads,
                      const OutputArray& out) {
    const Deformer& model = self.cast<const Deformer&>();
    const int num_threads = thread_count("evaluate", threads);
    if (is_on_device("evaluate", poses)) return evaluate_from_device(self, device, poses, out);
    const auto [input, single] = as_poses("evaluate", poses);
    Array<float> output = output_array(model, input, single, out);
    const auto in = view<float, 2>(input);
    const View<float, 3> result(output.mutable_data(), {in.extent(0), model.character().num_vertices(), 3});
    if (device != "cpu") {
        model.check_poses("evaluate", in);
        evaluate_on(self, device, input, result, output);
        return output;
    }
    const ReleasedGil released;
    const std::int64_t size = 12 * model.character().num_vertices();
    if (in.extent(0) <= frames_of_piece(size)) {
        model.evaluate(in, result, num_threads);
        return output;
    }
    model.check_poses("evaluate", in);  // so that an error names the row of the whole
    in_pieces(in.extent(0), size, [&](std::int64_t begin, std::int64_t count) {
        model.evaluate(some_rows(in, begin, count), some_rows(result, begin, count), num_threads);
    });
    return output;
}

Array<float> vjp(const Deformer& model, const ArrayLike& poses, const ArrayLike& cotangents, const IntLike& threads) {
    const int num_threads = thread_count("vjp", threads);
    const auto [input, single] = as_poses("vjp", poses);
    Array<float> cotangent = single ? as_array<float, 2>("vjp", "cotangents", cotangents, "an array (V, 3)")
                                    : as_array<float, 3>("vjp", "cotangents", cotangents, "an array (T, V, 3)");
    const py::ssize_t offset = single ? 0 : 1;
    const View<const float, 3> seeds(
        cotangent.data(), {single ? 1 : cotangent.shape(0), cotangent.shape(offset), cotangent.shape(offset + 1)});
    std::vector<py::ssize_t> shape{input.shape(0), input.shape(1)};
    if (single) shape.erase(shape.begin());
    Array<float> output(shape);
    const auto in = view<float, 2>(input);
    const View<float, 2> gradients(output.mutable_data(), in.extents());
    const ReleasedGil released;
    const std::int64_t size = 12 * model.character().num_vertices();
    if (in.extent(0) <= frames_of_piece(size) || seeds.extent(0) != in.extent(0)) {
        model.vjp(in, seeds, gradients, num_threads);
        return output;
    }
    model.check_poses("vjp", in);
    check_finite("vjp", "cotangents", seeds);
    in_pieces(in.extent(0), size, [&](std::int64_t begin, std::int64_t count) {
        model.vjp(some_rows(in, begin, count), some_rows(seeds, begin, count), some_rows(gradients, begin, count),
                  num_threads);
    });
    return output;
}

Array<float> confidence(const Deformer& model, const ArrayLike& poses) {
    const auto [input, single] = as_poses("confidence", poses);
    Array<float> output(input.shape(0));
    const auto in = view<float, 2>(input);
    const View<float, 1> result(output.mutable_data(), {in.extent(0)});
    const ReleasedGil released;
    model.confidence(in, result);
    return output;
}

Array<float> error_bound(const Deformer& model, const ArrayLike& poses, const IntLike& threads) {
    const int num_threads = thread_count("error_bound", threads);
    const auto [input, single] = as_poses("error_bound", poses);
    std::vector<py::ssize_t> shape{input.shape(0), py::ssize_t{model.character().num_vertices()}};
    if (single) shape.erase(shape.begin());
    Array<float> output(shape);
    const auto in = view<float, 2>(input);
    const View<float, 2> bounds(output.mutable_data(), {in.extent(0), model.character().num_vertices()});
    const ReleasedGil released;
    rig::error_bound(model, in, bounds, num_threads);
    return output;
}

py::array out_of_range(const Deformer& model, const ArrayLike& poses) {
    const auto [input, single] = as_poses("out_of_range", poses);
    Array<bool> output(input.shape(0));
    const auto in = view<float, 2>(input);
    const View<bool, 1> flags(output.mutable_data(), {in.extent(0)});
    const ReleasedGil released;
    model.out_of_range(in, flags);
    return output;
}

/// What a notebook shows: the joints and their parents.
std::string skeleton_table(const Skeleton& skeleton) {
    const auto escaped = [escape = py::module_::import("html").attr("escape")](const std::string& name) {
        return escape(name).cast<std::string>();
    };
    std::string rows = "<tr><th>joint</th><th>parent</th></tr>";
    for (std::size_t j = 0; j < skeleton.names().size(); ++j) {
        const std::int32_t parent = skeleton.parents()[j];
        rows += "<tr><td>" + escaped(skeleton.names()[j]) + "</td><td>" +
                (parent < 0 ? "" : escaped(skeleton.names()[parent])) + "</td></tr>";
    }
    return "<table><caption>rigcast.Skeleton</caption>" + rows + "</table>";
}

void bind_skeleton(py::module_& module) {
    py::class_<Skeleton, std::shared_ptr<Skeleton>>(module, "Skeleton", text::skeleton)
        .def(py::init([](const NamesLike& names, const ArrayLike& parents, const ArrayLike& rest) {
                 const auto p = as_indices("Skeleton", "parents", parents);
                 const auto r = as_array<float, 3>("Skeleton", "rest", rest, "numbers (J, 3, 4)");
                 return std::make_shared<Skeleton>(as_names("Skeleton", "names", names),
                                                   std::vector<std::int32_t>(p.data(), p.data() + p.size()),
                                                   view<float, 3>(r));
             }),
             py::arg("names"), py::arg("parents"), py::arg("rest"))
        .def_property_readonly("num_joints", &Skeleton::num_joints, "J.")
        .def_property_readonly("names", &Skeleton::names, "Names of the J joints.")
        .def_property_readonly(
            "parents",
            [](const Skeleton& s) {
                return Array<std::int32_t>(static_cast<py::ssize_t>(s.parents().size()), s.parents().data());
            },
            "(J,) int32: the parent of each joint, -1 for a root.")
        .def_property_readonly(
            "rest", [](const Skeleton& s) { return copy(s.rest()); },
            "(J, 3, 4) float32: parent-relative rest transforms.")
        .def_property_readonly(
            "rest_globals", [](const Skeleton& s) { return copy(s.rest_globals()); },
            "(J, 3, 4) float32: global rest transforms.")
        .def("__repr__",
             [](const Skeleton& s) { return "<rigcast.Skeleton: " + counted(s.num_joints(), "joint", "joints") + ">"; })
        .def("_repr_html_", &skeleton_table, "What a notebook shows.")
        .def("globals", &skeleton_globals, py::arg("poses"), text::skeleton_globals)
        .def(py::pickle([](const Skeleton& s) { return py::make_tuple(s.names(), s.parents(), copy(s.rest())); },
                        [](const py::tuple& state) {
                            const auto rest = state[2].cast<Array<float>>();
                            return std::make_shared<Skeleton>(state[0].cast<std::vector<std::string>>(),
                                                              state[1].cast<std::vector<std::int32_t>>(),
                                                              view<float, 3>(rest));
                        }));
}

Array<double> rigid_errors(const Skeleton& skeleton, const ArrayLike& rest_vertices, const ArrayLike& poses,
                           const ArrayLike& vertices, const IntLike& threads) {
    const int num_threads = thread_count("rigid_errors", threads);
    const auto rest = as_array<float, 2>("rigid_errors", "rest_vertices", rest_vertices, "numbers (V, 3)");
    const auto pose = as_array<float, 2>("rigid_errors", "poses", poses, "numbers (T, C)");
    const auto samples = as_array<float, 3>("rigid_errors", "vertices", vertices, "numbers (T, V, 3)");
    Array<double> errors({rest.shape(0), py::ssize_t{skeleton.num_joints()}});
    const auto out = writable<double, 2>(errors);
    const ReleasedGil released;
    rig::rigid_errors(skeleton, view<float, 2>(rest), view<float, 2>(pose), view<float, 3>(samples), out, num_threads);
    return errors;
}

py::dict metadata(const Deformer& model) {
    return py::module_::import("json").attr("loads")(model.character().tensors->metadata_text());
}

std::string deformer_line(const py::object& self) {
    const rig::Character& character = self.cast<const Deformer&>().character();
    const std::int64_t joints = character.skeleton.num_joints();
    return model_line(self, {counted(joints, "joint", "joints"),
                             counted(character.num_controls() - 12 * joints, "numeric control", "numeric controls"),
                             counted(character.num_vertices(), "vertex", "vertices")});
}

void bind_deformer(py::module_& module) {
    py::class_<Deformer, std::shared_ptr<Deformer>> model(module, "Deformer", text::deformer);
    add_channels(model);
    add_surface(model);
    model
        .def_property_readonly(
            "kind", [](const Deformer& m) { return m.character().kind; },
            "\"body\", \"blendshape\", \"linear_blend\", \"dual_quaternion\" or \"delta_mush\".")
        .def_property_readonly("metadata", &metadata, "The metadata of the model file, as a dict.")
        .def_property_readonly(
            "joint_names", [](const Deformer& m) { return m.character().skeleton.names(); },
            "Names of the J joints; empty for blendshapes.")
        .def_property_readonly(
            "control_names", [](const Deformer& m) { return m.character().control_names; },
            "Names of the C columns of a pose.")
        .def_property_readonly(
            "control_ranges", [](const Deformer& m) { return copy(m.character().control_ranges); },
            "(C, 2) float32: lowest and highest value of each column in training; bounds of a blendshape rig's "
            "weights.")
        .def_property_readonly(
            "rest_vertices", [](const Deformer& m) { return copy(m.character().rest_vertices); },
            "(V, 3) float32: the rest pose.")
        .def_property_readonly(
            "num_vertices", [](const Deformer& m) { return m.character().num_vertices(); }, "V.")
        .def_property_readonly(
            "faces", [](const Deformer& m) { return copy(m.character().faces); }, "(F, 4) int32: -1 pads triangles.")
        .def_property_readonly(
            "skeleton",
            [](const Deformer& m) {
                const Skeleton& skeleton = m.character().skeleton;
                return skeleton.num_joints() == 0 ? nullptr : std::make_shared<Skeleton>(skeleton);
            },
            "The joints; None for a model without joints (blendshapes).")
        .def_property_readonly(
            "meters_per_unit",
            [](const Deformer& m) { return m.character().tensors->metadata().number("meters_per_unit"); },
            "Length of the model's unit in meters.")
        .def_property_readonly(
            "up_axis", [](const Deformer& m) { return m.character().tensors->metadata().text("up_axis"); },
            "\"X\", \"Y\" or \"Z\".")
        .def(
            "tensors", [](const Deformer& m) { return to_arrays(*m.character().tensors); },
            "All tensors of the model by name, copied.")
        .def("evaluate", &evaluate, py::arg("poses"), py::arg("device") = "cpu", py::kw_only(), py::arg("threads") = 0,
             py::arg("out") = py::none(), text::evaluate)
        .def(
            "evaluate_on_device",
            [](const py::object& self, const ArrayLike& poses, const std::string& device) {
                return evaluate_to_device(self, device, poses);
            },
            py::arg("poses"), py::arg("device"), text::evaluate_on_device)
        .def("vjp", &vjp, py::arg("poses"), py::arg("cotangents"), py::kw_only(), py::arg("threads") = 0, text::vjp)
        .def("confidence", &confidence, py::arg("poses"), text::confidence)
        .def("error_bound", &error_bound, py::arg("poses"), py::kw_only(), py::arg("threads") = 0, text::error_bound)
        .def("out_of_range", &out_of_range, py::arg("poses"), text::out_of_range)
        .def(
            "save", [](const Deformer& m, const std::filesystem::path& path) { m.save(path.string()); },
            py::arg("path"), py::call_guard<ReleasedGil>(), text::save)
        .def("__repr__", &deformer_line)
        .def("_repr_html_", &model_table, "What a notebook shows.")
        .def(
            "__reduce__",
            [](const py::object& self) {
                const TensorFile& tensors = *self.cast<const Deformer&>().character().tensors;
                const py::object make = py::module_::import("rigcast._core").attr("model_from_tensors");
                return py::make_tuple(make, py::make_tuple(to_arrays(tensors), tensors.metadata_text()));
            },
            "For pickle and copy: the tensors and metadata of the model's file.");
}

}  // namespace

void bind_rig(py::module_& module) {
    bind_skeleton(module);
    bind_deformer(module);
    module.def("rigid_errors", &rigid_errors, py::arg("skeleton"), py::arg("rest_vertices"), py::arg("poses"),
               py::arg("vertices"), py::arg("threads") = 0,
               "(V, J) float64: sum over T frames of |G_j (G_j^0)^-1 v_k^0 - v_k|^2, the squared error of attaching\n"
               "vertex k rigidly to joint j (Bailey et al. 2018, section 3.1.1).\n"
               "rest_vertices (V, 3), poses (T, C), vertices (T, V, 3). ValueError if shapes do not match.");
}

}  // namespace rigcast::bindings
