#include <chrono>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "rigcast/capture/eyes.h"
#include "rigcast/capture/pictures/picture_solver.h"
#include "rigcast/core/check.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::bindings {
namespace {

using capture::HeadPose;
using capture::PictureSolver;
using capture::PictureState;
using capture::PointModel;
using capture::PointTerms;
using capture::SurfaceSamples;

std::unique_ptr<SurfaceSamples> make_samples(const rig::BlendshapeRig& rig, const ArrayLike& vertices,
                                             const ArrayLike& weights, const ArrayLike& importance,
                                             const ArrayLike& strength) {
    const auto corners = as_array<std::int32_t, 2>("SurfaceSamples", "vertices", vertices, "integers (S, 3)");
    const auto shares = as_array<double, 2>("SurfaceSamples", "weights", weights, "numbers (S, 3)");
    const auto heavy = as_array<double, 1>("SurfaceSamples", "importance", importance, "numbers (S,)");
    const auto strengths = as_array<double, 1>("SurfaceSamples", "strength", strength, "numbers (K,)");
    const ReleasedGil released;
    return std::make_unique<SurfaceSamples>(
        rig, capture::PointPlaces{view<std::int32_t, 2>(corners), view<double, 2>(shares)}, view<double, 1>(heavy),
        view<double, 1>(strengths));
}

/// Weights (K) and a pose (3, 4), checked and copied.
struct FrameStart {
    FrameStart(const char* function, const ArrayLike& weights, const ArrayLike& pose) {
        const auto given = as_array<double, 1>(function, "weights", weights, "numbers (K,)");
        const auto matrix = as_array<double, 2>(function, "pose", pose, "numbers (3, 4)");
        check_shape<const double, 2>(function, "pose", view<double, 2>(matrix), {3, 4});
        check_finite(function, "weights", view<double, 1>(given));
        check_finite(function, "pose", view<double, 2>(matrix));
        values.assign(given.data(), given.data() + given.size());
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) head.rotation[3 * a + b] = matrix.at(a, b);
            head.translation[a] = matrix.at(a, 3);
        }
    }
    std::vector<double> values;
    HeadPose head{};
};

template <class T>
Array<T> rows_of(const std::vector<T>& values, std::vector<py::ssize_t> shape) {
    return Array<T>(std::move(shape), values.data());
}

capture::Light light_of(const char* function, const ArrayLike& light) {
    const auto given = as_array<double, 2>(function, "light", light, "numbers (3, 9)");
    check_shape<const double, 2>(function, "light", view<double, 2>(given), {3, capture::num_harmonics});
    capture::Light result;
    for (int c = 0; c < 3; ++c) std::copy_n(given.data(c, 0), capture::num_harmonics, result.gamma[c].begin());
    return result;
}

Array<double> as_array_of(const capture::Light& light) {
    Array<double> result({py::ssize_t{3}, py::ssize_t{capture::num_harmonics}});
    for (int c = 0; c < 3; ++c) std::copy(light.gamma[c].begin(), light.gamma[c].end(), result.mutable_data(c, 0));
    return result;
}

/// A solver with the points and terms of the frame that it solved last, which its energy refers to.
class FrameSolving {
public:
    FrameSolving(const rig::BlendshapeRig& rig, const SurfaceSamples& samples, const PointModel& points,
                 const capture::Occluder& occluder, const capture::Camera& camera, const PointTerms& point_terms,
                 const capture::PictureTerms& terms)
        : solver_(rig, samples, points, occluder, camera, point_terms, terms),
          shapes_(samples.num_shapes()),
          points_(points.num_points()) {}

