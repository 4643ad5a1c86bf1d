#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "rigcast/capture/frame_residuals.h"
#include "rigcast/capture/points.h"
#include "rigcast/core/check.h"

namespace rigcast::bindings {
namespace {

using capture::PointModel;
using capture::PointTerms;

std::unique_ptr<PointModel> make_point_model(const rig::BlendshapeRig& rig, const ArrayLike& vertices,
                                             const ArrayLike& weights, const ArrayLike& strength,
                                             const ArrayLike& offsets) {
    const auto corners = as_array<std::int32_t, 2>("PointModel", "vertices", vertices, "integers (P, 3)");
    const auto shares = as_array<double, 2>("PointModel", "weights", weights, "numbers (P, 3)");
    const auto strengths = as_array<double, 1>("PointModel", "strength", strength, "numbers (K,)");
    const auto beside = as_array<double, 2>("PointModel", "offsets", offsets, "numbers (P, 3)");
    const ReleasedGil released;
    return std::make_unique<PointModel>(rig,
                                        capture::PointPlaces{view<std::int32_t, 2>(corners), view<double, 2>(shares)},
                                        view<double, 1>(strengths), view<double, 2>(beside));
}

Array<double> point_positions(const PointModel& model, const ArrayLike& weights) {
    const auto given = as_array<double, 1>("PointModel.evaluate", "weights", weights, "numbers (K,)");
    check_shape<const double, 1>("PointModel.evaluate", "weights", view<double, 1>(given), {model.num_shapes()});
    Array<double> positions({static_cast<py::ssize_t>(model.num_points()), py::ssize_t{3}});
    model.evaluate(given.data(), positions.mutable_data());
    return positions;
}

capture::Camera camera_of(const char* function, const ArrayLike& camera) {
    const auto numbers = as_array<double, 1>(function, "camera", camera, "focal, center_x, center_y");
    check_shape<const double, 1>(function, "camera", view<double, 1>(numbers), {3});
    return {numbers.at(0), numbers.at(1), numbers.at(2)};
}

template <class T>
Array<T> as_rows(const std::vector<T>& values, std::vector<py::ssize_t> shape) {
    return Array<T>(std::move(shape), values.data());
}

py::dict solve_point_shot(const PointModel& model, const ArrayLike& points, const ArrayLike& certainty,
                          const ArrayLike& fixed, const ArrayLike& prior_target, const ArrayLike& prior_strength,
                          const ArrayLike& camera, const ArrayLike& rotation, const PointTerms& terms) {
    const char* name = "solve_points";
    const auto tracks = as_array<double, 3>(name, "points", points, "numbers (T, P, 2) or (T, P, 3)");
    const auto certain = as_array<double, 2>(name, "certainty", certainty, "numbers (T, P)");
    const auto pins = as_array<double, 2>(name, "fixed", fixed, "numbers (T, K)");
    const auto target = as_array<double, 2>(name, "prior_target", prior_target, "numbers (T, K)");
    const auto strength = as_array<double, 2>(name, "prior_strength", prior_strength, "numbers (T, K)");
    const auto turn = as_array<double, 2>(name, "rotation", rotation, "numbers (3, 3)");
    const capture::Camera lens = camera_of(name, camera);
    capture::PointWeights found;
    {
        const ReleasedGil released;
        found = capture::solve_points(model,
                                      {view<double, 3>(tracks), view<double, 2>(certain), view<double, 2>(pins),
                                       view<double, 2>(target), view<double, 2>(strength)},
                                      lens, terms, view<double, 2>(turn));
    }
    const py::ssize_t frames = tracks.shape(0);
    py::dict result;
    result["weights"] = as_rows(found.weights, {frames, static_cast<py::ssize_t>(model.num_shapes())});
    result["pose"] = as_rows(found.pose, {frames, 3, 4});
    result["residual"] = as_rows(found.residual, {frames, static_cast<py::ssize_t>(model.num_points())});
    result["start_energy"] = as_rows(found.start_energy, {frames});
    result["energy"] = as_rows(found.energy, {frames});
    result["steps"] = as_rows(found.steps, {frames});
    result["lost"] = as_rows(found.lost, {frames});
    result["settled"] = as_rows(found.settled, {frames});
    return result;
}

/// The energy of one frame at unknowns (K + 6), and its gradient.
py::tuple point_energy(const PointModel& model, const ArrayLike& points, const ArrayLike& certainty,
                       const ArrayLike& target, const ArrayLike& strength, const ArrayLike& camera,
                       const ArrayLike& rotation, const ArrayLike& unknowns, const PointTerms& terms) {
    const char* name = "point_energy";
    const auto frame = as_array<double, 2>(name, "points", points, "numbers (P, D)");
    const auto certain = as_array<double, 1>(name, "certainty", certainty, "numbers (P,)");
    const auto turn = as_array<double, 2>(name, "rotation", rotation, "numbers (3, 3)");
    const auto x = as_array<double, 1>(name, "unknowns", unknowns, "numbers (K + 6,)");
    const auto targets = as_array<double, 1>(name, "target", target, "numbers (K,)");
    const auto strengths = as_array<double, 1>(name, "strength", strength, "numbers (K,)");
    check_shape<const double, 2>(name, "points", view<double, 2>(frame),
                                 {model.num_points(), frame.shape(1) == 2 ? 2 : 3});
    check_shape<const double, 1>(name, "certainty", view<double, 1>(certain), {model.num_points()});
    check_shape<const double, 1>(name, "target", view<double, 1>(targets), {model.num_shapes()});
    check_shape<const double, 1>(name, "strength", view<double, 1>(strengths), {model.num_shapes()});
    check_shape<const double, 1>(name, "unknowns", view<double, 1>(x), {model.num_shapes() + 6});
    check_shape<const double, 2>(name, "rotation", view<double, 2>(turn), {3, 3});
    const capture::FrameTerms given{{targets.data(), targets.data() + targets.size()},
                                    {strengths.data(), strengths.data() + strengths.size()},
                                    {},
                                    {}};
    capture::HeadPose base{};
    std::copy(turn.data(), turn.data() + 9, base.rotation.begin());
    capture::FrameResiduals residuals(model, camera_of(name, camera), terms);
    residuals.start({frame.data(), certain.data(), static_cast<int>(frame.shape(1))}, given, base, terms.sparsity);
    std::vector<double> r(static_cast<std::size_t>(residuals.num_rows())), jacobian;
    residuals.evaluate(x.data(), r.data());
    residuals.linearize(x.data(), &jacobian);
    double energy = -residuals.constant();
    std::vector<double> gradient(static_cast<std::size_t>(x.size()), 0.0);
    for (std::size_t i = 0; i < r.size(); ++i) {
        energy += r[i] * r[i];
        for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += 2.0 * r[i] * jacobian[i * gradient.size() + k];
    }
    return py::make_tuple(energy, as_rows(gradient, {std::ssize(gradient)}));
}

PointTerms make_terms(double noise, double outlier, double smoothing, double gate, double sparsity, double rest,
                      double tolerance, std::int64_t max_iterations, bool debias) {
    return {noise, outlier, smoothing, gate, sparsity, rest, tolerance, max_iterations, debias};
}

}  // namespace

void bind_capture(py::module_& module) {
    py::class_<PointTerms>(module, "PointTerms", "Terms of a frame's energy; rigcast.capture.solve states them.")
        .def(py::init(&make_terms), py::arg("noise"), py::arg("outlier"), py::arg("smoothing"), py::arg("gate"),
             py::arg("sparsity"), py::arg("rest"), py::arg("tolerance"), py::arg("max_iterations"), py::arg("debias"));
    py::class_<PointModel>(module, "PointModel", "Tracked points of a blendshape rig. Immutable and thread-safe.")
        .def(py::init(&make_point_model), py::arg("rig").none(false), py::arg("vertices"), py::arg("weights"),
             py::arg("strength"), py::arg("offsets"),
             "vertices, weights (P, 3): barycentric places; strength (K,); offsets (P, 3) in the rig's unit.")
        .def_property_readonly("radius", &PointModel::radius,
                               "Root mean square distance of the neutral's points from their mean.")
        .def("evaluate", &point_positions, py::arg("weights"), "Positions (P, 3) at weights (K,).");
    module.def("solve_points", &solve_point_shot, py::arg("model"), py::arg("points"), py::arg("certainty"),
               py::arg("fixed"), py::arg("prior_target"), py::arg("prior_strength"), py::arg("camera"),
               py::arg("rotation"), py::arg("terms"),
               "Weights and head poses of a shot as a dict of arrays; rigcast.capture.solve is its public face.");
    module.def("point_energy", &point_energy, py::arg("model"), py::arg("points"), py::arg("certainty"),
               py::arg("target"), py::arg("strength"), py::arg("camera"), py::arg("rotation"), py::arg("unknowns"),
               py::arg("terms"), "The energy of one frame at unknowns (K + 6,), and its gradient.");
}

}  // namespace rigcast::bindings
