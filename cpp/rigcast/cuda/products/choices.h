#pragma once
#include "rigcast/core/view.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::cuda {

/// What a call chooses beside its poses, on the host.
struct Choices {
    const rig::Prefix* prefix = nullptr;  // of blendshapes: see BlendshapeRig::evaluate_prefix
    /// Of faces on deformation maps, (T, R) or (1, R): see FaceMaps::evaluate_detail; null stands for 1.
    View<const float, 2> detail{};

    /// The functions that have such choices, which errors name: of vertices on the host, and of vertices on the device.
    const char* function() const { return detail.data() == nullptr ? "evaluate" : "evaluate_detail"; }
    const char* function_on_device() const {
        return detail.data() == nullptr ? "evaluate_on_device" : "evaluate_detail_on_device";
    }
};

}  // namespace rigcast::cuda
