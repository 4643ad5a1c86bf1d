#include <memory>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/transfer/contacts/contacts.h"
#include "rigcast/transfer/deformation_transfer.h"

namespace rigcast::bindings {
namespace {

using transfer::DeformationTransfer;

/// Pairs of vertices (P, 2); None is no pairs.
Array<std::int32_t> as_pairs(const char* function, const char* argument, const py::object& object) {
    if (object.is_none()) return Array<std::int32_t>(std::vector<py::ssize_t>{0, 2});
    const auto wide = as_array<std::int64_t, 2>(function, argument, object, "integers (P, 2)");
    Array<std::int32_t> narrow({wide.shape(0), wide.shape(1)});
    for (py::ssize_t p = 0; p < wide.size(); ++p) {
        const std::int64_t v = wide.data()[p];
        if (v != static_cast<std::int32_t>(v)) {
            throw bad_argument(function, argument, std::to_string(v) + " somewhere", "vertex indices");
        }
        narrow.mutable_data()[p] = static_cast<std::int32_t>(v);
    }
    return narrow;
}

std::unique_ptr<DeformationTransfer> make_transfer(const ArrayLike& source_neutral, const ArrayLike& target_neutral,
                                                   const ArrayLike& faces, const OptionalArray& fixed,
                                                   const OptionalArray& contacts, double contact_weight) {
    constexpr const char* name = "DeformationTransfer";
    const auto source = as_array<float, 2>(name, "source_neutral", source_neutral, "numbers (V, 3)");
    const auto target = as_array<float, 2>(name, "target_neutral", target_neutral, "numbers (V, 3)");
    const auto corners = as_faces(name, faces);
    const auto fixed_vertices = fixed.is_none() ? Array<std::int32_t>(0) : as_indices(name, "fixed", fixed);
    const auto pairs = as_pairs(name, "contacts", contacts);
    const ReleasedGil released;
    return std::make_unique<DeformationTransfer>(view<float, 2>(source), view<float, 2>(target),
                                                 view<std::int32_t, 2>(corners), view<std::int32_t, 1>(fixed_vertices),
                                                 view<std::int32_t, 2>(pairs), contact_weight);
}

using Transfer = void (DeformationTransfer::*)(View<const float, 3>, View<float, 3>, int) const;

Array<float> run(const DeformationTransfer& solver, Transfer transfer, const char* name, const ArrayLike& source_shapes,
                 const IntLike& threads) {
    const int num_threads = thread_count(name, threads);
    const auto shapes = as_array<float, 3>(name, "source_shapes", source_shapes, "numbers (K, V, 3)");
    Array<float> result({shapes.shape(0), shapes.shape(1), shapes.shape(2)});
    const auto in = view<float, 3>(shapes);
    const auto out = writable<float, 3>(result);
    const ReleasedGil released;
    (solver.*transfer)(in, out, num_threads);
    return result;
}

Array<float> run_with_examples(const DeformationTransfer& solver, const ArrayLike& source_shapes,
                               const ArrayLike& examples, const ArrayLike& example_weights, double beta,
                               const IntLike& threads) {
    constexpr const char* name = "example_based";
    const int num_threads = thread_count(name, threads);
    const auto shapes = as_array<float, 3>(name, "source_shapes", source_shapes, "numbers (K, V, 3)");
    const auto poses = as_array<float, 3>(name, "examples", examples, "numbers (J, V, 3)");
    const auto weights = as_array<double, 2>(name, "example_weights", example_weights, "numbers (J, K)");
    Array<float> result({shapes.shape(0), shapes.shape(1), shapes.shape(2)});
    const auto out = writable<float, 3>(result);
    const ReleasedGil released;
    solver.transfer_with_examples(view<float, 3>(shapes), view<float, 3>(poses), view<double, 2>(weights), beta, out,
                                  num_threads);
    return result;
}

Array<double> resolution(const DeformationTransfer& solver, const ArrayLike& source_shapes,
                         const ArrayLike& example_weights, double beta, const IntLike& threads) {
    constexpr const char* name = "example_based";
    const int num_threads = thread_count(name, threads);
    const auto shapes = as_array<float, 3>(name, "source_shapes", source_shapes, "numbers (K, V, 3)");
    const auto weights = as_array<double, 2>(name, "example_weights", example_weights, "numbers (J, K)");
    Array<double> result(shapes.shape(0));
    const auto out = writable<double, 1>(result);
    const ReleasedGil released;
    solver.resolution(view<float, 3>(shapes), view<double, 2>(weights), beta, out, num_threads);
    return result;
}

/// Fits F triangles with stiffness (F, K), wanted (F, J, M) and prior (F, K, M). Returns (F, K, M).
Array<double> fit_triangles(const ArrayLike& weights, const ArrayLike& stiffness, const ArrayLike& wanted,
                            const ArrayLike& prior) {
    constexpr const char* name = "fit_triangles";
    const auto a = as_array<double, 2>(name, "weights", weights, "numbers (J, K)");
    const auto s = as_array<double, 2>(name, "stiffness", stiffness, "numbers (F, K)");
    const auto d = as_array<double, 3>(name, "wanted", wanted, "numbers (F, J, M)");
    const auto x = as_array<double, 3>(name, "prior", prior, "numbers (F, K, M)");
    const std::int64_t J = a.shape(0);
    const std::int64_t K = a.shape(1);
    const std::int64_t F = s.shape(0);
    const std::int64_t M = x.shape(2);
    check_shape<const double, 2>(name, "stiffness", view<double, 2>(s), {F, K});
    check_shape<const double, 3>(name, "wanted", view<double, 3>(d), {F, J, M});
    check_shape<const double, 3>(name, "prior", view<double, 3>(x), {F, K, M});
    Array<double> columns = copy(view<double, 3>(x));
    Array<double> residual = copy(view<double, 3>(d));
    double* out = columns.mutable_data();
    double* in = residual.mutable_data();
    const double* stiffness_rows = s.data();
    const transfer::ExampleFit fit(view<double, 2>(a), 1.0);
    const ReleasedGil released;
    for (std::int64_t f = 0; f < F; ++f) {
        check_interruption();
        fit.solve(stiffness_rows + f * K, static_cast<int>(M), in + f * J * M, out + f * K * M);
    }
    return columns;
}

Array<std::int32_t> pairs_of(const std::vector<std::array<std::int32_t, 2>>& pairs) {
    Array<std::int32_t> result({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
    for (std::size_t p = 0; p < pairs.size(); ++p) std::copy_n(pairs[p].begin(), 2, result.mutable_data(p));
    return result;
}

/// Contact pairs in poses (P, V, 3), the first of which is the neutral.
Array<std::int32_t> find_contacts(const ArrayLike& poses, const ArrayLike& faces, double reach,
                                  const IntLike& threads) {
    const int num_threads = thread_count("find_contacts", threads);
    const auto points = as_array<float, 3>("find_contacts", "poses", poses, "numbers (P, V, 3)");
    const auto corners = as_faces("find_contacts", faces);
    check_shape<const float, 3>("find_contacts", "poses", view<float, 3>(points), {-1, -1, 3});
    check_finite("find_contacts", "poses", view<float, 3>(points));
    mesh::check_faces("find_contacts", view<std::int32_t, 2>(corners), points.shape(1));
    if (!(reach > 0.0)) throw bad_argument("find_contacts", "reach", std::to_string(reach), "above 0");
    std::vector<std::array<std::int32_t, 2>> pairs;
    {
        const ReleasedGil released;
        pairs = transfer::find_contacts(view<float, 3>(points), view<std::int32_t, 2>(corners), reach, num_threads);
    }
    return pairs_of(pairs);
}

Array<std::int32_t> as_array_of(const std::vector<std::int32_t>& values) {
    return Array<std::int32_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

constexpr const char* solver_text = R"(Deformation transfer between meshes of one topology (Sumner and Popovic 2004).

Gives every triangle of the target the deformation gradient of the source's triangle, in least squares. One sparse
factorization serves any number of shapes. Each component of the source is first placed on the target's by a similarity.
Quads are split along both diagonals; degenerate triangles have no gradient. Immutable and thread-safe.

Parameters
----------
source_neutral, target_neutral : array_like, shape (V, 3)
faces : array_like of int, shape (F, 3) or (F, 4)
    -1 pads triangles.
fixed : array_like of int, shape (M,), optional
    Vertices that stay at the target's neutral.
contacts : array_like of int, shape (P, 2), optional
    Pairs of vertices of lips and lids, as :func:`rigcast.transfer.find_contacts` finds them. Surfaces that come
    together there in the source come together in the target; surfaces that do not cross in the source do not cross in
    the target.
contact_weight : float
    How closely corrections follow the contacts, above 0, beside cotangent weights of about 1.

Raises
------
ValueError
    If sizes differ, a value is not finite, an index is out of range, or a contact pairs a vertex with itself.
)";

constexpr const char* examples_text = R"(As ``transfer``, corrected by expressions of the target (Li et al. 2010).

Parameters
----------
source_shapes : array_like, shape (K, V, 3)
    Absolute positions.
examples : array_like, shape (J, V, 3)
    Expressions of the target, absolute positions.
example_weights : array_like, shape (J, K)
    The mixture of shapes that each example shows.
beta : float
    Weight of the transferred shapes beside the examples, above 0. A small one trusts the examples more.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (K, V, 3)
    A shape that no example contains stays as transferred. Contacts correct only shapes with a ``resolution`` below
    ``determined``.
)";

}  // namespace

void bind_transfer(py::module_& module) {
    module.def("fit_triangles", &fit_triangles, py::arg("weights"), py::arg("stiffness"), py::arg("wanted"),
               py::arg("prior"),
               "Example-based solves, one per triangle: X (F, K, M) that minimizes\n"
               "sum_j |wanted_j - sum_k weights_jk X_k|^2 + sum_k stiffness_k |X_k - prior_k|^2.");
    module.def("find_contacts", &find_contacts, py::arg("poses"), py::arg("faces"), py::arg("reach"), py::kw_only(),
               py::arg("threads") = 0,
               "Pairs (N, 2) of vertices that face each other and come within `reach` edge lengths in one of the\n"
               "poses (P, V, 3), the first of which is the neutral.");
    py::class_<DeformationTransfer>(module, "DeformationTransfer", solver_text)
        .def(py::init(&make_transfer), py::arg("source_neutral"), py::arg("target_neutral"), py::arg("faces"),
             py::arg("fixed") = py::none(), py::kw_only(), py::arg("contacts") = py::none(),
             py::arg("contact_weight") = 1.0)
        .def_property_readonly("num_vertices", &DeformationTransfer::num_vertices, "V.")
        .def_property_readonly(
            "target_neutral", [](const DeformationTransfer& solver) { return copy(solver.target_neutral()); },
            "(V, 3) float32: the neutral that shapes are given to.")
        .def_property_readonly(
            "components", [](const DeformationTransfer& solver) { return as_array_of(solver.components().of); },
            "(V,) int32: the connected component of each vertex, numbered by first vertices.")
        .def_property_readonly(
            "degenerate_faces",
            [](const DeformationTransfer& solver) { return as_array_of(solver.degenerate_faces()); },
            "int32: faces with a triangle that is degenerate in one of the neutrals.")
        .def(
            "transfer",
            [](const DeformationTransfer& solver, const ArrayLike& shapes, const IntLike& threads) {
                return run(solver, &DeformationTransfer::transfer, "DeformationTransfer.transfer", shapes, threads);
            },
            py::arg("source_shapes"), py::kw_only(), py::arg("threads") = 0,
            "The target's shapes (K, V, 3) float32 for the source's shapes (K, V, 3), both absolute positions.\n"
            "A shape equal to the source's neutral gives the target's neutral. threads 0: all processors.")
        .def(
            "transfer_keep_rest",
            [](const DeformationTransfer& solver, const ArrayLike& shapes, const IntLike& threads) {
                return run(solver, &DeformationTransfer::transfer_keep_rest, "DeformationTransfer.transfer_keep_rest",
                           shapes, threads);
            },
            py::arg("source_shapes"), py::kw_only(), py::arg("threads") = 0,
            "As transfer, but in each shape the vertices that rest in the source stay at the target's neutral.\n"
            "Takes longer: each shape has a factorization of its own. Contacts may still move vertices at rest.")
        .def("transfer_with_examples", &run_with_examples, py::arg("source_shapes"), py::arg("examples"),
             py::arg("example_weights"), py::arg("beta"), py::kw_only(), py::arg("threads") = 0, examples_text)
        .def_property_readonly_static(
            "determined", [](const py::object&) { return transfer::DeformationTransfer::determined; },
            "The resolution below which examples do not determine a shape: 0.25.")
        .def("resolution", &resolution, py::arg("source_shapes"), py::arg("example_weights"), py::arg("beta"),
             py::kw_only(), py::arg("threads") = 0,
             "(K,) float64: how well examples with these weights (J, K) determine each shape, relative to one example\n"
             "of it alone at weight 1: 0 not at all, 1 as well. Small if its weights are small or if it occurs only\n"
             "together with other shapes that move the same place.");
}

}  // namespace rigcast::bindings
