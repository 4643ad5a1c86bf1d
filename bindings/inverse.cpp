#include <memory>

#include "arrays.h"
#include "bindings.h"
#include "rigwright/core/check.h"
#include "rigwright/inverse/projection.h"
#include "rigwright/inverse/solve_frames.h"
#include "rigwright/optimize/products/joint.h"
#include "rigwright/optimize/products/measures.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"
#include "shot_arrays.h"

namespace rigwright::bindings {
namespace {

using inverse::Projection;
using optimize::Structure;

/// A rig seen from chosen vertices: packed columns and their Gram matrix. Immutable.
class InverseGram {
public:
    InverseGram(std::shared_ptr<const rig::BlendshapeRig> rig, const Array<std::int32_t>& vertices,
                const Array<double>& weights)
        : rig_(std::move(rig)),
          columns_([own = rig_.get()](std::int64_t n, View<float, 2> delta) { own->column(n, delta); }),
          projection_(rig_->num_columns(), columns_, rig_->character().rest_vertices, view<std::int32_t, 1>(vertices),
                      view<double, 1>(weights)),
          matrix_(products()) {}
    const Projection& projection() const { return projection_; }
    const rig::BlendshapeRig& rig() const { return *rig_; }
    const linalg::GramMatrix& matrix() const { return matrix_; }

private:
    linalg::GramMatrix products() const {
        const std::int64_t n = rig_->num_columns();
        std::vector<double> matrix(n * n);
        const View<double, 2> out(matrix.data(), {n, n});
        projection_.gram(columns_, rig_->character().num_vertices(), out, 0);
        return linalg::GramMatrix(out);
    }

    std::shared_ptr<const rig::BlendshapeRig> rig_;
    Projection::Columns columns_;
    Projection projection_;
    linalg::GramMatrix matrix_;
};

std::unique_ptr<InverseGram> make_gram(std::shared_ptr<rig::BlendshapeRig> rig, const py::object& vertices,
                                       const py::object& weights) {
    const auto chosen = as_indices("InverseGram", "vertices", vertices);
    const auto omega = as_array<double, 1>("InverseGram", "vertex_weights", weights, "numbers (M,)");
    const std::int64_t count = rig->character().num_vertices();
    check_shape<const double, 1>("InverseGram", "vertex_weights", view<double, 1>(omega), {chosen.shape(0)});
    for (const std::int32_t v : view<std::int32_t, 1>(chosen)) {
        if (v < 0 || v >= count) {
            throw bad_argument("InverseGram", "vertices", std::to_string(v) + " somewhere",
                               "vertex indices below " + std::to_string(count));
        }
    }
    if (chosen.size() == 0) throw bad_argument("InverseGram", "vertices", "empty", "one vertex or more");
    const py::gil_scoped_release released;
    return std::make_unique<InverseGram>(std::move(rig), chosen, omega);
}

Array<double> matrix(const InverseGram& gram) {
    const std::int64_t n = gram.matrix().size();
    Array<double> result({n, n});
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(gram.matrix().row(i), n, result.mutable_data(i, 0));
    return result;
}

py::tuple project(const InverseGram& gram, const py::object& targets, int threads) {
    check_threads("project", threads);
    const auto rows = as_array<float, 3>("project", "targets", targets, "numbers (T, V, 3) or (T, M, 3)");
    const std::int64_t all = gram.rig().character().num_vertices(), chosen = gram.projection().num_vertices();
    if ((rows.shape(1) != all && rows.shape(1) != chosen) || rows.shape(2) != 3) {
        throw bad_argument("project", "targets", describe(rows), "numbers (T, V, 3) or (T, M, 3)");
    }
    Array<double> projections({py::ssize_t{rows.shape(0)}, py::ssize_t{gram.projection().num_columns()}});
    Array<double> energies(rows.shape(0));
    const auto in = view<float, 3>(rows);
    const auto out = writable<double, 2>(projections);
    const auto sums = writable<double, 1>(energies);
    {
        const py::gil_scoped_release released;
        gram.projection().project(in, rows.shape(1) == all, out, sums, threads);
    }
    return py::make_tuple(projections, energies);
}

/// The rig's structure over variables: shape k's weight is variable ties[k].
std::unique_ptr<Structure> make_structure(const rig::BlendshapeRig& rig, const py::object& ties) {
    const auto owner = as_indices("InverseStructure", "ties", ties);
    const std::int64_t shapes = rig.num_shapes();
    check_shape<const std::int32_t, 1>("InverseStructure", "ties", view<std::int32_t, 1>(owner), {shapes});
    std::vector<std::vector<optimize::Factor>> columns(rig.num_columns());
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (owner.at(k) < 0 || owner.at(k) >= shapes) {
            throw bad_argument("InverseStructure", "ties", std::to_string(owner.at(k)) + " somewhere", "shapes");
        }
        columns[k] = {{owner.at(k), false, 0.0, 0.0, 0.0}};
    }
    for (std::int64_t c = 0; c + shapes < rig.num_columns(); ++c) {
        for (const rig::Factor& f : rig.factors(c)) {
            columns[shapes + c].push_back({owner.at(f.shape), f.is_tent, f.x1, f.x2, f.x3});
        }
    }
    return std::make_unique<Structure>(shapes, std::move(columns));
}

py::tuple solve_frames(const Structure& structure, const InverseGram& gram, const py::tuple& terms,
                       const py::object& start, const py::object& bending, const py::object& thresholds,
                       std::int64_t max_iterations, bool joint, int threads, const py::object& report) {
    constexpr const char* name = "solve_frames";
    check_threads(name, threads);
    ShotArrays arrays(name, structure.num_variables(), structure.num_columns(), terms);
    const auto given = as_array<double, 2>(name, "start", start, "numbers (T, K)");
    const auto bend = as_array<double, 1>(name, "bending", bending, "numbers (K,)");
    const auto limits = as_array<double, 1>(name, "thresholds", thresholds, "numbers (T,)");
    const std::int64_t frames = arrays.shot.projections.extent(0);
    check_shape<const double, 2>(name, "start", view<double, 2>(given), {frames, structure.num_variables()});
    check_shape<const double, 1>(name, "bending", view<double, 1>(bend), {structure.num_variables()});
    check_shape<const double, 1>(name, "thresholds", view<double, 1>(limits), {frames});
    arrays.shot.bending = view<double, 1>(bend);
    Array<double> weights = copy(view<double, 2>(given));
    Array<std::int64_t> iterations(frames);
    std::fill_n(iterations.mutable_data(), frames, 0);
    Array<bool> converged(frames);
    const optimize::ShotResult result{writable<double, 2>(weights), writable<std::int64_t, 1>(iterations),
                                      writable<bool, 1>(converged)};
    optimize::ShotOptions options{view<double, 1>(limits), max_iterations, threads, {}};
    options.report = [&report](std::int64_t steps, double ratio) {
        const py::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!report.is_none()) report(steps, ratio);
    };
    {
        const py::gil_scoped_release released;
        if (joint) {
            optimize::solve_joint(structure, gram.matrix(), arrays.shot, options, result);
        } else {
            inverse::solve_frames(structure, gram.matrix(), arrays.shot, options, result);
        }
    }
    return py::make_tuple(weights, iterations, converged);
}

