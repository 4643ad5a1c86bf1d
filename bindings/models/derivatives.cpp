#include <mutex>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/pieces.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/device/device_models.h"
#include "rigcast/core/check.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/session.h"

namespace rigcast::bindings {
namespace {

using rig::Deformer;

/// A session and its model. Calls from several threads wait for each other.
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

/// A new array (T, ...), or without the T axis for a single pose. Throws ArgumentError if it does not fit in memory.
Array<float> new_result(const char* function, std::vector<py::ssize_t> shape, bool single) {
    const std::string wanted = py::str(py::tuple(py::cast(shape)));
    if (single) shape.erase(shape.begin());
    try {
        return Array<float>(shape);
    } catch (const py::error_already_set&) {  // MemoryError, or more elements than an array can have
        throw bad_argument(function, "poses", "so many that the result " + wanted + " does not fit in memory",
                           "fewer, or those of a restricted model");
    }
}

Array<float> jvp(const py::object& self, const ArrayLike& poses, const ArrayLike& tangents, const std::string& device,
                 const IntLike& threads) {
    const Deformer& model = self.cast<const Deformer&>();
    const int num_threads = thread_count("jvp", threads);
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
        device_model("jvp", self, device).attr("jvp")(input, shared(directions, tangent), shared(derivatives, output));
        return output;
    }
    const ReleasedGil released;
    if (in.extent(0) <= frames_of_piece(12 * count) || directions.extent(0) != in.extent(0)) {
        model.jvp(in, directions, derivatives, num_threads);
        return output;
    }
    model.check_poses("jvp", in);
    check_finite("jvp", "tangents", directions);
    in_pieces(in.extent(0), 12 * count, [&](std::int64_t begin, std::int64_t frames) {
        model.jvp(some_rows(in, begin, frames), some_rows(directions, begin, frames),
                  some_rows(derivatives, begin, frames), num_threads);
    });
    return output;
}

Array<float> jacobian(const py::object& self, const ArrayLike& poses, const std::string& device,
                      const IntLike& threads) {
    const Deformer& model = self.cast<const Deformer&>();
    const int num_threads = thread_count("jacobian", threads);
    const auto [input, single] = as_poses("jacobian", poses);
    const auto in = view<float, 2>(input);
    model.check_poses("jacobian", in);
    const std::int64_t rows = 3 * model.character().num_vertices();
    Array<float> output = new_result("jacobian", {in.extent(0), rows, in.extent(1)}, single);
    const View<float, 3> jacobians(output.mutable_data(), {in.extent(0), rows, in.extent(1)});
    if (device != "cpu") {
        device_model("jacobian", self, device).attr("jacobian")(input, shared(jacobians, output));
        return output;
    }
    const ReleasedGil released;
    in_pieces(in.extent(0), 4 * rows * in.extent(1), [&](std::int64_t begin, std::int64_t frames) {
        model.jacobian(some_rows(in, begin, frames), some_rows(jacobians, begin, frames), num_threads);
    });
    return output;
}

std::shared_ptr<Deformer> restricted(const Deformer& model, const ArrayLike& vertices) {
    const Array<std::int32_t> indices = as_indices("restricted", "vertices", vertices);
    const auto chosen = view<std::int32_t, 1>(indices);
    const ReleasedGil released;
    return model.restricted(chosen);
}

Array<float> evaluate_locked(LockedSession& self, const ArrayLike& pose, const OutputArray& out) {
    const Array<float> input = as_array<float, 1>("evaluate", "pose", pose, "an array of numbers (C,)");
    Array<float> output = output_array(*self.model, input, true, out);
    const auto in = view<float, 1>(input);
    const auto vertices = writable<float, 2>(output);
    const ReleasedGil released;  // before the lock: its owner may wait for the GIL
    const std::lock_guard lock(self.mutex);
    self.session.evaluate(in, vertices);
    return output;
}

void set_detail(LockedSession& self, const ArrayLike& detail) {
    const Array<float> input = as_array<float, 1>("set_detail", "detail", detail, "numbers (R,)");
    const auto values = view<float, 1>(input);
    const ReleasedGil released;
    const std::lock_guard lock(self.mutex);
    self.session.set_detail(values);
}

constexpr const char* jvp_text = R"(J tangents: the derivative of the vertices along one direction per frame.

Parameters
----------
poses : (T, C) or (C,)
tangents : (T, C), or (C,) with one pose
    One direction per frame, in the units of the pose's columns.
device : str
    ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigcast.devices()``.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
(T, V, 3), or (V, 3) of one pose
    In units of length per unit of the direction. At a kink (the corner of a tent) the same one-sided derivative
    as in ``vjp``.

Raises
------
ValueError
    If a shape is wrong, a value is not finite or too large, a derivative overflows float32, or the device does not
    work on this machine.
)";

constexpr const char* jacobian_text = R"(The Jacobian of the 3 V coordinates with respect to the C columns of a pose.

Meant for restricted models: it has 3 V C numbers per frame.

Parameters
----------
poses : (T, C) or (C,)
device : str
    ``"cpu"``, or for kinds ``"body"`` and ``"blendshape"`` another of ``rigcast.devices()``.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
(T, 3 V, C), or (3 V, C) of one pose
    Rows x, y, z of vertex 0, then of vertex 1, and so on.

Raises
------
ValueError
    If the width is wrong, a value is not finite or too large, a derivative overflows float32, the result does not
    fit in memory, or the device does not work on this machine.
)";

constexpr const char* restricted_text = R"(A model of some vertices only, in the given order.

It has the same pose columns, gives the same bytes for these vertices, and computes only what they need. It can be
saved. Its faces are those whose corners are all among the vertices.

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
    If an index is negative or out of range, or there is none.
)";

constexpr const char* session_text = R"(A session: evaluates one pose after another and recomputes only what changed.

Returns
-------
Session
    For one thread at a time; a model may have several sessions.
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
    ``out`` if it is given, else a new array. Later calls do not change it.

Raises
------
ValueError
    If the width is wrong, a value is not finite or too large, or ``out`` has a wrong shape or type. The session
    stays usable.
)";

constexpr const char* set_detail_text =
    R"(Sets the detail of the evaluations that follow, for a face on deformation maps.

It is 1 at first. With it the session has the bytes of ``FaceMaps.evaluate_detail``; a change costs no map that is
drawn already.

Parameters
----------
detail : (R,)
    For each refinement segment a number in [0, 1]; 0 leaves it out.

Raises
------
ValueError
    If the shape is wrong, a value is outside of [0, 1], or the kind of model has no detail. The session stays as it is.
)";

}  // namespace

void bind_derivatives(py::module_& module) {
    py::class_<LockedSession>(module, "Session",
                              "Evaluates one pose of a model after another and recomputes only what changed since\n"
                              "the previous one. Made by ``Deformer.session()``.")
        .def_property_readonly(
            "model", [](const LockedSession& s) { return s.model; }, "The model that it evaluates.")
        .def(
            "__reduce__",
            [](const LockedSession&) -> py::object {
                throw py::type_error(
                    "a Session cannot be pickled or copied: it is the memory of one caller; pickle its "
                    "model, and make a session of that");
            },
            "Refused: a session is the memory of one caller.")
        .def("evaluate", &evaluate_locked, py::arg("pose"), py::arg("out") = py::none(), evaluate_text)
        .def("set_detail", &set_detail, py::arg("detail"), set_detail_text);
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

}  // namespace rigcast::bindings
