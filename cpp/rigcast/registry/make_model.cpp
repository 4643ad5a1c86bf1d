#include "rigcast/registry/make_model.h"

#include <array>
#include <string>
#include <string_view>

#include "rigcast/baseline/models/dense_networks.h"
#include "rigcast/baseline/models/direct_delta_mush.h"
#include "rigcast/baseline/models/pose_space.h"
#include "rigcast/baseline/models/regressed_skinning.h"
#include "rigcast/baseline/models/regression.h"
#include "rigcast/baseline/models/rotational_regression.h"
#include "rigcast/body/body_model.h"
#include "rigcast/core/error.h"
#include "rigcast/differential/model/differential_model.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/rig/blendshapes/base_shapes.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/character.h"
#include "rigcast/rig/skinning/delta_mush.h"
#include "rigcast/rig/skinning/dual_quaternion.h"
#include "rigcast/rig/skinning/linear_blend.h"

namespace rigcast {
namespace {

using Tensors = std::shared_ptr<const TensorFile>;

template <class Model>
std::shared_ptr<rig::Deformer> make(Tensors tensors) {
    return std::make_shared<Model>(std::move(tensors));
}

struct Kind {
    std::string_view name;
    std::shared_ptr<rig::Deformer> (*make)(Tensors);
    bool may_have_base = false;  // see rig::BaseShapes
};

constexpr std::array kinds{
    Kind{"body", &make<body::BodyModel>},
    Kind{"linear_blend", &make<rig::LinearBlend>},
    Kind{"dual_quaternion", &make<rig::DualQuaternionBlend>},
    Kind{"delta_mush", &make<rig::DeltaMush>},
    Kind{"blendshape", &make<rig::BlendshapeRig>},
    Kind{"regression", &make<baseline::Regression>},
    Kind{"regressed_skinning", &make<baseline::RegressedSkinning>},
    Kind{"direct_delta_mush", &make<baseline::DirectDeltaMush>},
    Kind{"pose_space", &make<baseline::PoseSpace>},
    Kind{"dense_network", &make<baseline::DenseNetworks>},
    Kind{"rotational_regression", &make<baseline::RotationalRegression>},
    Kind{"face_maps", &make<face::FaceMaps>, true},
    Kind{"differential", &make<differential::DifferentialModel>, true},
};

}  // namespace

std::vector<std::string> model_kinds() {
    std::vector<std::string> names;
    for (const Kind& kind : kinds) names.emplace_back(kind.name);
    return names;
}

std::shared_ptr<rig::Deformer> make_model(std::shared_ptr<const TensorFile> tensors) {
    const std::string name = rig::model_kind(*tensors);
    for (const Kind& kind : kinds) {
        if (kind.name != name) continue;
        if (!kind.may_have_base && rig::BaseShapes::are_in(*tensors)) {
            throw bad_argument("load", "base.*", "there in a model of kind '" + name + "'", "left out");
        }
        return kind.make(std::move(tensors));
    }
    if (name == "face_ik") {
        throw bad_argument("load", tensors->origin(), "learned inverse kinematics, which rigcast.ik.load opens",
                           "a model of vertices");
    }
    if (name == "synthesis") {
        throw bad_argument("load", tensors->origin(), "animation synthesis, which rigcast.synthesis.load opens",
                           "a model of vertices");
    }
    std::string known;
    for (const std::string& kind : model_kinds()) known += (known.empty() ? "" : ", ") + kind;
    throw bad_argument("load", tensors->origin(), "a model of kind '" + name + "'", "one of: " + known);
}

}  // namespace rigcast
