#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/poses.h"
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
        const py::gil_scoped_release released;
        ik::two_bone(limbs, poses, num_threads);
    }
    return py::make_tuple(elbow, end, flags);
}

}  // namespace

void bind_limbs(py::module_& module) {
    module.def("two_bone", &two_bone, py::arg("base"), py::arg("target"), py::arg("upper"), py::arg("lower"),
               py::arg("axis"), py::arg("threads") = 0,
               py::arg("out") = py::make_tuple(py::none(), py::none(), py::none()),
               "Elbows (N, 3), ends (N, 3) and flags (N,) of two-bone limbs; see rigwright.ik.two_bone.");
}

}  // namespace rigwright::bindings
