#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "bindings/convert/arguments.h"
#include "rigcast/core/error.h"
#include "rigcast/core/view.h"

namespace rigcast::bindings {

namespace py = pybind11;

/// Contiguous and aligned: a view into bytes may be unaligned.
inline constexpr int layout = py::array::c_style | int{py::detail::npy_api::NPY_ARRAY_ALIGNED_};

template <class T>
using Array = py::array_t<T, layout | py::array::forcecast>;

inline std::string describe(const py::array& array) {
    return py::str(array.dtype()).cast<std::string>() + " " + py::str(array.attr("shape")).cast<std::string>();
}

/// Returns true if an object is a masked array of NumPy: a conversion would drop its mask. Costs one comparison for a
/// plain array.
inline bool is_masked(const py::handle& object) {
    if (!py::isinstance<py::array>(object)) return false;
    return Py_TYPE(object.ptr()) != py::detail::npy_api::get().PyArray_Type_ && py::hasattr(object, "mask");
}

/// Converts any numeric array-like to a contiguous array of T with `Rank` axes. Throws ArgumentError, which names
/// function, argument and `must` (the expected type and shape), if it is no array of numbers, is masked, has another
/// rank, would convert floats to integers, or has numbers that do not fit T. A matching array is not copied: if another
/// Python thread writes to it while the GIL is released, the result is computed from a mix of old and new numbers.
/// Indices are always copied before they are checked (as_indices, as_faces).
template <class T, int Rank>
Array<T> as_array(const char* function, const char* argument, const py::handle& object, const char* must) {
    const py::array any = py::array::ensure(object);
    if (!any) {
        PyErr_Clear();
        throw bad_argument(function, argument, "a " + std::string(py::str(py::type::of(object).attr("__name__"))),
                           must);
    }
    if (is_masked(object))
        throw bad_argument(function, argument, "a masked array, " + describe(any), std::string(must) + " without mask");
    const char kind = any.dtype().kind();
    const bool numeric = kind == 'i' || kind == 'u' || (kind == 'f' && std::is_floating_point_v<T>);
    if (!numeric || any.ndim() != Rank) throw bad_argument(function, argument, describe(any), must);
    const auto array = Array<T>::ensure(any);
    // Null if numbers do not fit T and NumPy's warning about that is an error, or if the copy does not fit in memory.
    if (!array)
        throw bad_argument(function, argument, describe(any) + " with numbers that do not fit, or too many to copy",
                           must);
    return array;
}

/// Converts a vector of any integer type to int32; an empty list, which NumPy makes float64, is allowed. Throws
/// ArgumentError if an index does not fit int32.
inline Array<std::int32_t> as_indices(const char* function, const char* argument, const py::handle& object) {
    const py::array any = py::array::ensure(object);
    if (!any) PyErr_Clear();
    if (any && any.ndim() == 1 && any.size() == 0) return Array<std::int32_t>(0);
    const auto wide =
        as_array<std::int64_t, 1>(function, argument, any && !is_masked(object) ? any : object, "integers (M,)");
    Array<std::int32_t> narrow(wide.shape(0));
    for (py::ssize_t i = 0; i < wide.shape(0); ++i) {
        if (wide.at(i) != static_cast<std::int32_t>(wide.at(i))) {
            throw bad_argument(function, argument, std::to_string(wide.at(i)) + " somewhere", "an index");
        }
        narrow.mutable_at(i) = static_cast<std::int32_t>(wide.at(i));
    }
    return narrow;
}

template <class T, int Rank>
View<const T, Rank> view(const Array<T>& array) {
    typename View<const T, Rank>::Extents extents;
    for (int axis = 0; axis < Rank; ++axis) extents[axis] = array.shape(axis);
    return {array.data(), extents};
}

template <class T, int Rank>
View<T, Rank> writable(Array<T>& array) {
    typename View<T, Rank>::Extents extents;
    for (int axis = 0; axis < Rank; ++axis) extents[axis] = array.shape(axis);
    return {array.mutable_data(), extents};
}

/// A new array with the elements of a view.
template <class T, int Rank>
Array<T> copy(View<const T, Rank> source) {
    Array<T> array(std::vector<py::ssize_t>(source.extents().begin(), source.extents().end()));
    std::copy(source.begin(), source.end(), array.mutable_data());
    return array;
}

}  // namespace rigcast::bindings
