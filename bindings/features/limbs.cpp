#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/core/check.h"
#include "rigcast/ik/limbs/foot_lock.h"
#include "rigcast/ik/limbs/limb.h"
#include "rigcast/ik/limbs/turn_joints.h"

namespace rigcast::bindings {
namespace {

/// Points (N, 3) or one point (3,), as (N, 3) or (1, 3).
Array<double> as_points(const char* argument, const py::object& points) {
    const char* must = "numbers (N, 3) or (3,)";
    const py::array any = py::array::ensure(points);
    if (!any) PyErr_Clear();
    if (!any || any.ndim() != 1) return as_array<double, 2>("two_bone", argument, points, must);
    Array<double> row = as_array<double, 1>("two_bone", argument, points, must);
    return Array<double>(row.reshape({py::ssize_t{1}, row.shape(0)}));
}

/// Lengths (N,) or one number, as (N,) or (1,).
Array<double> as_lengths(const char* argument, const py::object& lengths) {
    const char* must = "numbers (N,) or one number";
    const py::array any = py::array::ensure(lengths);
    if (!any) PyErr_Clear();
    if (!any || any.ndim() != 0) return as_array<double, 1>("two_bone", argument, lengths, must);
    Array<double> number = as_array<double, 0>("two_bone", argument, lengths, must);
    return Array<double>(number.reshape({py::ssize_t{1}}));
}

/// An array of the caller for results, or a new one if it is None. Throws ArgumentError if its type or shape is
/// another.
template <class T>
Array<T> result_array(const py::object& given, const std::vector<py::ssize_t>& shape) {
    if (given.is_none()) return Array<T>(shape);
    if (py::isinstance<Array<T>>(given)) {
        const Array<T> array = py::reinterpret_borrow<Array<T>>(given);
        if (array.writeable() && std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()) == shape) {
            return array;
        }
    }
    throw bad_argument("two_bone", "out", "of another shape or type", "the result for as many limbs");
}

py::tuple two_bone(const ArrayLike& base, const ArrayLike& target, const ArrayLike& upper, const ArrayLike& lower,
                   const ArrayLike& axis, const IntLike& threads, const py::tuple& out) {
    const int num_threads = thread_count("two_bone", threads);
    const Array<double> points[] = {as_points("base", base), as_points("target", target), as_points("axis", axis)};
    const Array<double> lengths[] = {as_lengths("upper", upper), as_lengths("lower", lower)};
    py::ssize_t count = 1;
    for (const py::array& array : {points[0], points[1], points[2], lengths[0], lengths[1]}) {
        if (array.shape(0) != 1) count = array.shape(0);
    }
    Array<double> elbow = result_array<double>(out[0], {count, 3});
    Array<double> end = result_array<double>(out[1], {count, 3});
    Array<std::uint8_t> flags = result_array<std::uint8_t>(out[2], {count});
    for (const py::array& array : {points[0], points[1], points[2], lengths[0], lengths[1]}) {
        if (overlap(array, elbow) || overlap(array, end) || overlap(array, flags)) {
            throw bad_argument("two_bone", "out", "memory of an argument", "memory of its own");
        }
    }
    const ik::TwoBoneLimbs limbs{view<double, 2>(points[0]), view<double, 2>(points[1]), view<double, 1>(lengths[0]),
                                 view<double, 1>(lengths[1]), view<double, 2>(points[2])};
    const ik::TwoBonePoses poses{writable<double, 2>(elbow), writable<double, 2>(end),
                                 writable<std::uint8_t, 1>(flags)};
    {
        const ReleasedGil released;
        ik::two_bone(limbs, poses, num_threads);
    }
    return py::make_tuple(elbow, end, flags);
}

/// An optional argument (N, 3) or (N, 3, 3) and its view, empty if it is None.
template <int Rank>
struct OptionalRows {
    Array<double> array;
    View<const double, Rank> rows;

