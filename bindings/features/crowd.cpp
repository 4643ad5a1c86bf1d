#include "rigcast/crowd/crowd.h"

#include "bindings/bindings.h"
#include "bindings/convert/heads.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"

namespace rigcast::bindings {
namespace {

using crowd::Crowd;

std::shared_ptr<Crowd> make_engine_crowd(std::shared_ptr<rig::BlendshapeRig> rig, const ArrayLike& weights,
                                         const ArrayLike& num_frames, const ArrayLike& order) {
    const auto curves = as_array<float, 2>("Crowd", "clips", weights, "numbers (F, K)");
    const auto lengths = as_array<std::int64_t, 1>("Crowd", "num_frames", num_frames, "integers, one per clip");
    const auto shapes = as_indices("Crowd", "order", order);
    const ReleasedGil released;
    return std::make_shared<Crowd>(std::move(rig), view<float, 2>(curves), view<std::int64_t, 1>(lengths),
                                   view<std::int32_t, 1>(shapes));
}

Array<float> crowd_weights(const Crowd& crowd, const ArrayLike& clip, const ArrayLike& frame, const ArrayLike& prefix) {
    const HeadArrays arrays("weights", clip, frame, prefix);
    Array<float> weights({arrays.clip.shape(0), static_cast<py::ssize_t>(crowd.rig().num_shapes())});
    const auto out = writable<float, 2>(weights);
    const ReleasedGil released;
    crowd.weights(arrays.heads(), out);
    return weights;
}

py::tuple crowd_states(const Crowd& crowd, const std::string& function, const ArrayLike& clip, const ArrayLike& frame,
                       const ArrayLike& prefix) {
    const HeadArrays arrays(function.c_str(), clip, frame, prefix);
    crowd::States states;
    {
        const ReleasedGil released;
        states = crowd.states(function.c_str(), arrays.heads());
    }
    return py::make_tuple(Array<std::int32_t>(std::ssize(states.first), states.first.data()),
                          Array<std::int32_t>(std::ssize(states.of_head), states.of_head.data()));
}

void evaluate_heads(const Crowd& crowd, const ArrayLike& clip, const ArrayLike& frame, const ArrayLike& prefix,
                    py::array_t<float, py::array::c_style> out, const IntLike& threads) {
    const int num_threads = thread_count("evaluate", threads);
    const HeadArrays arrays("evaluate", clip, frame, prefix);
    if (out.ndim() != 3) throw bad_argument("evaluate", "out", describe(out), "an array (H, V, 3)");
    const View<float, 3> vertices(out.mutable_data(), {out.shape(0), out.shape(1), out.shape(2)});
    const ReleasedGil released;
    crowd.evaluate(arrays.heads(), vertices, num_threads);
}

}  // namespace

void bind_crowd(py::module_& module) {
    py::class_<Crowd, std::shared_ptr<Crowd>>(module, "Crowd",
                                              "Heads of one blendshape rig; rigcast.crowd.Crowd is its public face.\n"
                                              "Immutable and thread-safe.")
        .def(py::init(&make_engine_crowd), py::arg("rig").none(false), py::arg("weights"), py::arg("num_frames"),
             py::arg("order"),
             "weights (F, K): the clips one after another, num_frames each; order (K,): shapes, most important first.")
        .def("weights", &crowd_weights, py::arg("clip"), py::arg("frame"), py::arg("prefix"),
             "(H, K) weights of heads, each (H,).")
        .def("states", &crowd_states, py::arg("function"), py::arg("clip"), py::arg("frame"), py::arg("prefix"),
             "A head (U,) in each state that occurs, ascending by prefix, clip and frame, and the state (H,) of each\n"
             "head; errors name the function.")
        .def("evaluate", &evaluate_heads, py::arg("clip"), py::arg("frame"), py::arg("prefix"),
             py::arg("out").noconvert(), py::arg("threads"), "Write the vertices (H, V, 3) of heads.");
}

}  // namespace rigcast::bindings
