#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "bindings/convert/tensors.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/skinning/delta_mush.h"
#include "rigcast/rig/skinning/dual_quaternion.h"
#include "rigcast/rig/skinning/linear_blend.h"

namespace rigcast::bindings {
namespace {

using rig::Deformer;
using rig::Skeleton;

/// Makes a model of the tensors and the metadata text that a function of rigcast._skinning returns.
template <class Model, class... Arguments>
std::shared_ptr<Model> make_skinned(const char* function, const Arguments&... arguments) {
    const py::tuple made = py::module_::import("rigcast._skinning").attr(function)(arguments...);
    const TensorFile file = from_arrays(made[0], made[1].cast<std::string>(), function);
    const ReleasedGil released;
    return std::dynamic_pointer_cast<Model>(make_model(std::make_shared<const TensorFile>(file)));
}

/// A model that has no parameters beside skeleton, mesh and weights.
template <class Model>
void bind_skinning_class(py::module_& module, const char* name, const char* function, const char* about) {
    py::class_<Model, Deformer, std::shared_ptr<Model>>(module, name, about)
        .def(py::init([name, function](const Skeleton& skeleton, const ArrayLike& rest_vertices, const ArrayLike& faces,
                                       const SkinWeightsLike& weights, const NamesLike& dials,
                                       const OptionalArray& control_ranges, const OptionalMetadata& metadata) {
                 return make_skinned<Model>(function, skeleton, rest_vertices, faces, weights,
                                            as_names(name, "dials", dials), control_ranges, metadata);
             }),
             py::arg("skeleton"), py::arg("rest_vertices"), py::arg("faces"), py::arg("weights"), py::kw_only(),
             py::arg("dials") = py::tuple(), py::arg("control_ranges") = py::none(), py::arg("metadata") = py::none());
}

constexpr const char* about_linear =
    "Linear blend skinning: v_k = sum_j w_kj G_j (G_j^0)^-1 v_k^0 (Magnenat-Thalmann et al. 1988).\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "skeleton : Skeleton\n"
    "    J joints; its rest is the pose in which the mesh was bound.\n"
    "rest_vertices : (V, 3)\n"
    "faces : (F, 3) or (F, 4)\n"
    "    Vertex indices; -1 in the last column pads triangles.\n"
    "weights : (V, J), or a pair of joints (V, K) and weights (V, K)\n"
    "    Not negative, of sum 1 at every vertex within 1e-3; they are scaled to sum 1.\n"
    "dials : sequence of str\n"
    "    Names of pose columns after the joints'; they have no effect.\n"
    "control_ranges : (C, 2), optional\n"
    "    Lowest and highest value of each pose column, as information for users of the model. By default nominal\n"
    "    ranges: one unit around rest for entries of matrices, the size of the mesh for translations, 0 to 1 for\n"
    "    dials.\n"
    "metadata : mapping, optional\n"
    "    name, meters_per_unit (1.0), up_axis (\"Y\"), licence, origin, data_hash, channels\n"
    "    (rigcast.Dataset.channel_entry: what an artist changes), and any others that JSON can hold.\n"
    "\n"
    "Raises\n"
    "------\n"
    "ValueError\n"
    "    If a shape is wrong, a value is not finite, a corner is no vertex, or weights are negative or do not sum to\n"
    "    1.\n"
    "\n"
    "Examples\n"
    "--------\n"
    ">>> arm = rc.sources.example_body()\n"
    ">>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)\n"
    ">>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)\n"
    ">>> skinning = rc.LinearBlendSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)\n"
    ">>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])\n"
    ">>> skinning.evaluate(poses).shape\n"
    "(1, 1122, 3)";

constexpr const char* about_dual_quaternion =
    "Dual quaternion skinning (Kavan et al. 2007): rotations blend without loss of volume.\n"
    "\n"
    "The skinning transform of a joint is split about the joint's rest position into a stretch, then a rigid motion\n"
    "whose rotation is the nearest one. Stretches are blended linearly, rigid motions as dual quaternions, each "
    "turned\n"
    "to the side of the vertex's most influential joint (two phases, Kavan et al. 2008, section 5). If no joint\n"
    "stretches, this is plain dual quaternion skinning.\n"
    "\n"
    "Parameters and errors are those of LinearBlendSkinning.\n"
    "\n"
    "Examples\n"
    "--------\n"
    ">>> arm = rc.sources.example_body()\n"
    ">>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)\n"
    ">>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)\n"
    ">>> skinning = rc.DualQuaternionSkinning(arm.skeleton, arm.rest_vertices, arm.faces, weights, "
    "dials=arm.dial_names)\n"
    ">>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])\n"
    ">>> skinning.evaluate(poses).shape\n"
    "(1, 1122, 3)";

constexpr const char* about_delta_mush =
    "Delta mush (Mancewicz et al. 2014): linear blend skinning, smoothed, with the detail of the rest mesh added "
    "back.\n"
    "\n"
    "The skinned mesh is smoothed; at every vertex the difference between the rest mesh and the smoothed rest mesh is\n"
    "added in the frame of the smoothed surface. Loose vertices keep their skinned position.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "iterations : int\n"
    "    Rounds of Laplacian smoothing, 0 to 1000.\n"
    "step : float\n"
    "    How far a round moves a vertex towards the mean of its neighbors: above 0, at most 1.\n"
    "\n"
    "Other parameters and errors are those of LinearBlendSkinning.\n"
    "\n"
    "Examples\n"
    "--------\n"
    ">>> arm = rc.sources.example_body()\n"
    ">>> heights = np.clip(arm.rest_vertices[:, 1:2] / 0.6, 0, 1)\n"
    ">>> weights = np.concatenate([1 - heights, heights, 0 * heights], axis=1)\n"
    ">>> skinning = rc.DeltaMush(arm.skeleton, arm.rest_vertices, arm.faces, weights, dials=arm.dial_names)\n"
    ">>> poses, vertices = arm.sample([[0.0, 0.0, 90.0, 0.0, 0.0, 0.0]])\n"
    ">>> skinning.evaluate(poses).shape\n"
    "(1, 1122, 3)";

}  // namespace

void bind_skinning(py::module_& module) {
    bind_skinning_class<rig::LinearBlend>(module, "LinearBlendSkinning", "linear_blend", about_linear);
    bind_skinning_class<rig::DualQuaternionBlend>(module, "DualQuaternionSkinning", "dual_quaternion",
                                                  about_dual_quaternion);
    py::class_<rig::DeltaMush, Deformer, std::shared_ptr<rig::DeltaMush>>(module, "DeltaMush", about_delta_mush)
        .def(
            py::init([](const Skeleton& skeleton, const ArrayLike& rest_vertices, const ArrayLike& faces,
                        const SkinWeightsLike& weights, const IntLike& iterations, const FloatLike& step,
                        const NamesLike& dials, const OptionalArray& control_ranges, const OptionalMetadata& metadata) {
                return make_skinned<rig::DeltaMush>("delta_mush", skeleton, rest_vertices, faces, weights,
                                                    as_names("DeltaMush", "dials", dials), control_ranges, metadata,
                                                    iterations, step);
            }),
            py::arg("skeleton"), py::arg("rest_vertices"), py::arg("faces"), py::arg("weights"), py::kw_only(),
            py::arg("iterations") = 10, py::arg("step") = 0.5, py::arg("dials") = py::tuple(),
            py::arg("control_ranges") = py::none(), py::arg("metadata") = py::none());
}

}  // namespace rigcast::bindings
