#include <pybind11/stl.h>

#include <algorithm>

#include "bindings/bindings.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/device/device_calls.h"
#include "rigcast/core/check.h"
#include "rigcast/rig/blendshapes/blendshape_build.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::bindings {
namespace {

using rig::BlendshapeRig;
using Rig = std::shared_ptr<BlendshapeRig>;

/// The drivers of each combination from rigcast._blendshapes.Dense.
std::vector<rig::Combination> read_combinations(const py::object& dense) {
    const auto offset = as_indices("BlendshapeRig", "factor_offset", dense.attr("factor_offset"));
    const auto shape = as_indices("BlendshapeRig", "factor_shape", dense.attr("factor_shape"));
    const auto tent = as_array<float, 2>("BlendshapeRig", "factor_tent", dense.attr("factor_tent"), "numbers (M, 3)");
    const auto points = view<float, 2>(tent);
    std::vector<rig::Combination> combinations;
    for (const py::handle correction : dense.attr("corrections")) {
        const auto delta = as_array<float, 2>("BlendshapeRig", "corrections", correction, "numbers (V, 3)");
        rig::Combination& combination = combinations.emplace_back();
        combination.delta = view<float, 2>(delta);  // `dense` owns the array
        const auto c = static_cast<py::ssize_t>(combinations.size());
        for (std::int32_t i = offset.at(c - 1); i < offset.at(c); ++i) {
            const float* x = points.row(i);
            const bool is_tent = std::any_of(x, x + 3, [](float y) { return y != 0.0f; });
            combination.drivers.push_back({shape.at(i), is_tent, {x[0], x[1], x[2]}});
        }
    }
    return combinations;
}

/// Python reads the arguments (rigcast.blendshapes.dense): there a combination is a tuple.
Rig make_rig(const ArrayLike& neutral, const ArrayLike& deltas, const CombinationsLike& combinations,
             const OptionalNames& names, const ArrayLike& bounds, const OptionalArray& faces, const TextLike& storage,
             const OptionalMetadata& metadata) {
    const py::object dense = py::module_::import("rigcast._blendshapes")
                                 .attr("dense")(neutral, deltas, combinations, names, bounds, faces, storage, metadata);
    constexpr const char* name = "BlendshapeRig";
    const auto vertices = as_array<float, 2>(name, "neutral", dense.attr("neutral"), "numbers (V, 3)");
    const auto shapes = as_array<float, 3>(name, "deltas", dense.attr("deltas"), "numbers (K, V, 3)");
    const auto ranges = as_array<float, 2>(name, "bounds", dense.attr("bounds"), "numbers (K, 2)");
    const auto corners = as_array<std::int32_t, 2>(name, "faces", dense.attr("faces"), "integers (F, 4)");
    const rig::DenseBlendshapes arrays{view<float, 2>(vertices), view<float, 3>(shapes), read_combinations(dense),
                                       view<float, 2>(ranges), view<std::int32_t, 2>(corners)};
    const auto kind = dense.attr("is_int16").cast<bool>() ? rig::DeltaStorage::int16 : rig::DeltaStorage::float32;
    const auto text = dense.attr("metadata").cast<std::string>();
    const ReleasedGil released;
    TensorFile tensors = rig::blendshape_tensors(arrays, kind);
    tensors.set_metadata(text, name);
    return std::make_shared<BlendshapeRig>(std::make_shared<const TensorFile>(std::move(tensors)));
}

/// Lengths (T,) from one number for all frames or one per frame.
Array<std::int32_t> prefix_lengths(const char* function, const OptionalArray& prefix, py::ssize_t frames) {
    const py::array any = py::array::ensure(prefix);
    if (!any || any.ndim() != 0) return as_indices(function, "prefix", prefix);
    const py::array one(any.attr("reshape")(1));
    const auto length = as_indices(function, "prefix", one);
    Array<std::int32_t> lengths(frames);
    std::fill_n(lengths.mutable_data(), frames, length.at(0));
    return lengths;
}

Array<std::int32_t> as_order(const char* function, const OptionalArray& order, std::int64_t shapes) {
    if (!order.is_none()) return as_indices(function, "order", order);
    Array<std::int32_t> ascending(shapes);
    for (std::int32_t k = 0; k < shapes; ++k) ascending.mutable_at(k) = k;
    return ascending;
}

void check_prefix_is_given(const char* function, const OptionalArray& order, const OptionalArray& prefix) {
    if (!prefix.is_none() || order.is_none()) return;
    throw bad_argument(function, "prefix", "None", "a number of shapes if an order is given");
}

/// The prefix of weights that may be on a device.
ChoiceObjects prefix_objects(const char* function, const BlendshapeRig& model, const OptionalArray& order,
                             const OptionalArray& prefix, const ArrayLike& weights) {
    check_prefix_is_given(function, order, prefix);
    if (prefix.is_none()) return {};
    const auto shape =
        (py::hasattr(weights, "shape") ? weights.attr("shape") : py::module_::import("numpy").attr("shape")(weights))
            .cast<std::vector<py::ssize_t>>();
    const py::ssize_t frames = shape.size() == 2 ? shape[0] : 1;
    return {as_order(function, order, model.num_shapes()), prefix_lengths(function, prefix, frames)};
}

Array<float> evaluate(const py::object& self, const ArrayLike& weights, const std::string& device,
                      const IntLike& threads, const OutputArray& out, const OptionalArray& order,
                      const OptionalArray& prefix) {
    const auto& model = self.cast<const BlendshapeRig&>();
    const int num_threads = thread_count("evaluate", threads);
    if (is_on_device("evaluate", weights)) {
        const ChoiceObjects choices = prefix_objects("evaluate", model, order, prefix, weights);
        return evaluate_from_device(self, device, weights, out, choices);
    }
    check_prefix_is_given("evaluate", order, prefix);
    const auto [input, single] = as_poses("evaluate", weights, "weights");
    const auto in = view<float, 2>(input);
    model.check_poses("evaluate", in, "weights");
    if (prefix.is_none()) {
        return py::type::of<rig::Deformer>()
            .attr("evaluate")(self, weights, device, py::arg("threads") = threads, py::arg("out") = out)
            .cast<Array<float>>();
    }
    Array<float> output = output_array(model, input, single, out);
    const auto lengths = prefix_lengths("evaluate", prefix, input.shape(0));
    const auto shapes = as_order("evaluate", order, model.num_shapes());
    const View<float, 3> result(output.mutable_data(), {in.extent(0), model.character().num_vertices(), 3});
    if (device != "cpu") {
        rig::check_prefix("evaluate", {view<std::int32_t, 1>(shapes), view<std::int32_t, 1>(lengths)},
                          model.num_shapes(), in.extent(0));
        evaluate_on(self, device, input, result, output, {shapes, lengths});
        return output;
    }
    const ReleasedGil released;
    model.evaluate_prefix(in, {view<std::int32_t, 1>(shapes), view<std::int32_t, 1>(lengths)}, result, num_threads);
    return output;
}

DeviceArrayResult evaluate_rig_on_device(const py::object& self, const ArrayLike& weights, const std::string& device,
                                         const OptionalArray& order, const OptionalArray& prefix) {
    const auto& model = self.cast<const BlendshapeRig&>();
    const ChoiceObjects choices = prefix_objects("evaluate_on_device", model, order, prefix, weights);
    return evaluate_to_device(self, device, weights, choices);
}

Array<float> activations(const BlendshapeRig& model, const ArrayLike& weights) {
    const auto [input, single] = as_poses("activations", weights, "weights");
    const auto in = view<float, 2>(input);
    model.check_poses("activations", in, "weights");
    std::vector<py::ssize_t> shape{in.extent(0), model.num_columns()};
    Array<float> output(shape);
    const auto columns = writable<float, 2>(output);
    for (std::int64_t t = 0; t < in.extent(0); ++t) {
        model.activations({in.row(t), {in.extent(1)}}, {columns.row(t), {columns.extent(1)}});
    }
    if (single) return Array<float>(output.reshape({shape[1]}));
    return output;
}

Array<float> column(const BlendshapeRig& model, std::int64_t n) {
    Array<float> delta({model.character().num_vertices(), std::int64_t{3}});
    const auto out = writable<float, 2>(delta);
    const ReleasedGil released;
    model.column(n, out);
    return delta;
}

Array<float> columns(const BlendshapeRig& model) {
    const std::int64_t vertices = model.character().num_vertices();
    Array<float> deltas({model.num_columns(), vertices, std::int64_t{3}});
    const auto out = writable<float, 3>(deltas);
    const ReleasedGil released;
    for (std::int64_t n = 0; n < model.num_columns(); ++n) model.column(n, {out.row(n), {vertices, 3}});
    return deltas;
}

/// The drivers of each combination: tuples of shape indices and rigcast.Tent.
py::list combinations(const BlendshapeRig& model) {
    const py::object tent = py::module_::import("rigcast._blendshapes").attr("Tent");
    py::list result;
    for (std::int64_t c = 0; c < model.num_columns() - model.num_shapes(); ++c) {
        py::list drivers;
        for (const rig::Driver& driver : model.drivers(c)) {
            const auto& [x1, x2, x3] = driver.tent;
            drivers.append(driver.is_tent ? tent(driver.shape, x1, x2, x3) : py::int_(driver.shape));
        }
        result.append(py::tuple(drivers));
    }
    return result;
}

std::string rig_line(const py::object& self) {
    const auto& model = self.cast<const BlendshapeRig&>();
    const auto made = static_cast<std::int64_t>(model.constructed().size());
    const double bytes = static_cast<double>(model.num_bytes());
    const std::string size =
        bytes < 1e6 ? py::str("{:.3g} kB as ").format(1e-3 * bytes) : py::str("{:.3g} MB as ").format(1e-6 * bytes);
    return model_line(self, {counted(model.num_shapes(), "shape", "shapes"),
                             counted(model.num_columns() - model.num_shapes(), "combination", "combinations"),
                             counted(made, "of them constructed", "of them constructed"),
                             counted(model.character().num_vertices(), "vertex", "vertices"),
                             size + (model.grouped().is_int16() ? "int16" : "float32")});
}

std::vector<std::string> column_names(const py::object& self) {
    return py::module_::import("rigcast._blendshapes").attr("column_names")(self).cast<std::vector<std::string>>();
}

float storage_error(const BlendshapeRig& model) {
    if (!model.grouped().is_int16()) return 0.0f;
    float largest = 0.0f;
    for (std::int64_t n = 0; n < model.num_columns(); ++n) largest = std::max(largest, model.grouped().scale(n));
    return 0.5f * largest;
}

constexpr const char* about_rig =
    "K blendshapes with corrections of any order; a Deformer, as every forward model:\n"
    "\n"
    "    v(w) = v0 + sum_k w_k b_k + sum_c (prod_{f in drivers(c)} phi_f(w)) b_c\n"
    "\n"
    "with phi_f(w) = w_i, or for rc.Tent(i, x1, x2, x3) a tent over w_i: 0 at x1, 1 at x2, 0 at x3 and outside.\n"
    "Columns are the K shapes, then the combinations in their order. A pose is the K weights; there is no skeleton.\n"
    "Weights outside the bounds are not clamped; those beyond `weight_limit` are refused. vjp is exact; at a corner\n"
    "of a tent it uses the right-hand slope.\n"
    "\n"
    "Examples\n"
    "--------\n"
    ">>> neutral = np.zeros((4, 3), np.float32)\n"
    ">>> open_, smile, both = np.eye(4)[:3, :, None] * np.float32([0, 1, 0])  # (V, 3) offsets each\n"
    ">>> rig = rc.BlendshapeRig(neutral, [open_, smile], [((0, 1), both)], names=[\"open\", \"smile\"])\n"
    ">>> rig.evaluate([1.0, 0.5])[:, 1].tolist()\n"
    "[1.0, 0.5, 0.5, 0.0]";

constexpr const char* about_constructor =
    "Parameters\n"
    "----------\n"
    "neutral : (V, 3)\n"
    "deltas : (K, V, 3)\n"
    "    Offsets from the neutral. A shape may move nothing: then it acts only as a driver.\n"
    "combinations : sequence of (drivers, delta)\n"
    "    drivers: a tuple of at least two shape indices or rc.Tent, or of a single rc.Tent; no shape twice.\n"
    "    delta: (V, 3).\n"
    "names : sequence of str, optional\n"
    "    Of the shapes, all different; default shape0, shape1, ...\n"
    "bounds : (low, high) for all, or (K, 2)\n"
    "faces : (F, 3) or (F, 4), optional\n"
    "    Vertex indices; -1 in the last column pads triangles. Default: none, F = 0.\n"
    "storage : \"float32\" or \"int16\"\n"
    "    int16 takes half the memory and rounds each coordinate to a multiple of its column's largest / 32767;\n"
    "    `storage_error` is the largest error.\n"
    "metadata : mapping, optional\n"
    "    name, meters_per_unit (1.0), up_axis (\"Y\"), licence, origin, constructed (names of columns),\n"
    "    combination_names (one text per combination; the second one of a name gets \" (2)\"), and anything else\n"
    "    that JSON can represent.\n"
    "\n"
    "Raises\n"
    "------\n"
    "ValueError\n"
    "    If an array has a wrong shape, a value is not finite, an index is out of range, a combination has a shape\n"
    "    twice, the points of a tent do not ascend, a lower bound exceeds its upper bound, or names repeat.";

}  // namespace