    PictureSolver& solver() { return solver_; }
    py::dict solve(const ArrayLike& points, const ArrayLike& certainty, const ArrayLike& whitening,
                   const ArrayLike& target, const ArrayLike& strength, const ArrayLike& low, const ArrayLike& high,
                   const ArrayLike& weights, const ArrayLike& pose);
    void close() {
        const ReleasedGil released;
        solver_.close(fit_);
    }
    void recall(const ArrayLike& weights, const ArrayLike& pose, const ArrayLike& ended, const ArrayLike& ended_pose,
                const ArrayLike& light) {
        const FrameStart begin = start("PictureSolver.recall", weights, pose);
        const PictureState end = state("PictureSolver.recall", ended, ended_pose, light);
        const ReleasedGil released;
        fit_ = solver_.recall(begin.values.data(), begin.head, end);
    }
    Array<double> gates(double sigma) {
        Array<double> result(static_cast<py::ssize_t>(shapes_));
        double* to = result.mutable_data();
        const ReleasedGil released;
        solver_.gates(sigma, to);
        return result;
    }
    FrameStart start(const char* function, const ArrayLike& weights, const ArrayLike& pose) const {
        FrameStart result(function, weights, pose);
        if (std::ssize(result.values) == shapes_) return result;
        throw bad_argument(function, "weights", std::to_string(result.values.size()) + " numbers",
                           std::to_string(shapes_) + " numbers");
    }
    PictureState state(const char* function, const ArrayLike& weights, const ArrayLike& pose,
                       const ArrayLike& light) const {
        const FrameStart given = start(function, weights, pose);
        return {given.values, given.head, light_of(function, light)};
    }
    py::tuple energy(const ArrayLike& weights, const ArrayLike& pose, const ArrayLike& light) {
        const PictureState at = state("PictureSolver.energy", weights, pose, light);
        std::vector<double> gradient(static_cast<std::size_t>(shapes_ + 6), 0.0);
        const double value = solver_.energy(at, gradient.data());
        return py::make_tuple(value, rows_of(gradient, {static_cast<py::ssize_t>(shapes_ + 6)}));
    }

private:
    std::vector<double> numbers(const char* argument, const ArrayLike& values, std::int64_t count) const {
        const auto given = as_array<double, 1>("PictureSolver.solve", argument, values, "numbers (K,)");
        check_shape<const double, 1>("PictureSolver.solve", argument, view<double, 1>(given), {count});
        return {given.data(), given.data() + given.size()};
    }

    PictureSolver solver_;
    std::int64_t shapes_, points_;
    std::vector<double> tracked_, certain_, whitening_;
    capture::FrameTerms terms_;
    capture::PictureFit fit_;
};

py::dict FrameSolving::solve(const ArrayLike& points, const ArrayLike& certainty, const ArrayLike& whitening,
                             const ArrayLike& target, const ArrayLike& strength, const ArrayLike& low,
                             const ArrayLike& high, const ArrayLike& weights, const ArrayLike& pose) {
    const char* name = "PictureSolver.solve";
    const auto tracked = as_array<double, 2>(name, "points", points, "numbers (P, 2)");
    check_shape<const double, 2>(name, "points", view<double, 2>(tracked), {points_, 2});
    const auto white = as_array<double, 2>(name, "whitening", whitening, "numbers (P, 3)");
    check_shape<const double, 2>(name, "whitening", view<double, 2>(white), {points_, 3});
    tracked_.assign(tracked.data(), tracked.data() + tracked.size());
    whitening_.assign(white.data(), white.data() + white.size());
    certain_ = numbers("certainty", certainty, points_);
    terms_ = {numbers("target", target, shapes_), numbers("strength", strength, shapes_), numbers("low", low, shapes_),
              numbers("high", high, shapes_)};
    for (const double s : terms_.strength) {
        if (!(s > 0.0)) throw bad_argument(name, "strength", std::to_string(s), "above 0");
    }
    const FrameStart begin = start(name, weights, pose);
    {
        const ReleasedGil released;
        fit_ = solver_.solve({tracked_.data(), certain_.data(), 2, whitening_.data()}, terms_, begin.values.data(),
                             begin.head);
    }
    Array<double> head({3, 4});
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) head.mutable_at(a, b) = fit_.state.head.rotation[3 * a + b];
        head.mutable_at(a, 3) = fit_.state.head.translation[a];
    }
    py::dict result;
    result["weights"] = rows_of(fit_.state.weights, {static_cast<py::ssize_t>(shapes_)});
    result["pose"] = head;
    result["light"] = as_array_of(fit_.state.light);
    result["start_energy"] = fit_.start_energy;
    result["energy"] = fit_.energy;
    result["coarse_start"] = fit_.coarse_start;
    result["trace"] = rows_of(fit_.trace, {std::ssize(fit_.trace)});
    result["steps"] = fit_.steps;
    result["lost"] = fit_.lost;
    const std::vector<std::int32_t>& used = solver_.colors().used;
    result["used"] = rows_of(used, {std::ssize(used)});
    return result;
}

std::unique_ptr<FrameSolving> make_solver(const rig::BlendshapeRig& rig, const SurfaceSamples& samples,
                                          const PointModel& points, const ArrayLike& vertices,
                                          const ArrayLike& triangles, const ArrayLike& camera,
                                          const PointTerms& point_terms, const capture::PictureTerms& terms) {
    const auto used = as_array<std::int32_t, 1>("PictureSolver", "vertices", vertices, "integers (U,)");
    const auto faces = as_array<std::int32_t, 2>("PictureSolver", "triangles", triangles, "integers (F, 3)");
    const auto lens = as_array<double, 1>("PictureSolver", "camera", camera, "focal, center_x, center_y");
    check_shape<const double, 1>("PictureSolver", "camera", view<double, 1>(lens), {3});
    const ReleasedGil released;
    return std::make_unique<FrameSolving>(rig, samples, points,
                                          capture::Occluder{view<std::int32_t, 1>(used), view<std::int32_t, 2>(faces)},
                                          capture::Camera{lens.at(0), lens.at(1), lens.at(2)}, point_terms, terms);
}

