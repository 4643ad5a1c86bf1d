#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/faces.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/metrics/normal_error.h"
#include "rigcast/metrics/vertex_error.h"

namespace rigcast::bindings {
namespace {

constexpr const char* animation = "numbers (V, 3) or (T, V, 3)";

/// Vertices (V, 3) of one frame or (T, V, 3) of several, as (T, V, 3).
Array<float> as_animation(const char* function, const char* argument, const py::object& vertices) {
    const py::array any = py::array::ensure(vertices);
    if (!any) PyErr_Clear();
    if (!any || any.ndim() != 2) return as_array<float, 3>(function, argument, vertices, animation);
    Array<float> frame = as_array<float, 2>(function, argument, vertices, animation);
    return Array<float>(frame.reshape({py::ssize_t{1}, frame.shape(0), frame.shape(1)}));
}

Array<float> vertex_distances(const ArrayLike& truth, const ArrayLike& approximation, const IntLike& threads) {
    const int num_threads = thread_count("vertex_error", threads);
    const auto first = as_animation("vertex_error", "truth", truth);
    const auto second = as_animation("vertex_error", "approximation", approximation);
    Array<float> distances({first.shape(0), first.shape(1)});
    const auto out = writable<float, 2>(distances);
    const ReleasedGil released;
    metrics::vertex_distances(view<float, 3>(first), view<float, 3>(second), out, num_threads);
    return distances;
}

Array<float> face_normal_angles(const ArrayLike& truth, const ArrayLike& approximation, const ArrayLike& faces,
                                const IntLike& threads) {
    const int num_threads = thread_count("normal_angle", threads);
    const auto first = as_animation("normal_angle", "truth", truth);
    const auto second = as_animation("normal_angle", "approximation", approximation);
    const auto corners = as_faces("normal_angle", faces);
    Array<float> angles({first.shape(0), corners.shape(0)});
    const auto out = writable<float, 2>(angles);
    const ReleasedGil released;
    metrics::face_normal_angles(view<float, 3>(first), view<float, 3>(second), view<std::int32_t, 2>(corners), out,
                                num_threads);
    return angles;
}

py::tuple hinge_errors(const ArrayLike& truth, const ArrayLike& approximation, const ArrayLike& faces,
                       const IntLike& threads) {
    const int num_threads = thread_count("seam_error", threads);
    const auto first = as_animation("seam_error", "truth", truth);
    const auto second = as_animation("seam_error", "approximation", approximation);
    const auto corners = as_faces("seam_error", faces);
    metrics::HingeErrors errors;
    {
        const ReleasedGil released;
        errors = metrics::hinge_errors(view<float, 3>(first), view<float, 3>(second), view<std::int32_t, 2>(corners),
                                       num_threads);
    }
    const py::ssize_t count = static_cast<py::ssize_t>(errors.hinges.size());
    Array<std::int32_t> edges({count, py::ssize_t{2}});
    Array<std::int32_t> sides({count, py::ssize_t{2}});
    for (py::ssize_t e = 0; e < count; ++e) {
        edges.mutable_at(e, 0) = errors.hinges[e].edge.a;
        edges.mutable_at(e, 1) = errors.hinges[e].edge.b;
        sides.mutable_at(e, 0) = errors.hinges[e].first;
        sides.mutable_at(e, 1) = errors.hinges[e].second;
    }
    return py::make_tuple(edges, sides, Array<double>(count, errors.angle.data()),
                          Array<double>(count, errors.length.data()));
}

}  // namespace

void bind_metrics(py::module_& module) {
    module.def("vertex_distances", &vertex_distances, py::arg("truth"), py::arg("approximation"),
               py::arg("threads") = 0, "(T, V) distances between vertices (T, V, 3) or (V, 3).");
    module.def("face_normal_angles", &face_normal_angles, py::arg("truth"), py::arg("approximation"), py::arg("faces"),
               py::arg("threads") = 0, "(T, F) angles in degrees between face normals; NaN if a face has no area.");
    module.def("hinge_errors", &hinge_errors, py::arg("truth"), py::arg("approximation"), py::arg("faces"),
               py::arg("threads") = 0,
               "The edges (E, 2) with exactly two faces, these faces (E, 2), and per edge the mean errors over frames\n"
               "(E,) of the dihedral angle in degrees and of the length.");
}

}  // namespace rigcast::bindings
