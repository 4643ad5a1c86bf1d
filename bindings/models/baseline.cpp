#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/baseline/linear_blend_fit.h"
#include "rigcast/baseline/skinning_decomposition.h"
#include "rigcast/core/check.h"

namespace rigcast::bindings {
namespace {

using baseline::LinearBlendFit;
using baseline::SkinningDecomposition;
using rig::Skeleton;

Array<std::int32_t> motion_sources(const Skeleton& skeleton, const ArrayLike& poses, double radius, double tolerance) {
    const auto rows = as_array<float, 2>("motion_sources", "poses", poses, "numbers (T, C)");
    const auto sources = baseline::motion_sources(skeleton, view<float, 2>(rows), radius, tolerance);
    return Array<std::int32_t>(static_cast<py::ssize_t>(sources.size()), sources.data());
}

void add(LinearBlendFit& fit, const ArrayLike& poses, const ArrayLike& vertices, const IntLike& threads) {
    const int num_threads = thread_count("LinearBlendFit.add", threads);
    const auto rows = as_array<float, 2>("LinearBlendFit.add", "poses", poses, "numbers (T, C)");
    const auto samples = as_array<float, 3>("LinearBlendFit.add", "vertices", vertices, "numbers (T, V, 3)");
    const ReleasedGil released;
    fit.add(view<float, 2>(rows), view<float, 3>(samples), num_threads);
}

py::tuple solve_weights(const LinearBlendFit& fit, int influences, const IntLike& threads) {
    const int num_threads = thread_count("LinearBlendFit.solve", threads);
    baseline::SkinFit skin;
    {
        const ReleasedGil released;
        skin = fit.solve(influences, num_threads);
    }
    const std::vector<py::ssize_t> shape{fit.num_vertices(), skin.influences};
    return py::make_tuple(Array<std::int32_t>(shape, skin.joint.data()), Array<float>(shape, skin.weight.data()),
                          Array<double>(fit.num_vertices(), skin.error.data()));
}

std::unique_ptr<SkinningDecomposition> decompose(const ArrayLike& rest_vertices, const ArrayLike& vertices,
                                                 std::int64_t bones, int influences, const IntLike& threads) {
    constexpr const char* name = "SkinningDecomposition";
    const int num_threads = thread_count(name, threads);
    const auto rest = as_array<float, 2>(name, "rest_vertices", rest_vertices, "numbers (V, 3)");
    const auto frames = as_array<float, 3>(name, "vertices", vertices, "numbers (T, V, 3)");
    const ReleasedGil released;
    return std::make_unique<SkinningDecomposition>(view<float, 2>(rest), view<float, 3>(frames), bones, influences,
                                                   num_threads);
}

/// Binds a step of the decomposition.
template <void (SkinningDecomposition::*step)(int)>
void run_step(SkinningDecomposition& fit, const IntLike& threads) {
    const int num_threads = thread_count("SkinningDecomposition", threads);
    const ReleasedGil released;
    (fit.*step)(num_threads);
}

double objective(const SkinningDecomposition& fit, const IntLike& threads) {
    const int num_threads = thread_count("SkinningDecomposition.objective", threads);
    const ReleasedGil released;
    return fit.objective(num_threads);
}

void bind_decomposition(py::module_& module) {
    py::class_<SkinningDecomposition>(
        module, "SkinningDecomposition",
        "Skin weights and rigid bone motions fitted to vertices (Le and Deng 2012), improved step by step.")
        .def(py::init(&decompose), py::arg("rest_vertices"), py::arg("vertices"), py::arg("bones"),
             py::arg("influences"), py::arg("threads") = 0,
             "Begins with clusters of the vertices (T, V, 3) that move rigidly.")
        .def("update_weights", &run_step<&SkinningDecomposition::update_weights>, py::arg("threads") = 0,
             "The least squares weights with the bone motions fixed; never raises the objective.")
        .def("update_bones", &run_step<&SkinningDecomposition::update_bones>, py::arg("threads") = 0,
             "The least squares motion of one bone after another; never raises the objective.")
        .def("objective", &objective, py::arg("threads") = 0, "The sum of squared distances to the vertices.")
        .def_property_readonly(
            "motions",
            [](const SkinningDecomposition& fit) {
                return Array<double>(std::vector<py::ssize_t>{fit.num_frames(), fit.num_bones(), 3, 4},
                                     fit.motions().data());
            },
            "(T, B, 3, 4) float64 rigid motions of the bones, from rest.")
        .def_property_readonly(
            "weights",
            [](const SkinningDecomposition& fit) {
                const std::vector<py::ssize_t> shape{fit.num_vertices(), fit.influences()};
                return py::make_tuple(Array<std::int32_t>(shape, fit.bone().data()),
                                      Array<double>(shape, fit.weight().data()));
            },
            "Bones (V, K) int32 and weights (V, K) float64.");
}

}  // namespace

void bind_baseline(py::module_& module) {
    bind_decomposition(module);
    module.def("motion_sources", &motion_sources, py::arg("skeleton"), py::arg("poses"), py::arg("radius"),
               py::arg("tolerance"),
               "(J,) int32: for each joint, the joint whose motion it repeats in all poses (T, C), or itself.");
    py::class_<LinearBlendFit>(module, "LinearBlendFit",
                               "Skin weights fitted to examples (Mohr and Gleicher 2003) that are added in batches.")
        .def(py::init([](const Skeleton& skeleton, const ArrayLike& rest_vertices, const ArrayLike& joints) {
                 const auto rest =
                     as_array<float, 2>("LinearBlendFit", "rest_vertices", rest_vertices, "numbers (V, 3)");
                 const auto chosen = as_indices("LinearBlendFit", "joints", joints);
                 return std::make_unique<LinearBlendFit>(skeleton, view<float, 2>(rest), view<std::int32_t, 1>(chosen));
             }),
             py::arg("skeleton"), py::arg("rest_vertices"), py::arg("joints"))
        .def("add", &add, py::arg("poses"), py::arg("vertices"), py::arg("threads") = 0,
             "Add T examples: poses (T, C) and vertices (T, V, 3).")
        .def("solve", &solve_weights, py::arg("influences") = 0, py::arg("threads") = 0,
             "Joints (V, K) int32, weights (V, K) float32 and the sums of squared distances (V,) float64 to the "
             "examples,\n"
             "with at most `influences` joints per vertex; 0: as many as lower the error.")
        .def_property_readonly("num_examples", &LinearBlendFit::num_examples);
}

}  // namespace rigcast::bindings