Array<std::uint8_t> as_picture(const char* function, const ArrayLike& picture) {
    return as_array<std::uint8_t, 3>(function, "picture", picture, "8-bit numbers (H, W, 3)");
}

void calibrate_solver(FrameSolving& frames, const ArrayLike& picture, const ArrayLike& weights, const ArrayLike& pose) {
    const auto pixels = as_picture("PictureSolver.calibrate", picture);
    const FrameStart start = frames.start("PictureSolver.calibrate", weights, pose);
    const ReleasedGil released;
    frames.solver().calibrate(view<std::uint8_t, 3>(pixels), start.values.data(), start.head);
}

void open_picture(FrameSolving& frames, const ArrayLike& picture, const ArrayLike& weights, const ArrayLike& pose) {
    const auto pixels = as_picture("PictureSolver.open", picture);
    const FrameStart start = frames.start("PictureSolver.open", weights, pose);
    const ReleasedGil released;
    frames.solver().open(view<std::uint8_t, 3>(pixels), start.values.data(), start.head);
}

/// Mean seconds of the normal equations (J and J^T J) and of an energy at a state of the frame solved last.
py::tuple step_seconds(FrameSolving& frames, const ArrayLike& weights, const ArrayLike& pose, const ArrayLike& light,
                       int repeats) {
    const PictureState state = frames.state("PictureSolver.step_seconds", weights, pose, light);
    double best[2] = {1e9, 1e9};
    for (int i = 0; i < repeats; ++i) {
        const ReleasedGil released;
        const auto begin = std::chrono::steady_clock::now();
        frames.solver().energy(state, nullptr);
        const auto middle = std::chrono::steady_clock::now();
        frames.solver().linearize(state);
        const auto end = std::chrono::steady_clock::now();
        best[0] = std::min(best[0], std::chrono::duration<double>(middle - begin).count());
        best[1] = std::min(best[1], std::chrono::duration<double>(end - middle).count());
    }
    return py::make_tuple(best[0], best[1]);
}

py::tuple turn_eye_pair(const ArrayLike& centers, const ArrayLike& pupils, const ArrayLike& origins,
                        const ArrayLike& directions, double disagreement) {
    const char* name = "turn_eyes";
    const auto middle = as_array<double, 2>(name, "centers", centers, "numbers (2, 3)");
    const auto pupil = as_array<double, 2>(name, "pupils", pupils, "numbers (2, 3)");
    const auto from = as_array<double, 2>(name, "origins", origins, "numbers (T, 3)");
    const auto rays = as_array<double, 3>(name, "directions", directions, "numbers (T, 2, 3)");
    check_shape<const double, 2>(name, "centers", view<double, 2>(middle), {2, 3});
    check_shape<const double, 2>(name, "pupils", view<double, 2>(pupil), {2, 3});
    std::array<capture::Eye, 2> eyes;
    for (int e = 0; e < 2; ++e) {
        eyes[e] = {linalg::Vec3::at(middle.data(), e), linalg::Vec3::at(pupil.data(), e)};
    }
    Array<double> angles({from.shape(0), py::ssize_t{2}, py::ssize_t{2}});
    Array<std::uint8_t> status({from.shape(0), py::ssize_t{2}});
    capture::turn_eyes(eyes, view<double, 2>(from), view<double, 3>(rays), disagreement, writable<double, 3>(angles),
                       writable<std::uint8_t, 2>(status));
    return py::make_tuple(angles, status);
}

void bind_picture_terms(py::module_& module) {
    using Terms = capture::PictureTerms;
    py::class_<Terms>(module, "PictureTerms", "Terms of refinement by pictures; rigcast.capture.refine states them.")
        .def(py::init<>())
        .def_readwrite("photometric", &Terms::photometric)
        .def_readwrite("corner", &Terms::corner)
        .def_readwrite("light_ridge", &Terms::light_ridge)
        .def_readwrite("fine", &Terms::fine)
        .def_readwrite("coarse", &Terms::coarse)
        .def_readwrite("gamma", &Terms::gamma)
        .def_readwrite("sparsity", &Terms::sparsity)
        .def_readwrite("tolerance", &Terms::tolerance)
        .def_readwrite("coarse_steps", &Terms::coarse_steps)
        .def_readwrite("fine_steps", &Terms::fine_steps)
        .def_readwrite("draw_every", &Terms::draw_every)
        .def_readwrite("cells", &Terms::cells)
        .def_readwrite("followed", &Terms::followed)
        .def_readwrite("fit_light", &Terms::fit_light)
        .def_readwrite("debias", &Terms::debias);
}

}  // namespace

