#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "bindings/channels.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/tensors.h"
#include "bindings/device/device_calls.h"
#include "rigwright/core/check.h"
#include "rigwright/rig/deformer.h"
#include "rigwright/rig/skeleton.h"
#include "rigwright/rig/skinning/rigid_assignment.h"

namespace rigwright::bindings {
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
    const py::gil_scoped_release released;
    check_finite("globals", "poses", in);
    for (std::int64_t t = 0; t < in.extent(0); ++t) skeleton.globals(in.row(t), out.row(t));
    return output;
}

Array<float> evaluate(const py::object& self, const ArrayLike& poses, const std::string& device, const IntLike& threads,
                      const OutputArray& out) {
    const Deformer& model = self.cast<const Deformer&>();
    const int num_threads = thread_count("evaluate", threads);
    if (device != "cpu" && is_on_device(poses)) return evaluate_from_device(self, device, poses, out);
    const auto [input, single] = as_poses("evaluate", poses);
    Array<float> output = output_array(model, input, single, out);
    const auto in = view<float, 2>(input);
    const View<float, 3> result(output.mutable_data(), {in.extent(0), model.character().num_vertices(), 3});
    if (device != "cpu") {
        model.check_poses("evaluate", in);
        evaluate_on(self, device, input, result, output);
        return output;
    }
    const py::gil_scoped_release released;
    model.evaluate(in, result, num_threads);
    return output;
}

HostOrDeviceArray evaluate_with_output(const py::object& self, const ArrayLike& poses, const std::string& device,
                                       const std::string& output, const IntLike& threads, const OutputArray& out) {
    thread_count("evaluate", threads);  // a wrong number is refused on a device, too
    if (!stays_on_device(output)) return evaluate(self, poses, device, threads, out);
    return evaluate_to_device(self, device, poses, out);
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
    const py::gil_scoped_release released;
    model.vjp(in, seeds, gradients, num_threads);
    return output;
}

Array<float> confidence(const Deformer& model, const ArrayLike& poses) {
    const auto [input, single] = as_poses("confidence", poses);
    Array<float> output(input.shape(0));
    const auto in = view<float, 2>(input);
    const View<float, 1> result(output.mutable_data(), {in.extent(0)});
    const py::gil_scoped_release released;
    model.confidence(in, result);
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
    return "<table><caption>rigwright.Skeleton</caption>" + rows + "</table>";
}

