#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/model_line.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/models/differential_texts.h"
#include "rigcast/differential/choose_anchors.h"
#include "rigcast/differential/folded_reconstructor.h"
#include "rigcast/differential/model/differential_model.h"
#include "rigcast/differential/reconstructor.h"

namespace rigcast::bindings {
namespace {

using differential::DifferentialModel;
using differential::FoldedReconstructor;
using differential::Reconstructor;

constexpr const char* displacements_must = "numbers (T, V, 3)";
constexpr const char* anchors_must = "numbers (T, A, 3)";

int rank(const py::handle& object) {
    const py::array any = py::array::ensure(object);
    if (!any) PyErr_Clear();
    return any ? static_cast<int>(any.ndim()) : -1;
}

std::unique_ptr<Reconstructor> make_reconstructor(const ArrayLike& faces, std::int64_t num_vertices,
                                                  const ArrayLike& anchors, const ArrayLike& anchor_weight) {
    constexpr const char* name = "Reconstructor";
    const auto corners = as_faces(name, faces);
    const auto chosen = as_indices(name, "anchors", anchors);
    constexpr const char* must = "a number or numbers (A,)";
    Array<double> weights(chosen.shape(0));
    if (rank(anchor_weight) == 0) {
        const auto one = as_array<double, 0>(name, "anchor_weight", anchor_weight, must);
        std::fill_n(weights.mutable_data(), weights.size(), *one.data());
    } else {
        weights = as_array<double, 1>(name, "anchor_weight", anchor_weight, must);
    }
    const ReleasedGil released;
    return std::make_unique<Reconstructor>(view<std::int32_t, 2>(corners), num_vertices, view<std::int32_t, 1>(chosen),
                                           view<double, 1>(weights));
}

Array<float> encode(const Reconstructor& self, const ArrayLike& displacements, const IntLike& threads) {
    constexpr const char* name = "Reconstructor.encode";
    const int num_threads = thread_count(name, threads);
    const auto given = as_array<float, 3>(name, "displacements", displacements, displacements_must);
    Array<float> delta(std::vector<py::ssize_t>(given.shape(), given.shape() + 3));
    const auto out = writable<float, 3>(delta);
    const ReleasedGil released;
    self.encode(view<float, 3>(given), out, num_threads);
    return delta;
}

Array<float> solve(const Reconstructor& self, const ArrayLike& delta, const ArrayLike& anchor_positions,
                   const IntLike& threads) {
    constexpr const char* name = "Reconstructor.solve";
    const int num_threads = thread_count(name, threads);
    const auto given = as_array<float, 3>(name, "delta", delta, displacements_must);
    const auto anchors = as_array<float, 3>(name, "anchor_positions", anchor_positions, anchors_must);
    Array<float> displacements(std::vector<py::ssize_t>(given.shape(), given.shape() + 3));
    const auto out = writable<float, 3>(displacements);
    const ReleasedGil released;
    self.solve(view<float, 3>(given), view<float, 3>(anchors), out, num_threads);
    return displacements;
}

Array<double> gain(const Reconstructor& self, const IntLike& threads) {
    const int num_threads = thread_count("Reconstructor.gain", threads);
    Array<double> result(self.num_vertices());
    const auto out = writable<double, 1>(result);
    const ReleasedGil released;
    self.gain(out, num_threads);
    return result;
}

/// U (3 V, R): of one set of delta coordinates per component, the transpose.
Array<float> as_basis(const ArrayLike& basis) {
    constexpr const char* must = "numbers (3 V, R) or (R, V, 3)";
    if (rank(basis) != 3) return as_array<float, 2>("Reconstructor.folded", "basis", basis, must);
    const auto shapes = as_array<float, 3>("Reconstructor.folded", "basis", basis, must);
    const py::ssize_t rows = shapes.shape(1) * shapes.shape(2);
    Array<float> result({rows, shapes.shape(0)});
    for (py::ssize_t r = 0; r < shapes.shape(0); ++r) {
        for (py::ssize_t row = 0; row < rows; ++row) result.mutable_at(row, r) = shapes.data()[r * rows + row];
    }
    return result;
}

std::unique_ptr<FoldedReconstructor> folded(const Reconstructor& self, const ArrayLike& basis, const ArrayLike& mean,
                                            const std::string& storage, const IntLike& threads) {
    constexpr const char* name = "Reconstructor.folded";
    constexpr const char* must = "numbers (3 V,) or (V, 3)";
    const int num_threads = thread_count(name, threads);
    const Array<float> u = as_basis(basis);
    const Array<float> mu =
        rank(mean) == 2 ? as_array<float, 2>(name, "mean", mean, must) : as_array<float, 1>(name, "mean", mean, must);
    const View<const float, 1> flat(mu.data(), {static_cast<std::int64_t>(mu.size())});
    const ReleasedGil released;
    return std::make_unique<FoldedReconstructor>(self, view<float, 2>(u), flat, storage, num_threads);
}

Array<float> folded_solve(const FoldedReconstructor& self, const ArrayLike& z, const ArrayLike& anchor_positions,
                          const IntLike& threads) {
    constexpr const char* name = "FoldedReconstructor.solve";
    const int num_threads = thread_count(name, threads);
    const auto coefficients = as_array<float, 2>(name, "z", z, "numbers (T, R)");
    const auto anchors = as_array<float, 3>(name, "anchor_positions", anchor_positions, anchors_must);
    Array<float> displacements(
        std::vector<py::ssize_t>{coefficients.shape(0), static_cast<py::ssize_t>(self.tail().num_vertices), 3});
    const auto out = writable<float, 3>(displacements);
    const ReleasedGil released;
    self.solve(view<float, 2>(coefficients), view<float, 3>(anchors), out, num_threads);
    return displacements;
}

Array<std::int32_t> choose_anchors(const ArrayLike& faces, std::int64_t num_vertices, std::int64_t count,
                                   std::int64_t seed, const IntLike& threads) {
    constexpr const char* name = "choose_anchors";
    const int num_threads = thread_count(name, threads);
    const auto corners = as_faces(name, faces);
    if (seed < 0) throw bad_argument(name, "seed", std::to_string(seed), "0 or more");
    std::vector<std::int32_t> chosen;
    {
        const ReleasedGil released;
        chosen = differential::choose_anchors(view<std::int32_t, 2>(corners), num_vertices, count,
                                              static_cast<std::uint64_t>(seed), num_threads);
    }
    return Array<std::int32_t>(static_cast<py::ssize_t>(chosen.size()), chosen.data());
}

std::string model_text(const py::object& self) {
    const auto& model = self.cast<const DifferentialModel&>();
    const rig::Character& character = model.character();
    const std::int64_t joints = character.skeleton.num_joints();
    return model_line(self, {counted(joints, "joint", "joints"),
                             counted(character.num_controls() - 12 * joints, "numeric control", "numeric controls"),
                             counted(character.num_vertices(), "vertex", "vertices"),
                             counted(model.num_anchors(), "anchor", "anchors"),
                             counted(model.num_coefficients(), "component", "components")});
}

/// The text of a metadata entry, or what it is by default.
std::string entry_or(const DifferentialModel& model, const char* key, const char* fallback) {
    const Metadata& metadata = model.character().tensors->metadata();
    return metadata.contains(key) ? metadata.text(key) : fallback;
}

std::shared_ptr<DifferentialModel> stored_differential(const DifferentialModel& model, const std::string& storage) {
    if (storage != "float32" && storage != "16-bit") {
        throw bad_argument("stored", "storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
    }
    return differential::with_entry(model, "network_storage", storage);
}

std::shared_ptr<DifferentialModel> with_tail(const DifferentialModel& model, const std::string& tail) {
    if (tail != "folded" && tail != "factorized") {
        throw bad_argument("with_tail", "tail", "'" + tail + "'", "\"folded\" or \"factorized\"");
    }
    return differential::with_entry(model, "tail", tail);
}

void bind_model(py::module_& module) {
    py::class_<DifferentialModel, rig::Deformer, std::shared_ptr<DifferentialModel>>(
        module, "DifferentialModel",
        "A learned face or body in a differential subspace: networks predict delta coordinates and anchors.")
        .def_property_readonly("num_anchors", &DifferentialModel::num_anchors, "Number of anchors.")
        .def_property_readonly("num_components", &DifferentialModel::num_coefficients,
                               "Number of components of the basis of delta coordinates.")
        .def_property_readonly(
            "transforms", [](const DifferentialModel& m) { return entry_or(m, "transforms", "identity"); },
            "Where the linear transforms come from: \"probed\", \"source\", \"fitted\" or \"identity\".")
        .def_property_readonly(
            "storage", [](const DifferentialModel& m) { return entry_or(m, "network_storage", "float32"); },
            "How weights are stored in memory: \"float32\" or \"16-bit\".")
        .def_property_readonly(
            "tail", [](const DifferentialModel& m) { return m.tail().is_folded() ? "folded" : "factorized"; },
            "The last step: \"folded\", one dense product, or \"factorized\", a product and a solve.")
        .def_property_readonly("storage_error", &DifferentialModel::storage_error,
                               "The largest difference of a stored weight from its float32 value; 0 for float32.")
        .def_property_readonly("num_bytes", &DifferentialModel::num_bytes,
                               "Bytes of the constants that an evaluation reads.")
        .def("stored", &stored_differential, py::arg("storage"), py::call_guard<ReleasedGil>(),
             text::stored_differential)
        .def("reduced", &differential::reduced, py::arg("components"), py::call_guard<ReleasedGil>(), text::reduced)
        .def("with_tail", &with_tail, py::arg("tail"), py::call_guard<ReleasedGil>(), text::with_tail)
        .def("__repr__", &model_text);
}

}  // namespace

void bind_differential(py::module_& module) {
    bind_model(module);
    py::class_<FoldedReconstructor>(
        module, "FoldedReconstructor",
        "Solutions of a Reconstructor for delta coordinates in a basis, as one dense product per frame.\n\n"
        "Made by :meth:`Reconstructor.folded`. Immutable and thread-safe.")
        .def("solve", &folded_solve, py::arg("z"), py::arg("anchor_positions"), py::kw_only(), py::arg("threads") = 0,
             text::folded_solve)
        .def_property_readonly(
            "storage_error", [](const FoldedReconstructor& self) { return self.tail().storage_error; },
            "The largest difference of a stored weight from its float32 value; 0 for float32.")
        .def_property_readonly("num_bytes", &FoldedReconstructor::num_bytes, "Bytes that a solve reads.");
    py::class_<Reconstructor>(module, "Reconstructor", text::reconstructor)
        .def(py::init(&make_reconstructor), py::arg("faces"), py::arg("num_vertices"), py::arg("anchors"),
             py::arg("anchor_weight") = 1.0)
        .def("encode", &encode, py::arg("displacements"), py::kw_only(), py::arg("threads") = 0, text::encode)
        .def("solve", &solve, py::arg("delta"), py::arg("anchor_positions"), py::kw_only(), py::arg("threads") = 0,
             text::solve_differential)
        .def("gain", &gain, py::kw_only(), py::arg("threads") = 0, text::gain)
        .def("folded", &folded, py::arg("basis"), py::arg("mean"), py::kw_only(), py::arg("storage") = "float32",
             py::arg("threads") = 0, text::folded)
        .def_property_readonly(
            "anchors",
            [](const Reconstructor& self) {
                return Array<std::int32_t>(static_cast<py::ssize_t>(self.anchors().size()), self.anchors().data());
            },
            "(A,) int32")
        .def_property_readonly("num_vertices", &Reconstructor::num_vertices);
    module.def("choose_anchors", &choose_anchors, py::arg("faces"), py::arg("num_vertices"), py::arg("count"),
               py::arg("seed") = 0, py::kw_only(), py::arg("threads") = 0, text::choose_anchors);
}

}  // namespace rigcast::bindings
