#include <pybind11/stl.h>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/features/synthesis.h"
#include "rigcast/core/check.h"
#include "rigcast/synthesis/playing/density_field.h"
#include "rigcast/synthesis/playing/particle.h"
#include "rigcast/synthesis/playing/shortest_paths.h"
#include "rigcast/synthesis/playing/smooth_noise.h"

namespace rigcast::bindings {
namespace {

using synthesis::DensityField;

DensityField field_of_points(const ArrayLike& points, double variance, double length, double noise, double tolerance) {
    const auto rows = as_array<double, 2>("DensityField", "points", points, "numbers (N, D)");
    const ReleasedGil released;
    return {view<double, 2>(rows), variance, length, noise, tolerance};
}

DensityField field_of_centers(const ArrayLike& centers, const ArrayLike& matrix, double variance, double length) {
    const auto rows = as_array<double, 2>("DensityField", "centers", centers, "numbers (R, D)");
    const auto square = as_array<double, 2>("DensityField", "matrix", matrix, "numbers (R, R)");
    return {view<double, 2>(rows), view<double, 2>(square), variance, length};
}

py::tuple evaluate_density(const DensityField& field, const ArrayLike& x, const IntLike& threads) {
    const int num_threads = thread_count("DensityField.evaluate", threads);
    const auto points = as_array<double, 2>("DensityField.evaluate", "x", x, "numbers (T, D)");
    Array<double> density(points.shape(0));
    Array<double> gradient({points.shape(0), points.shape(1)});
    const auto values = writable<double, 1>(density);
    const auto slopes = writable<double, 2>(gradient);
    {
        const ReleasedGil released;
        field.evaluate(view<double, 2>(points), values, slopes, num_threads);
    }
    return py::make_tuple(density, gradient);
}

py::tuple stepped_particles(const DensityField* field, const ArrayLike& positions, const ArrayLike& velocities,
                            const ArrayLike& points, const ArrayLike& radii, const ArrayLike& offsets,
                            const ArrayLike& first_frame, const ArrayLike& seeds, double frame_time, double alpha,
                            double beta, double drag, double likelihood_strength, double likelihood_level,
                            double likelihood_width, double random_strength, double random_timescale, int substeps,
                            const IntLike& threads) {
    const char* function = "step_particles";
    const int num_threads = thread_count(function, threads);
    const auto starts = as_array<double, 2>(function, "positions", positions, "numbers (B, D)");
    const auto speeds = as_array<double, 2>(function, "velocities", velocities, "numbers (B, D)");
    const auto rows = as_array<double, 2>(function, "points", points, "numbers (P, D)");
    const auto balls = as_array<double, 1>(function, "radii", radii, "numbers (P,)");
    const auto cuts = as_array<std::int64_t, 1>(function, "offsets", offsets, "integers (B + 1,)");
    const auto frames = as_array<std::int64_t, 1>(function, "first_frame", first_frame, "integers (B,)");
    const auto draws = as_array<std::uint64_t, 1>(function, "seeds", seeds, "integers (B,)");
    Array<double> at({rows.shape(0), rows.shape(1)});
    Array<double> velocity({rows.shape(0), rows.shape(1)});
    const synthesis::ParticlePaths paths{view<double, 2>(rows), view<double, 1>(balls), view<std::int64_t, 1>(cuts),
                                         view<std::int64_t, 1>(frames), view<std::uint64_t, 1>(draws)};
    const synthesis::ParticleTracks tracks{writable<double, 2>(at), writable<double, 2>(velocity)};
    const synthesis::ParticleSettings settings{
        frame_time,       alpha,   beta, drag, likelihood_strength, likelihood_level, likelihood_width, random_strength,
        random_timescale, substeps};
    {
        const ReleasedGil released;
        synthesis::step_particles(field, settings, view<double, 2>(starts), view<double, 2>(speeds), paths, tracks,
                                  num_threads);
    }
    return py::make_tuple(at, velocity);
}

Array<double> smooth_noise(std::uint64_t seed, int channels, const ArrayLike& times, double timescale) {
    const auto at = as_array<double, 1>("smooth_noise", "times", times, "numbers (T,)");
    check_finite("smooth_noise", "times", view<double, 1>(at));
    if (channels < 0) throw bad_argument("smooth_noise", "channels", std::to_string(channels), "at least 0");
    const synthesis::SmoothNoise noise(timescale);
    for (const double time : view<double, 1>(at)) {
        if (noise.reaches(time)) continue;
        throw bad_argument("smooth_noise", "times", "with " + std::to_string(time), "within 2^50 timescales of 0");
    }
    Array<double> values({at.shape(0), static_cast<py::ssize_t>(channels)});
    for (py::ssize_t t = 0; t < at.shape(0); ++t) {
        const auto window = noise.window(at.at(t), at.at(t));
        std::vector<double> heights(static_cast<std::size_t>(window.count)), weights(heights.size());
        noise.weights(at.at(t), window, weights.data());
        for (int channel = 0; channel < channels; ++channel) {
            noise.heights(seed, static_cast<std::uint64_t>(channel), window, heights.data());
            double sum = 0.0;
            for (std::size_t i = 0; i < heights.size(); ++i) sum += weights[i] * heights[i];
            values.mutable_at(t, channel) = sum;
        }
    }
    return values;
}

py::tuple paths_to_target(const ArrayLike& points, const ArrayLike& target, double power) {
    const auto rows = as_array<double, 2>("shortest_paths", "points", points, "numbers (N, D)");
    const auto end = as_array<double, 1>("shortest_paths", "target", target, "numbers (D,)");
    Array<double> cost(rows.shape(0));
    Array<std::int32_t> next(rows.shape(0));
    const auto costs = writable<double, 1>(cost);
    const auto nexts = writable<std::int32_t, 1>(next);
    {
        const ReleasedGil released;
        synthesis::shortest_paths(view<double, 2>(rows), view<double, 1>(end), power, costs, nexts);
    }
    return py::make_tuple(cost, next);
}

}  // namespace

void bind_synthesis_playing(py::module_& module) {
    py::class_<DensityField>(module, "DensityField",
                             "Log predictive density of a latent space, up to a constant, per output dimension: "
                             "-1/2 log(v(x) / variance).")
        .def(py::init(&field_of_points), py::arg("points"), py::arg("variance"), py::arg("length"), py::arg("noise"),
             py::arg("tolerance") = 1e-8)
        .def_static("from_centers", &field_of_centers, py::arg("centers"), py::arg("matrix"), py::arg("variance"),
                    py::arg("length"))
        .def_property_readonly("num_centers", &DensityField::num_centers)
        .def_property_readonly("num_dimensions", &DensityField::num_dimensions)
        .def("evaluate", &evaluate_density, py::arg("x"), py::arg("threads") = 0,
             "Densities (T,) and their gradients (T, D) at points (T, D).");
    module.def("step_particles", &stepped_particles, py::arg("field").none(true), py::arg("positions"),
               py::arg("velocities"), py::arg("points"), py::arg("radii"), py::arg("offsets"), py::arg("first_frame"),
               py::arg("seeds"), py::kw_only(), py::arg("frame_time") = 1.0 / 24.0, py::arg("alpha") = 12.0,
               py::arg("beta") = 12.0, py::arg("drag") = 2.0, py::arg("likelihood_strength") = 0.0,
               py::arg("likelihood_level") = 0.0, py::arg("likelihood_width") = 1.0, py::arg("random_strength") = 0.0,
               py::arg("random_timescale") = 0.3, py::arg("substeps") = 0, py::arg("threads") = 0,
               "Positions and velocities (P, D) of particles that follow paths; see synthesis/playing/particle.h.");
    module.def("shortest_paths", &paths_to_target, py::arg("points"), py::arg("target"), py::arg("power"),
               "Costs (N,) of the shortest paths to a target, and the next point (N,) of each, -1 for the target.");
    module.def("smooth_noise", &smooth_noise, py::arg("seed"), py::arg("channels"), py::arg("times"),
               py::arg("timescale"), "Draws (T, channels) of a smooth Gaussian process in time, unit variance.");
}

}  // namespace rigcast::bindings