void bind_blendshape(py::module_& module) {
    py::class_<BlendshapeRig, rig::Deformer, Rig>(module, "BlendshapeRig", about_rig)
        .def(py::init(&make_rig), py::arg("neutral"), py::arg("deltas"), py::arg("combinations") = py::tuple(),
             py::arg("names") = py::none(), py::arg("bounds") = py::make_tuple(0.0, 1.0), py::arg("faces") = py::none(),
             py::kw_only(), py::arg("storage") = "float32", py::arg("metadata") = py::none(), about_constructor)
        .def("evaluate", &evaluate, py::arg("weights"), py::arg("device") = "cpu", py::kw_only(),
             py::arg("threads") = 0, py::arg("out") = py::none(), py::arg("order") = py::none(),
             py::arg("prefix") = py::none(),
             "Vertices (T, V, 3) of weights (T, K), or (V, 3) of one row (K,). threads 0: all processors.\n"
             "out: a float32 array to write into. prefix: how many shapes of `order` are used, one number or one per\n"
             "frame (T,); a combination is used if all its shapes are. order: (K,) shapes, most important first;\n"
             "default: ascending. ValueError if the width is wrong, a value is not finite or beyond `weight_limit`,\n"
             "the order is no permutation, a prefix is outside 0 to K, or the device does not work on this machine.\n"
             "If the device is not the CPU, weights may also be a float32 array on that device.")
        .def("evaluate_on_device", &evaluate_rig_on_device, py::arg("weights"), py::arg("device"), py::kw_only(),
             py::arg("order") = py::none(), py::arg("prefix") = py::none(),
             "The vertices of ``evaluate`` in an array that stays on the device: see ``Deformer.evaluate_on_device``.")
        .def("activations", &activations, py::arg("weights"),
             "Activations (T, N) of weights (T, K), or (N,) of (K,): what multiplies the offsets of each column.")
        .def("column", &column, py::arg("n"), "(V, 3) offsets of column n.")
        .def("columns", &columns, "(N, V, 3) offsets of all columns, dense: a copy.")
        .def_property_readonly("num_shapes", &BlendshapeRig::num_shapes, "K")
        .def_property_readonly("num_columns", &BlendshapeRig::num_columns, "N = K + number of combinations")
        .def_property_readonly(
            "shape_names", [](const BlendshapeRig& m) { return m.character().control_names; }, "Names of the shapes.")
        .def_property_readonly("column_names", &column_names,
                               "Names of the N columns: those of the shapes, then of the combinations. The latter are\n"
                               "metadata[\"combination_names\"], or else made from their drivers (`a * b`, `a@0.5`).")
        .def_property_readonly(
            "bounds", [](const BlendshapeRig& m) { return copy(m.bounds()); },
            "(K, 2) lowest and highest weight of each shape.")
        .def_property_readonly("weight_limit", &BlendshapeRig::pose_limit,
                               "The largest magnitude of a weight at which vertices surely fit float32.")
        .def_property_readonly("combinations", &combinations,
                               "The drivers of each combination: tuples of shape indices and rc.Tent.")
        .def_property_readonly("constructed", &BlendshapeRig::constructed,
                               "Names of the columns that were constructed, not sculpted; metadata[\"constructed\"].")
        .def_property_readonly("storage",
                               [](const BlendshapeRig& m) { return m.grouped().is_int16() ? "int16" : "float32"; })
        .def_property_readonly("storage_error", &storage_error,
                               "Largest error of a stored coordinate (int16); 0 for float32.")
        .def_property_readonly(
            "nbytes", &BlendshapeRig::num_bytes,
            "Bytes of memory used: the mesh (12 per vertex, 16 per face), the offsets (12 per entry, 6 if\n"
            "int16), and their index: 4 per moved vertex, and 12 plus one bit per column for each group of\n"
            "vertices that the same columns move. For faces with a dozen offsets per vertex, offsets and\n"
            "index together take less than 1.3 times the offsets alone.")
        .def_property_readonly(
            "num_entries", [](const BlendshapeRig& m) { return m.grouped().num_entries(); },
            "Stored offsets: pairs of a column and a vertex that it moves.")
        .def("__repr__", &rig_line);
}

}  // namespace rigcast::bindings
