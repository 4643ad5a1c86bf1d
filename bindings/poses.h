#pragma once
#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "arrays.h"
#include "rig/deformer.h"

namespace rigwright::bindings {

inline constexpr const char* pose_shape = "an array of numbers (T, C) or (C,)";

/// Poses as (T, C), and whether the caller gave one pose without the T axis.
inline std::pair<Array<float>, bool> as_poses(const char* function, const py::object& poses,
                                              const char* argument = "poses") {
    const py::array any = py::array::ensure(poses);
    if (any && any.ndim() == 1) {
        Array<float> single = as_array<float, 1>(function, argument, poses, pose_shape);
        return {Array<float>(single.reshape({py::ssize_t{1}, single.shape(0)})), true};
    }
    if (!any) PyErr_Clear();
    return {as_array<float, 2>(function, argument, poses, pose_shape), false};
}

/// The caller's array for vertices if it gave a fitting one, otherwise a new one.
inline Array<float> output_array(const rig::Deformer& model, py::ssize_t frames, bool single, const py::object& out) {
    const py::ssize_t count = model.character().num_vertices();
    std::vector<py::ssize_t> shape{frames, count, 3};
    if (single) shape.erase(shape.begin());
    if (out.is_none()) return Array<float>(shape);
    const bool array = py::isinstance<py::array>(out);
    const py::array given = array ? py::reinterpret_borrow<py::array>(out) : py::array();
    const bool fits = array && py::isinstance<py::array_t<float>>(given) && given.writeable() &&
                      (given.flags() & layout) == layout &&
                      std::vector<py::ssize_t>(given.shape(), given.shape() + given.ndim()) == shape;
    if (!fits) {
        throw bad_argument("evaluate", "out", array ? describe(given) : "no array",
                           "a writable contiguous float32 array, its numbers aligned, " +
                               py::str(py::cast(shape)).cast<std::string>());
    }
    return py::reinterpret_borrow<Array<float>>(out);
}

}  // namespace rigwright::bindings
