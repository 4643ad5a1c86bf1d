#pragma once
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/convert/arrays.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::bindings {

inline constexpr const char* pose_shape = "an array of numbers (T, C) or (C,)";

/// Poses as (T, C), and true if the caller gave a single pose (C,).
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

/// Returns true if two contiguous arrays share bytes.
inline bool overlap(const py::array& a, const py::array& b) {
    const auto begin = [](const py::array& x) { return reinterpret_cast<std::uintptr_t>(x.data()); };
    const auto end = [&](const py::array& x) { return begin(x) + static_cast<std::uintptr_t>(x.nbytes()); };
    return begin(a) < end(b) && begin(b) < end(a);
}

/// The caller's array `out` for the vertices of `frames` frames, or a new one if it is None. Throws ArgumentError if
/// `out` has another type or shape.
inline Array<float> output_array(const rig::Deformer& model, py::ssize_t frames, bool single, const OutputArray& out) {
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

/// The same for poses on the host. Throws ArgumentError if `out` overlaps them: threads would read vertices as poses.
inline Array<float> output_array(const rig::Deformer& model, const Array<float>& poses, bool single,
                                 const OutputArray& out) {
    const Array<float> output = output_array(model, poses.ndim() == 1 ? 1 : poses.shape(0), single, out);
    if (!out.is_none() && overlap(output, poses)) {
        throw bad_argument("evaluate", "out", "an array that shares memory with the poses", "memory of its own");
    }
    return output;
}

}  // namespace rigcast::bindings