void bind_refinement(py::module_& module) {
    bind_picture_terms(module);
    py::class_<SurfaceSamples>(module, "SurfaceSamples", "Points on triangles of a rig. Immutable and thread-safe.")
        .def(py::init(&make_samples), py::arg("rig").none(false), py::arg("vertices"), py::arg("weights"),
             py::arg("importance"), py::arg("strength"),
             "vertices, weights (S, 3): triangles and barycentric places; importance (S,); strength (K,).");
    py::class_<FrameSolving>(module, "PictureSolver",
                             "Refines weights and head poses by pictures; what rigcast.capture.refine is made of.")
        .def(py::init(&make_solver), py::arg("rig").none(false), py::arg("samples").none(false),
             py::arg("points").none(false), py::arg("vertices"), py::arg("triangles"), py::arg("camera"),
             py::arg("point_terms"), py::arg("terms"), py::keep_alive<1, 3>(), py::keep_alive<1, 4>())
        .def("calibrate", &calibrate_solver, py::arg("picture"), py::arg("weights"), py::arg("pose"),
             "Adds a picture of the neutral to the effective albedo.")
        .def("open", &open_picture, py::arg("picture"), py::arg("weights"), py::arg("pose"),
             "Makes a picture (H, W, 3) ready, given about where the face is.")
        .def("gates", &FrameSolving::gates, py::arg("sigma"), "(K,) gates of the opened picture.")
        .def("solve", &FrameSolving::solve, py::arg("points"), py::arg("certainty"), py::arg("whitening"),
             py::arg("target"), py::arg("strength"), py::arg("low"), py::arg("high"), py::arg("weights"),
             py::arg("pose"), "Solves the opened picture; a dict of arrays.")
        .def("recall", &FrameSolving::recall, py::arg("weights"), py::arg("pose"), py::arg("ended"),
             py::arg("ended_pose"), py::arg("light"), "In place of a solve of the opened picture whose end is known.")
        .def("close", &FrameSolving::close, "Ends the frame.")
        .def("energy", &FrameSolving::energy, py::arg("weights"), py::arg("pose"), py::arg("light"),
             "Energy of the frame solved last, on its fine level, and the gradient (K + 6,).")
        .def("step_seconds", &step_seconds, py::arg("weights"), py::arg("pose"), py::arg("light"), py::arg("repeats"),
             "Least seconds of an energy, and of the normal equations.")
        .def_property_readonly(
            "unit", [](FrameSolving& frames) { return frames.solver().unit(); },
            "Linear light at which Huber's loss becomes linear.")
        .def_property_readonly(
            "calibrated_light", [](FrameSolving& frames) { return as_array_of(frames.solver().calibrated_light()); },
            "(3, 9) coefficients.")
        .def_property_readonly(
            "albedo",
            [](FrameSolving& frames) {
                const auto& albedo = frames.solver().colors().albedo;
                Array<double> result({std::ssize(albedo), py::ssize_t{3}});
                for (std::size_t i = 0; i < albedo.size(); ++i) {
                    std::copy(albedo[i].begin(), albedo[i].end(), result.mutable_data(static_cast<py::ssize_t>(i), 0));
                }
                return result;
            },
            "(S, 3) effective albedo, 0 where the neutral hides a sample.")
        .def_property_readonly(
            "flow",
            [](FrameSolving& frames) {
                const auto& flow = frames.solver().flow().flow();
                Array<double> result({std::ssize(flow), py::ssize_t{2}});
                for (std::size_t i = 0; i < flow.size(); ++i) {
                    std::copy(flow[i].begin(), flow[i].end(), result.mutable_data(static_cast<py::ssize_t>(i), 0));
                }
                return result;
            },
            "Flow of the followed samples of the last gates, without the head's part, in pixels.");
    module.def("turn_eyes", &turn_eye_pair, py::arg("centers"), py::arg("pupils"), py::arg("origins"),
               py::arg("directions"), py::arg("disagreement"),
               "Angles (T, 2, 2) and status (T, 2); rigcast.capture.turn_eyes is its public face.");
}

}  // namespace rigcast::bindings
