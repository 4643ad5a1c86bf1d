#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/scalars.h"
#include "rigwright/ik/limbs/two_bone.h"

namespace rigwright::bindings {
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

py::tuple two_bone(const ArrayLike& base, const ArrayLike& target, const ArrayLike& upper, const ArrayLike& lower,
                   const ArrayLike& axis, const IntLike& threads) {
    const int num_threads = thread_count("two_bone", threads);
    const Array<double> points[] = {as_points("base", base), as_points("target", target), as_points("axis", axis)};
    const Array<double> lengths[] = {as_lengths("upper", upper), as_lengths("lower", lower)};
    py::ssize_t count = 1;
    for (const py::array& array : {points[0], points[1], points[2], lengths[0], lengths[1]}) {
        if (array.shape(0) != 1) count = array.shape(0);
    }
    Array<double> elbow({count, py::ssize_t{3}});
    Array<double> end({count, py::ssize_t{3}});
    Array<std::uint8_t> flags(count);
    const ik::TwoBoneLimbs limbs{view<double, 2>(points[0]), view<double, 2>(points[1]), view<double, 1>(lengths[0]),
                                 view<double, 1>(lengths[1]), view<double, 2>(points[2])};
    const ik::TwoBonePoses poses{writable<double, 2>(elbow), writable<double, 2>(end),
                                 writable<std::uint8_t, 1>(flags)};
    {
        const py::gil_scoped_release released;
        ik::two_bone(limbs, poses, num_threads);
    }
    return py::make_tuple(elbow, end, flags);
}

}  // namespace

void bind_limbs(py::module_& module) {
    module.def("two_bone", &two_bone, py::arg("base"), py::arg("target"), py::arg("upper"), py::arg("lower"),
               py::arg("axis"), py::arg("threads") = 0,
               "Elbows (N, 3), ends (N, 3) and flags (N,) of two-bone limbs; see rigwright.ik.two_bone.");
}

}  // namespace rigwright::bindings
