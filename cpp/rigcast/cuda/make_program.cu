#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rigcast/body/body_model.h"
#include "rigcast/core/error.h"
#include "rigcast/cuda/blendshapes/compressed_offsets.h"
#include "rigcast/cuda/blendshapes/program.h"
#include "rigcast/cuda/blendshapes/sparse_program.h"
#include "rigcast/cuda/body/program.h"
#include "rigcast/cuda/differential/program.h"
#include "rigcast/cuda/face/program.h"
#include "rigcast/cuda/make_program.h"
#include "rigcast/cuda/resident.h"
#include "rigcast/differential/model/differential_model.h"
#include "rigcast/face/maps/face_maps.h"

namespace rigcast::cuda {

bool has_kernels(const rig::Deformer& model) {
    constexpr std::array<std::string_view, 4> kinds = {"body", "differential", "face_maps", "blendshape"};
    return std::find(kinds.begin(), kinds.end(), model.character().kind) != kinds.end();
}

std::unique_ptr<Libraries> make_libraries_of(Machine& machine, const rig::Deformer& model) {
    const std::string& kind = model.character().kind;
    if (kind != "differential" && kind != "blendshape") {
        throw bad_argument("resident", "libraries", "chosen for a model of kind '" + kind + "'",
                           "left out: models of kind 'differential' and 'blendshape' use them");
    }
    return make_libraries(machine);
}

namespace {

std::unique_ptr<DeviceProgram> make_sparse_program(Machine& machine, Libraries& libraries,
                                                   const rig::BlendshapeRig& rig, bool dense) {
    if (dense) {
        throw bad_argument("resident", "dense", "chosen together with libraries",
                           "left out: the libraries multiply sparse offsets");
    }
    return make_sparse_blendshape_program(machine, libraries, BlendshapePlan(rig, Columns::moving),
                                          compressed_offsets(rig));
}

}  // namespace

std::unique_ptr<DeviceProgram> make_program(Machine& machine, Libraries* libraries, const rig::Deformer& model,
                                            bool dense) {
    if (const auto* body = dynamic_cast<const body::BodyModel*>(&model)) {
        return make_body_program(machine, BodyPlan(*body));
    }
    if (const auto* subspace = dynamic_cast<const differential::DifferentialModel*>(&model)) {
        return make_differential_program(machine, libraries, DifferentialPlan(*subspace));
    }
    if (const auto* maps = dynamic_cast<const face::FaceMaps*>(&model)) {
        return make_face_maps_program(machine, FaceMapsPlan(*maps));
    }
    if (const auto* rig = dynamic_cast<const rig::BlendshapeRig*>(&model)) {
        if (libraries != nullptr) return make_sparse_program(machine, *libraries, *rig, dense);
        return make_blendshape_program(machine, BlendshapePlan(*rig, dense ? Columns::all : Columns::moving));
    }
    throw bad_argument("resident", "model", "of kind '" + model.character().kind + "'",
                       "of kind 'body', 'differential', 'face_maps' or 'blendshape'");
}

}  // namespace rigcast::cuda