py::tuple measure(const Structure& structure, const InverseGram& gram, const py::tuple& terms,
                  const py::object& weights, int threads) {
    constexpr const char* name = "measure_frames";
    check_threads(name, threads);
    const ShotArrays arrays(name, structure.num_variables(), structure.num_columns(), terms);
    const auto given = as_array<double, 2>(name, "weights", weights, "numbers (T, K)");
    const std::int64_t frames = arrays.shot.projections.extent(0), width = structure.num_variables();
    check_shape<const double, 2>(name, "weights", view<double, 2>(given), {frames, width});
    Array<double> fidelity(frames), right({frames, width}), left({frames, width});
    const auto points = view<double, 2>(given);
    const optimize::FrameMeasures result{writable<double, 1>(fidelity), writable<double, 2>(right),
                                         writable<double, 2>(left)};
    {
        const py::gil_scoped_release released;
        optimize::measure_frames(structure, gram.matrix(), arrays.shot, points, threads, result);
    }
    return py::make_tuple(fidelity, right, left);
}

}  // namespace

void bind_inverse(py::module_& module) {
    py::class_<InverseGram>(module, "InverseGram",
                            "A blendshape rig seen from chosen vertices: its columns Phi, packed, and their Gram\n"
                            "matrix Phi^T Omega Phi. Immutable and thread-safe.")
        .def(py::init(&make_gram), py::arg("rig").none(false), py::arg("vertices"), py::arg("vertex_weights"))
        .def_property_readonly("matrix", &matrix, "(N, N) float64")
        .def_property_readonly(
            "num_bytes", [](const InverseGram& gram) { return gram.projection().num_bytes(); },
            "Bytes of the packed columns.")
        .def("project", &project, py::arg("targets"), py::arg("threads") = 0,
             "Phi^T Omega b (T, N) and b^T Omega b (T,) for b = targets minus the neutral, in float64.");
    py::class_<Structure>(module, "InverseStructure",
                          "How a rig's columns depend on variables; shape k's weight is variable ties[k].")
        .def(py::init(&make_structure), py::arg("rig"), py::arg("ties"))
        .def_property_readonly("is_linear", &Structure::is_linear);
    module.def(
        "solve_frames", &solve_frames, py::arg("structure"), py::arg("gram"), py::arg("terms"), py::arg("start"),
        py::arg("bending"), py::arg("thresholds"), py::arg("max_iterations"), py::arg("joint") = false,
        py::arg("threads") = 0, py::arg("report") = py::none(),
        "Weights (T, K), iterations (T,), converged (T,) of a shot, frame by frame or jointly. `terms`: projections\n"
        "(T, N), linear, quadratic, lower, upper (T, K). A joint solve calls `report` between its steps with their\n"
        "number and the largest ratio of optimality to threshold.");
    module.attr("INVERSE_CHUNK") = inverse::chunk;
    module.def("measure_frames", &measure, py::arg("structure"), py::arg("gram"), py::arg("terms"), py::arg("weights"),
               py::arg("threads") = 0,
               "phi^T G phi - 2 p^T phi + linear^T w + quadratic w^2 (T,), and its slopes (T, K) to the right and to\n"
               "the left of each weight.");
}

}  // namespace rigwright::bindings
