#include <pybind11/stl.h>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/features/synthesis.h"
#include "rigcast/core/check.h"
#include "rigcast/synthesis/model/coordinates.h"
#include "rigcast/synthesis/player/mixer.h"
#include "rigcast/synthesis/playing/ground.h"

namespace rigcast::bindings {
namespace {

using synthesis::Controls;
using synthesis::Coordinates;
using synthesis::Decay;
using synthesis::Ground;
using synthesis::Points;

std::vector<double> numbers_in(const char* argument, const py::handle& given) {
    const auto flat = as_array<double, 1>("Mixer", argument, given, "numbers");
    return {flat.data(), flat.data() + flat.size()};
}

std::shared_ptr<const Controls> controls_of(const ArrayLike& columns, const std::vector<std::string>& orders,
                                            const ArrayLike& limits) {
    const auto joints_of = as_array<std::int32_t, 2>("Mixer", "columns", columns, "integers (R, 3)");
    const auto bounds = as_array<double, 2>("Mixer", "limits", limits, "numbers (N, 2)");
    check_shape<const std::int32_t, 2>("Mixer", "columns", view<std::int32_t, 2>(joints_of),
                                       {static_cast<std::int64_t>(orders.size()), 3});
    std::vector<Controls::Joint> joints(orders.size());
    for (std::size_t j = 0; j < orders.size(); ++j) {
        joints[j].axes = Controls::axes_of("Mixer", orders[j]);
        for (std::size_t k = 0; k < 3; ++k) joints[j].columns[k] = joints_of.at(j, k);
    }
    std::vector<std::string> names;
    for (py::ssize_t i = 0; i < bounds.shape(0); ++i) names.push_back(std::to_string(i));
    return std::make_shared<const Controls>(
        "Mixer", names, std::vector<double>(bounds.data(), bounds.data() + bounds.size()), std::move(joints));
}

/// Rows (T, N) of controls; T as `like` if it is given.
Array<double> rows_of(const char* argument, const ArrayLike& given, const Controls& controls, py::ssize_t count = -1) {
    auto rows = as_array<double, 2>("Mixer", argument, given, "numbers (T, N)");
    check_shape<const double, 2>("Mixer", argument, view<double, 2>(rows), {count, controls.size()});
    check_finite("Mixer", argument, view<double, 2>(rows));
    return rows;
}

/// `each(row, out)` of all rows (T, N).
template <class T = double, class Each>
Array<T> each_row(py::ssize_t count, const Controls& controls, const Each& each) {
    Array<T> out({count, static_cast<py::ssize_t>(controls.size())});
    const auto to = writable<T, 2>(out);
    const ReleasedGil released;
    for (std::int64_t t = 0; t < count; ++t) each(t, to.row(t));
    return out;
}

/// The mixtures of mixer.h, of many rows at once.
struct ControlMixer {
    std::shared_ptr<const Controls> controls;

