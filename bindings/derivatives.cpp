#include <mutex>

#include "arrays.h"
#include "bindings.h"
#include "device_calls.h"
#include "poses.h"
#include "rigwright/core/check.h"
#include "rigwright/rig/deformer.h"
#include "rigwright/rig/session.h"

namespace rigwright::bindings {
namespace {

using rig::Deformer;

/// A session with the model that Python knows. Calls from several threads wait for each other.
struct LockedSession {
    explicit LockedSession(std::shared_ptr<Deformer> deformer) : model(std::move(deformer)), session(model) {}
    std::shared_ptr<Deformer> model;
    rig::Session session;
    std::mutex mutex;
};

/// An array that shares the memory of `owner`.
template <class T, int Rank>
py::array shared(View<T, Rank> view, const py::array& owner) {
    const std::vector<py::ssize_t> shape(view.extents().begin(), view.extents().end());
    return py::array(py::dtype::of<float>(), shape, view.data(), owner);
}

/// An array (T, ...), without T for a single pose. Throws ArgumentError if it does not fit memory.
Array<float> new_result(const char* function, std::vector<py::ssize_t> shape, bool single) {
    const std::string wanted = py::str(py::tuple(py::cast(shape)));
    if (single) shape.erase(shape.begin());
    try {
        return Array<float>(shape);
    } catch (const py::error_already_set&) {  // MemoryError, or more elements than an array can have
        throw bad_argument(function, "poses", "so many that the result " + wanted + " does not fit memory",
                           "fewer, or those of a restricted model");
    }
}

Array<float> jvp(const py::object& self, const py::object& poses, const py::object& tangents, const std::string& device,
                 int threads) {
    const Deformer& model = self.cast<const Deformer&>();
    check_threads("jvp", threads);
    const auto [input, single] = as_poses("jvp", poses);
    const Array<float> tangent = single ? as_array<float, 1>("jvp", "tangents", tangents, "an array of numbers (C,)")
                                        : as_array<float, 2>("jvp", "tangents", tangents, "an array of numbers (T, C)");
    const auto in = view<float, 2>(input);
    const View<const float, 2> directions(
        tangent.data(), {single ? 1 : tangent.shape(0), single ? tangent.shape(0) : tangent.shape(1)});
    const std::int64_t count = model.character().num_vertices();
    Array<float> output = new_result("jvp", {in.extent(0), count, 3}, single);
    const View<float, 3> derivatives(output.mutable_data(), {in.extent(0), count, 3});
    if (device != "cpu") {
        model.check_poses("jvp", in);
        check_shape<const float, 2>("jvp", "tangents", directions, in.extents());
        device_models("jvp")(self, device, input, shared(directions, tangent), shared(derivatives, output));
        return output;
    }
    const py::gil_scoped_release released;
    model.jvp(in, directions, derivatives, threads);
    return output;
}

Array<float> jacobian(const py::object& self, const py::object& poses, const std::string& device, int threads) {
    const Deformer& model = self.cast<const Deformer&>();
    check_threads("jacobian", threads);
    const auto [input, single] = as_poses("jacobian", poses);
    const auto in = view<float, 2>(input);
    model.check_poses("jacobian", in);
    const std::int64_t rows = 3 * model.character().num_vertices();
    Array<float> output = new_result("jacobian", {in.extent(0), rows, in.extent(1)}, single);
    const View<float, 3> jacobians(output.mutable_data(), {in.extent(0), rows, in.extent(1)});
    if (device != "cpu") {
        device_models("jacobian")(self, device, input, shared(jacobians, output));
        return output;
    }
    const py::gil_scoped_release released;
    model.jacobian(in, jacobians, threads);
    return output;
}

std::shared_ptr<Deformer> restricted(const Deformer& model, const py::object& vertices) {
    const Array<std::int32_t> indices = as_indices("restricted", "vertices", vertices);
    const auto chosen = view<std::int32_t, 1>(indices);
    const py::gil_scoped_release released;
    return model.restricted(chosen);
}

Array<float> evaluate(LockedSession& self, const py::object& pose, const py::object& out) {
    const Array<float> input = as_array<float, 1>("evaluate", "pose", pose, "an array of numbers (C,)");
    Array<float> output = output_array(*self.model, input, true, out);
    const auto in = view<float, 1>(input);
    const auto vertices = writable<float, 2>(output);
    const py::gil_scoped_release released;  // before the lock: its owner may wait for the GIL
    const std::lock_guard lock(self.mutex);
    self.session.evaluate(in, vertices);
    return output;
}

constexpr const char* jvp_text = R"(J tangents: the derivative of the vertices along one direction per pose.

Parameters
----------
poses : (T, C) or (C,)
tangents : (T, C), or (C,) with one pose
    A direction per pose, in the units of the pose's columns.
device : str
    ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigwright.devices()``.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
(T, V, 3), or (V, 3) of one pose
    In units of length per unit of the direction. At a kink (the corner of a tent) the one-sided derivative of
    ``vjp``.

Raises
------
ValueError
    On a wrong shape, a value that is not finite or too large, or a derivative that overflows float32, or a device that
    does not work here.
)";

constexpr const char* jacobian_text = R"(The Jacobian of the 3 V coordinates in the C columns of a pose.

Meant for restricted models: it has 3 V C numbers per pose.

Parameters
----------
poses : (T, C) or (C,)
device : str
    ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigwright.devices()``.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
(T, 3 V, C), or (3 V, C) of one pose
    Rows x, y, z of vertex 0, then of vertex 1, and so on.

Raises
------
ValueError
    On a wrong width, a value that is not finite or too large, a derivative that overflows float32, a result
    that does not fit memory, or a device that does not work here.
)";