void bind_skeleton(py::module_& module) {
    py::class_<Skeleton, std::shared_ptr<Skeleton>>(
        module, "Skeleton",
        "A tree of J joints: names, parents (-1 for a root; parents come first) and rest transforms.\n"
        "\n"
        "Examples\n"
        "--------\n"
        ">>> rest = np.tile(np.eye(3, 4), (2, 1, 1))  # (J, 3, 4), parent-relative\n"
        ">>> rest[1, 1, 3] = 0.5  # the child lies 0.5 above its parent\n"
        ">>> skeleton = rw.Skeleton([\"upper\", \"lower\"], [-1, 0], rest)\n"
        ">>> skeleton.globals(rest.reshape(1, -1))[0, 1, :, 3].tolist()\n"
        "[0.0, 0.5, 0.0]")
        .def(py::init([](const NamesLike& names, const ArrayLike& parents, const ArrayLike& rest) {
                 const auto p = as_indices("Skeleton", "parents", parents);
                 const auto r = as_array<float, 3>("Skeleton", "rest", rest, "numbers (J, 3, 4)");
                 return std::make_shared<Skeleton>(as_names("Skeleton", "names", names),
                                                   std::vector<std::int32_t>(p.data(), p.data() + p.size()),
                                                   view<float, 3>(r));
             }),
             py::arg("names"), py::arg("parents"), py::arg("rest"),
             "Make a skeleton from J names, J parents and parent-relative rest transforms (J, 3, 4).")
        .def_property_readonly("num_joints", &Skeleton::num_joints)
        .def_property_readonly("names", &Skeleton::names)
        .def_property_readonly(
            "parents",
            [](const Skeleton& s) {
                return Array<std::int32_t>(static_cast<py::ssize_t>(s.parents().size()), s.parents().data());
            },
            "(J,) int32")
        .def_property_readonly(
            "rest", [](const Skeleton& s) { return copy(s.rest()); }, "(J, 3, 4) parent-relative rest transforms")
        .def_property_readonly(
            "rest_globals", [](const Skeleton& s) { return copy(s.rest_globals()); },
            "(J, 3, 4) global rest transforms")
        .def("__repr__",
             [](const Skeleton& s) {
                 return "<rigwright.Skeleton: " + counted(s.num_joints(), "joint", "joints") + ">";
             })
        .def("_repr_html_", &skeleton_table, "What a notebook shows.")
        .def("globals", &skeleton_globals, py::arg("poses"), "Global transforms (T, J, 3, 4) of poses (T, C).")
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
    const py::gil_scoped_release released;
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
    py::class_<Deformer, std::shared_ptr<Deformer>> model(
        module, "Deformer",
        "A forward model: maps poses (T, C) to vertices (T, V, 3). Immutable and thread-safe.\n"
        "\n"
        "Examples\n"
        "--------\n"
        ">>> face = rw.faces.example()  # every model and blendshape rig is a Deformer\n"
        ">>> poses = np.full((2, face.num_shapes), 0.5, np.float32)\n"
        ">>> vertices = face.evaluate(poses)\n"
        ">>> face.vjp(poses, np.ones_like(vertices)).shape\n"
        "(2, 22)\n"
        ">>> face.restricted([3, 17]).jacobian(poses).shape\n"
        "(2, 6, 22)\n"
        ">>> face.save(\"face.safetensors\")\n"
        ">>> bool(np.array_equal(rw.load(\"face.safetensors\").evaluate(poses), vertices))\n"
        "True");
    add_channels(model);
    model.def_property_readonly("kind", [](const Deformer& m) { return m.character().kind; })
        .def_property_readonly("metadata", &metadata, "The metadata of the model file, as a dict.")
        .def_property_readonly("joint_names", [](const Deformer& m) { return m.character().skeleton.names(); })
        .def_property_readonly(
            "control_names", [](const Deformer& m) { return m.character().control_names; },
            "Names of the C columns of a pose.")
        .def_property_readonly(
            "control_ranges", [](const Deformer& m) { return copy(m.character().control_ranges); },
            "(C, 2) lowest and highest values in the training data")
        .def_property_readonly(
            "rest_vertices", [](const Deformer& m) { return copy(m.character().rest_vertices); }, "(V, 3)")
        .def_property_readonly(
            "faces", [](const Deformer& m) { return copy(m.character().faces); }, "(F, 4) int32, -1 pads triangles")
        .def_property_readonly(
            "skeleton",
            [](const Deformer& m) {
                const Skeleton& skeleton = m.character().skeleton;
                return skeleton.num_joints() == 0 ? nullptr : std::make_shared<Skeleton>(skeleton);
            },
            "The joints; None for a model without joints (blendshapes).")
        .def_property_readonly(
            "meters_per_unit",
            [](const Deformer& m) { return m.character().tensors->metadata().number("meters_per_unit"); })
        .def_property_readonly("up_axis",
                               [](const Deformer& m) { return m.character().tensors->metadata().text("up_axis"); })
        .def(
            "tensors", [](const Deformer& m) { return to_arrays(*m.character().tensors); },
            "All tensors of the model by name, copied.")
        .def(
            "evaluate", &evaluate, py::arg("poses"), py::arg("device") = "cpu", py::kw_only(), py::arg("threads") = 0,
            py::arg("out") = py::none(),
            "Vertices (T, V, 3) of poses (T, C), or (V, 3) of one pose (C,). threads 0: all processors.\n"
            "out: a float32 array to write into. device: \"cpu\", or for kinds \"body\" and \"blendshape\" another of\n"
            "rigwright.devices(); then poses may also be a float32 array on that device (DLPack or\n"
            "__cuda_array_interface__), whose values are not checked. ValueError if the width is wrong, a value is "
            "not\n"
            "finite or too large, or the device does not work on this machine.")
        .def("evaluate", &evaluate_with_output, py::arg("poses"), py::arg("device") = "cpu", py::kw_only(),
             py::arg("output"), py::arg("threads") = 0, py::arg("out") = py::none(),
             "The same; output \"device\" leaves the vertices on the device, in an array with DLPack and\n"
             "__cuda_array_interface__ that is complete when the call returns; \"host\" returns a NumPy array.")
        .def("vjp", &vjp, py::arg("poses"), py::arg("cotangents"), py::kw_only(), py::arg("threads") = 0,
             "J^T cotangents: the gradient (T, C) of sum(vertices * cotangents) with respect to the poses.\n"
             "threads 0: all processors. ValueError if a shape is wrong, a value is not finite or too large, or a\n"
             "gradient overflows float32.")
        .def("confidence", &confidence, py::arg("poses"),
             "(T,) in [0, 1]: 1 inside the distribution of the training poses, 1/2 at a quarter of its radius outside.")
        .def(
            "save", [](const Deformer& m, const std::filesystem::path& path) { m.save(path.string()); },
            py::arg("path"), py::call_guard<py::gil_scoped_release>(), "Write the model file, atomically.")
        .def("__repr__", &deformer_line)
        .def("_repr_html_", &model_table, "What a notebook shows.")
        .def(
            "__reduce__",
            [](const py::object& self) {
                const TensorFile& tensors = *self.cast<const Deformer&>().character().tensors;
                const py::object make = py::module_::import("rigwright._core").attr("model_from_tensors");
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

}  // namespace rigwright::bindings