    OptionalRows(const char* argument, const py::object& given) {
        if (given.is_none()) return;
        array =
            as_array<double, Rank>("Limb.solve", argument, given, Rank == 2 ? "numbers (T, 3)" : "numbers (T, 3, 3)");
        rows = view<double, Rank>(array);
    }
};

py::tuple solve_limb(const ik::Limb& limb, const ArrayLike& poses, const ArrayLike& targets,
                     const OptionalArray& orientations, bool end_follows, const OptionalArray& poles, bool poles_in_end,
                     const OptionalArray& elbows, const IntLike& threads) {
    const int num_threads = thread_count("Limb.solve", threads);
    const auto input = as_array<float, 2>("Limb.solve", "poses", poses, "numbers (T, C)");
    const auto points = as_array<double, 2>("Limb.solve", "targets", targets, "numbers (T, 3)");
    const OptionalRows<3> turns("orientations", orientations);
    const OptionalRows<2> sides("poles", poles);
    const OptionalRows<2> bends("elbows", elbows);
    Array<float> posed({input.shape(0), input.shape(1)});
    Array<double> miss(input.shape(0));
    Array<std::uint8_t> flags(input.shape(0));
    const ik::LimbGoals goals{view<double, 2>(points), turns.rows, end_follows, sides.rows, poles_in_end, bends.rows};
    const ik::LimbResults results{writable<float, 2>(posed), writable<double, 1>(miss),
                                  writable<std::uint8_t, 1>(flags)};
    {
        const ReleasedGil released;
        limb.solve(view<float, 2>(input), goals, results, num_threads);
    }
    return py::make_tuple(posed, miss, flags);
}

py::tuple match_ik(const ik::Limb& limb, const ArrayLike& poses, const IntLike& threads) {
    const int num_threads = thread_count("Limb.match_ik", threads);
    const auto input = as_array<float, 2>("Limb.match_ik", "poses", poses, "numbers (T, C)");
    const py::ssize_t frames = input.shape(0);
    Array<double> targets({frames, py::ssize_t{3}});
    Array<double> orientations({frames, py::ssize_t{3}, py::ssize_t{3}});
    Array<double> poles({frames, py::ssize_t{3}});
    Array<double> elbows({frames, py::ssize_t{3}});
    const ik::LimbControls controls{writable<double, 2>(targets), writable<double, 3>(orientations),
                                    writable<double, 2>(poles), writable<double, 2>(elbows)};
    {
        const ReleasedGil released;
        limb.match_ik(view<float, 2>(input), controls, num_threads);
    }
    return py::make_tuple(targets, orientations, poles, elbows);
}

ik::Limb make_limb(const rig::Skeleton& skeleton, int upper, int lower, int end, const ArrayLike& hinge,
                   double softness, double stretch, double squash, double min_bend, double max_bend) {
    const auto axis = as_array<double, 1>("Limb", "hinge", hinge, "numbers (3,)");
    check_shape<const double, 1>("Limb", "hinge", view<double, 1>(axis), {3});
    return {skeleton, upper, lower, end, {ik::Vec3::at(axis.data()), softness, stretch, squash, min_bend, max_bend}};
}

Array<double> joint_positions(const rig::Skeleton& skeleton, int joint, const ArrayLike& poses) {
    const auto input = as_array<float, 2>("foot_lock", "poses", poses, "numbers (T, C)");
    Array<double> positions({input.shape(0), py::ssize_t{3}});
    ik::joint_positions(skeleton, joint, view<float, 2>(input), writable<double, 2>(positions));
    return positions;
}

Array<std::uint8_t> find_contacts(const ArrayLike& points, int up, double height, double speed, double looser,
                                  double shortest, double fps) {
    const auto input = as_array<double, 2>("find_contacts", "points", points, "numbers (T, 3)");
    Array<std::uint8_t> contacts(input.shape(0));
    ik::find_contacts(view<double, 2>(input), up, {height, speed, looser, shortest, fps},
                      writable<std::uint8_t, 1>(contacts));
    return contacts;
}

py::tuple lock_feet(const rig::Skeleton& skeleton, const std::vector<const ik::Limb*>& legs,
                    const std::vector<int>& toes, const ArrayLike& poses, const ArrayLike& contacts,
                    const ArrayLike& longest_steps, int pelvis, int up, double release, double blend, double fps) {
    const auto input = as_array<float, 2>("foot_lock", "poses", poses, "numbers (T, C)");
    const auto held = as_array<std::uint8_t, 2>("foot_lock", "contacts", contacts, "integers (T, F)");
    const auto steps = as_array<double, 2>("foot_lock", "longest_steps", longest_steps, "numbers (T, F)");
    if (legs.size() != toes.size()) throw bad_argument("foot_lock", "toes", "of another length", "one per leg");
    std::vector<ik::Foot> feet;
    for (std::size_t f = 0; f < legs.size(); ++f) feet.push_back({legs[f], toes[f]});
    Array<float> posed({input.shape(0), input.shape(1)});
    Array<std::uint8_t> kept({held.shape(0), held.shape(1)});
    Array<double> drift({held.shape(0), held.shape(1)});
    Array<double> lowered(input.shape(0));
    const ik::FootLockResults results{writable<float, 2>(posed), writable<std::uint8_t, 2>(kept),
                                      writable<double, 2>(drift), writable<double, 1>(lowered)};
    {
        const ReleasedGil released;
        ik::lock_feet(skeleton, feet, view<float, 2>(input), view<std::uint8_t, 2>(held), view<double, 2>(steps),
                      {pelvis, up, release, blend, fps}, results);
    }
    return py::make_tuple(posed, kept, drift, lowered);
}

Array<double> mean_hinge(const rig::Skeleton& skeleton, int upper, int lower, int end, const ArrayLike& poses) {
    const auto input = as_array<float, 2>("foot_lock", "poses", poses, "numbers (T, C)");
    Array<double> axis(3);
    ik::mean_hinge(skeleton, upper, lower, end, view<float, 2>(input)).write(axis.mutable_data());
    return axis;
}

py::tuple look_at(const rig::Skeleton& skeleton, const std::vector<int>& joints, const ArrayLike& axes,
                  const ArrayLike& shares, const ArrayLike& limits, const ArrayLike& poses, const ArrayLike& targets) {
    const auto input = as_array<float, 2>("look_at", "poses", poses, "numbers (T, C)");
    const auto points = as_array<double, 2>("look_at", "targets", targets, "numbers (T, 3)");
    const auto axis = as_array<double, 2>("look_at", "axis", axes, "numbers (n, 3)");
    const auto share = as_array<double, 1>("look_at", "share", shares, "numbers (n,)");
    const auto limit = as_array<double, 1>("look_at", "limit", limits, "numbers (n,)");
    const std::int64_t count = static_cast<std::int64_t>(joints.size());
    check_shape<const double, 2>("look_at", "axis", view<double, 2>(axis), {count, 3});
    check_shape<const double, 1>("look_at", "share", view<double, 1>(share), {count});
    check_shape<const double, 1>("look_at", "limit", view<double, 1>(limit), {count});
    std::vector<ik::Aim> aims;
    for (std::int64_t i = 0; i < count; ++i) {
        aims.push_back({joints[static_cast<std::size_t>(i)], ik::Vec3::at(axis.data(), i), share.at(i), limit.at(i)});
    }
    Array<float> posed({input.shape(0), input.shape(1)});
    Array<double> misses({input.shape(0), static_cast<py::ssize_t>(count)});
    ik::look_at(skeleton, aims, view<float, 2>(input), view<double, 2>(points), writable<float, 2>(posed),
                writable<double, 2>(misses));
    return py::make_tuple(posed, misses);
}

Array<float> move_joint(const rig::Skeleton& skeleton, int joint, const ArrayLike& poses, const ArrayLike& rotations,
                        const ArrayLike& translations) {
    const auto input = as_array<float, 2>("move_torso", "poses", poses, "numbers (T, C)");
    const auto turns = as_array<double, 3>("move_torso", "rotation", rotations, "numbers (T, 3, 3)");
    const auto shifts = as_array<double, 2>("move_torso", "translation", translations, "numbers (T, 3)");
    Array<float> posed({input.shape(0), input.shape(1)});
    ik::move_joint(skeleton, joint, view<float, 2>(input), view<double, 3>(turns), view<double, 2>(shifts),
                   writable<float, 2>(posed));
    return posed;
}

py::tuple spread_twist(const rig::Skeleton& skeleton, int joint, const std::vector<int>& helpers,
                       const std::vector<double>& shares, const ArrayLike& poses) {
    const auto input = as_array<float, 2>("spread_twist", "poses", poses, "numbers (T, C)");
    if (helpers.size() != shares.size()) throw bad_argument("spread_twist", "shares", "of another length", "one each");
    std::vector<ik::TwistShare> given;
    for (std::size_t i = 0; i < helpers.size(); ++i) given.push_back({helpers[i], shares[i]});
    Array<float> posed({input.shape(0), input.shape(1)});
    Array<double> degrees(input.shape(0));
    ik::spread_twist(skeleton, joint, given, view<float, 2>(input), writable<float, 2>(posed),
                     writable<double, 1>(degrees));
    return py::make_tuple(posed, degrees);
}

void bind_feet(py::module_& module) {
    module.def("joint_positions", &joint_positions, py::arg("skeleton"), py::arg("joint"), py::arg("poses"),
               "Global positions (T, 3) of a joint.");
    module.def("mean_hinge", &mean_hinge, py::arg("skeleton"), py::arg("upper"), py::arg("lower"), py::arg("end"),
               py::arg("poses"), "The hinge axis (3,) of a limb from a clip; zero if it is never bent.");
    module.def("find_contacts", &find_contacts, py::arg("points"), py::arg("up"), py::arg("height"), py::arg("speed"),
               py::arg("looser"), py::arg("shortest"), py::arg("fps"), "1 per frame (T,) in which a point stands.");
    module.def("lock_feet", &lock_feet, py::arg("skeleton"), py::arg("legs"), py::arg("toes"), py::arg("poses"),
               py::arg("contacts"), py::arg("longest_steps"), py::arg("pelvis"), py::arg("up"), py::arg("release"),
               py::arg("blend"), py::arg("fps"),
               "Poses (T, C), contacts (T, F), drift (T, F) and lowered (T,); see rigcast.ik.foot_lock.");
}

void bind_limb(py::module_& module) {
    py::class_<ik::Limb>(module, "Limb", "A two-bone limb of a skeleton; see rigcast.ik.Limb.")
        .def(py::init(&make_limb), py::arg("skeleton"), py::arg("upper"), py::arg("lower"), py::arg("end"),
             py::arg("hinge"), py::arg("softness"), py::arg("stretch"), py::arg("squash"), py::arg("min_bend"),
             py::arg("max_bend"))
        .def("solve", &solve_limb, py::arg("poses"), py::arg("targets"), py::arg("orientations"),
             py::arg("end_follows"), py::arg("poles"), py::arg("poles_in_end"), py::arg("elbows") = py::none(),
             py::arg("threads") = 0, "Poses (T, C), distances (T,) from end to target, and flags (T,).")
        .def("match_ik", &match_ik, py::arg("poses"), py::arg("threads") = 0,
             "Targets (T, 3), orientations (T, 3, 3), poles (T, 3) and elbows (T, 3).");
}

}  // namespace

void bind_limbs(py::module_& module) {
    module.def("spread_twist", &spread_twist, py::arg("skeleton"), py::arg("joint"), py::arg("helpers"),
               py::arg("shares"), py::arg("poses"), "Poses (T, C) and the twist (T,) in degrees.");
    module.def("look_at", &look_at, py::arg("skeleton"), py::arg("joints"), py::arg("axes"), py::arg("shares"),
               py::arg("limits"), py::arg("poses"), py::arg("targets"),
               "Poses (T, C) and angles (T, n) that are left.");
    module.def("move_joint", &move_joint, py::arg("skeleton"), py::arg("joint"), py::arg("poses"), py::arg("rotations"),
               py::arg("translations"), "Poses (T, C) with a joint turned and moved in global space.");
    bind_limb(module);
    bind_feet(module);
    module.def("two_bone", &two_bone, py::arg("base"), py::arg("target"), py::arg("upper"), py::arg("lower"),
               py::arg("axis"), py::arg("threads") = 0,
               py::arg("out") = py::make_tuple(py::none(), py::none(), py::none()),
               "Elbows (N, 3), ends (N, 3) and flags (N,) of two-bone limbs; see rigcast.ik.two_bone.");
}

}  // namespace rigcast::bindings