    Array<double> blended(const ArrayLike& first, const ArrayLike& second, const ArrayLike& shares) const {
        const auto a = rows_of("first", first, *controls), b = rows_of("second", second, *controls, a.shape(0));
        const auto share = as_array<double, 1>("Mixer", "shares", shares, "numbers (T,)");
        check_shape<const double, 1>("Mixer", "shares", view<double, 1>(share), {a.shape(0)});
        return each_row(a.shape(0), *controls, [&](std::int64_t t, double* out) {
            synthesis::blend(*controls, view<double, 2>(a).row(t), view<double, 2>(b).row(t), view<double, 1>(share)(t),
                             out);
        });
    }
    Array<double> difference(const ArrayLike& first, const ArrayLike& second) const {
        const auto a = rows_of("first", first, *controls), b = rows_of("second", second, *controls, a.shape(0));
        return each_row(a.shape(0), *controls, [&](std::int64_t t, double* out) {
            synthesis::difference(*controls, view<double, 2>(a).row(t), view<double, 2>(b).row(t), out);
        });
    }
    Array<double> shifted(const ArrayLike& given, const ArrayLike& offsets) const {
        const auto a = rows_of("controls", given, *controls), b = rows_of("offsets", offsets, *controls, a.shape(0));
        return each_row(a.shape(0), *controls, [&](std::int64_t t, double* out) {
            synthesis::shift(*controls, view<double, 2>(a).row(t), view<double, 2>(b).row(t), out);
        });
    }
    Array<float> clipped(const ArrayLike& given) const {
        const auto a = rows_of("controls", given, *controls);
        return each_row<float>(a.shape(0), *controls,
                               [&](std::int64_t t, float* out) { controls->clip(view<double, 2>(a).row(t), out); });
    }
};

Decay decay_across(const ControlMixer& mixer, std::int64_t begin, const ArrayLike& before, const ArrayLike& after,
                   std::int64_t frames) {
    const auto a = as_array<float, 2>("Decay", "before", before, "numbers (2, N)");
    const auto b = as_array<float, 2>("Decay", "after", after, "numbers (2, N)");
    check_shape<const float, 2>("Decay", "before", view<float, 2>(a), {2, mixer.controls->size()});
    check_shape<const float, 2>("Decay", "after", view<float, 2>(b), {2, mixer.controls->size()});
    if (frames < 1) throw bad_argument("Decay", "frames", std::to_string(frames), "at least 1");
    return Decay::across(*mixer.controls, begin, a.data(), b.data(), frames);
}

Array<double> decay_at(const Decay& decay, const ArrayLike& frames) {
    const auto at = as_array<std::int64_t, 1>("Decay", "frames", frames, "integers (T,)");
    Array<double> out({at.shape(0), static_cast<py::ssize_t>(decay.offset.size())});
    const auto to = writable<double, 2>(out);
    for (py::ssize_t t = 0; t < at.shape(0); ++t) decay.at(at.at(t), to.row(t));
    return out;
}

Points points_in(const char* argument, const ArrayLike& given) {
    const auto rows = as_array<double, 2>("Ground", argument, given, "numbers (n, D)");
    check_finite("Ground", argument, view<double, 2>(rows));
    return {std::max<std::int64_t>(rows.shape(1), 1), {rows.data(), rows.data() + rows.size()}};
}

std::vector<double> point_in(const Ground& ground, const char* argument, const ArrayLike& given) {
    std::vector<double> point = numbers_in(argument, given);
    check_shape<const double, 1>("Ground", argument, {point.data(), {std::ssize(point)}}, {ground.dimension()});
    return point;
}

py::tuple planned(const Ground& ground, const ArrayLike& start, const ArrayLike& targets, const std::string& along) {
    const std::vector<double> from = point_in(ground, "start", start);
    const Points to = points_in("targets", targets);
    check_shape<const double, 2>("Ground", "targets", to.view(), {-1, ground.dimension()});
    const Ground::Path path = ground.plan(from.data(), to, along == "straight");
    return py::make_tuple(copy(path.rows.view()), Array<double>(std::ssize(path.radii), path.radii.data()), path.note);
}

void bind_mixer(py::module_& module) {
    py::class_<ControlMixer>(module, "ControlMixer",
                             "Mixtures of controls (T, N): joints as rotations, everything else linearly.\n"
                             "columns (R, 3) are controls that are Euler angles in degrees, orders as \"ZYX\".")
        .def(py::init([](const ArrayLike& columns, const std::vector<std::string>& orders, const ArrayLike& limits) {
                 return ControlMixer{controls_of(columns, orders, limits)};
             }),
             py::arg("columns"), py::arg("orders"), py::arg("limits"))
        .def("blended", &ControlMixer::blended, py::arg("first"), py::arg("second"), py::arg("shares"),
             "Controls between two, by shares (T,): R_1 exp(share log(R_1^T R_2)) for joints.")
        .def("difference", &ControlMixer::difference, py::arg("first"), py::arg("second"),
             "What turns the second controls into the first: rotation vectors in the columns of joints.")
        .def("shifted", &ControlMixer::shifted, py::arg("controls"), py::arg("offsets"),
             "Controls with differences added, the inverse of difference.")
        .def("clipped", &ControlMixer::clipped, py::arg("controls"), "Controls inside the limits, as float32.");
    py::class_<Decay>(module, "Decay", "A difference that decays to nothing over some frames (Bollo 2018).")
        .def_static("across", &decay_across, py::arg("mixer"), py::arg("begin"), py::arg("before"), py::arg("after"),
                    py::arg("frames"),
                    "Of the jump from rows `before` (2, N) to `after` (2, N), at `begin` and one later.")
        .def("at", &decay_at, py::arg("frames"), "Differences (T, N) at frames (T,).");
    module.def(
        "smooth_shares",
        [](std::int64_t count) {
            Array<double> shares(std::max<py::ssize_t>(count, 0));
            for (std::int64_t i = 0; i < count; ++i) shares.mutable_at(i) = synthesis::smooth_share(i, count);
            return shares;
        },
        py::arg("count"), "Shares (count,) of the second stretch in the frames of a blend (Kovar et al. 2002).");
    py::class_<Coordinates>(module, "ControlCoordinates", "Controls as differences from their mean, and back.")
        .def(py::init([](const ArrayLike& columns, const std::vector<std::string>& orders, const ArrayLike& limits,
                         const ArrayLike& mean, const ArrayLike& rotations) {
                 const auto turned = as_array<double, 3>("Coordinates", "rotations", rotations, "numbers (R, 3, 3)");
                 return std::make_unique<Coordinates>(
                     "Coordinates", controls_of(columns, orders, limits), numbers_in("mean", mean),
                     std::vector<double>(turned.data(), turned.data() + turned.size()));
             }),
             py::arg("columns"), py::arg("orders"), py::arg("limits"), py::arg("mean"), py::arg("rotations"))
        .def(
            "of",
            [](const Coordinates& around, const ArrayLike& given) {
                const auto rows = rows_of("controls", given, around.controls());
                return each_row(rows.shape(0), around.controls(),
                                [&](std::int64_t t, double* out) { around.of(view<double, 2>(rows).row(t), out); });
            },
            py::arg("controls"), "Coordinates (T, N) of controls.")
        .def(
            "unclipped",
            [](const Coordinates& around, const ArrayLike& given) {
                const auto rows = rows_of("coordinates", given, around.controls());
                return each_row(rows.shape(0), around.controls(), [&](std::int64_t t, double* out) {
                    around.unclipped(view<double, 2>(rows).row(t), out);
                });
            },
            py::arg("coordinates"), "Controls (T, N) of coordinates, inside the limits or not.");
}

}  // namespace

void bind_synthesis_paths(py::module_& module) {
    bind_mixer(module);
    py::class_<Ground>(module, "Ground", "A label's latent space as paths see it; see synthesis/playing/ground.h.")
        .def(py::init([](std::shared_ptr<synthesis::LatentSpace> latent,
                         const std::vector<std::array<std::int64_t, 2>>& ends, const synthesis::PlaySettings& settings,
                         std::int64_t rounding, std::size_t kept_bytes) {
                 const ReleasedGil released;
                 return std::make_unique<Ground>(std::move(latent), ends, settings, rounding, kept_bytes);
             }),
             py::arg("latent"), py::arg("ends"), py::arg("settings"), py::kw_only(), py::arg("rounding") = 5,
             py::arg("kept_bytes") = Ground::usual_bytes)
        .def_property_readonly("step", &Ground::step)
        .def_property_readonly("least", &Ground::least)
        .def_property_readonly("kept_paths", &Ground::kept_paths, "Number of points to which paths are kept.")
        .def(
            "density",
            [](const Ground& ground, const ArrayLike& x) {
                const std::vector<double> found = ground.density(points_in("x", x));
                return Array<double>(std::ssize(found), found.data());
            },
            py::arg("x"), "Log predictive densities (T,) of points (T, D).")
        .def(
            "along_data",
            [](const Ground& ground, const ArrayLike& start, const ArrayLike& target) {
                const Points nodes = ground.along_data(point_in(ground, "start", start).data(),
                                                       point_in(ground, "target", target).data());
                return copy(nodes.view());
            },
            py::arg("start"), py::arg("target"), "Shortest path (M, D) through the training points.")
        .def("plan", &planned, py::arg("start"), py::arg("targets"), py::arg("along"),
             "Points (n, D) per frame, radii (n,), and what the density made of the path (\"\" if nothing).");
    module.def("density_of", &synthesis::density_of, py::arg("latent"),
               "The predictive density of a latent space, exact or with inducing points.");
    module.def(
        "rounding_width",
        [](const std::vector<ArrayLike>& features) {
            std::vector<Points> clips;
            for (const ArrayLike& rows : features) clips.push_back(points_in("features", rows));
            return synthesis::rounding_width(clips);
        },
        py::arg("features"),
        "Frames of each of the two moving averages that round paths, for features (T, R) of clips.");
}

}  // namespace rigcast::bindings