constexpr const char* restricted_text = R"(A model of some vertices alone, in the order given.

It takes the same poses, its vertices have the bytes of this model's, and it skips what they do not need. It can
be saved. Its faces are those whose corners are all among the vertices.

Parameters
----------
vertices : (M,) integers
    Indices of vertices; repeats are allowed.

Returns
-------
Deformer
    Of the same kind, with M vertices.

Raises
------
ValueError
    On an index out of range (negative ones included), or no index at all.
)";

constexpr const char* session_text = R"(A session: evaluates one pose after another and skips what did not change.

Returns
-------
Session
    For one thread; sessions of a model are independent of each other.
)";

constexpr const char* evaluate_text = R"(Vertices of a pose, with the bytes of ``Deformer.evaluate``.

Calls from several threads wait for each other.

Parameters
----------
pose : (C,)
out : (V, 3) float32, optional
    An array to write into.

Returns
-------
(V, 3)
    ``out`` if it is given, otherwise a new array: it is not changed by later calls.

Raises
------
ValueError
    On a wrong width, a value that is not finite or too large, or an array that does not fit. The session stays
    usable.
)";

}  // namespace

void bind_derivatives(py::module_& module) {
    py::class_<LockedSession>(module, "Session",
                              "Evaluates one pose of a model after another and skips what did not change since the\n"
                              "last one: made by ``Deformer.session()``.")
        .def_property_readonly(
            "model", [](const LockedSession& s) { return s.model; }, "The model that it evaluates.")
        .def("evaluate", &evaluate, py::arg("pose"), py::arg("out") = py::none(), evaluate_text);
    py::reinterpret_borrow<py::class_<Deformer, std::shared_ptr<Deformer>>>(module.attr("Deformer"))
        .def("jvp", &jvp, py::arg("poses"), py::arg("tangents"), py::arg("device") = "cpu", py::kw_only(),
             py::arg("threads") = 0, jvp_text)
        .def("jacobian", &jacobian, py::arg("poses"), py::arg("device") = "cpu", py::kw_only(), py::arg("threads") = 0,
             jacobian_text)
        .def("restricted", &restricted, py::arg("vertices"), restricted_text)
        .def(
            "session",
            [](std::shared_ptr<Deformer> model) { return std::make_unique<LockedSession>(std::move(model)); },
            session_text);
}

}  // namespace rigwright::bindings
