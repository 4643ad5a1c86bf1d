#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/baseline/models/forward_only.h"
#include "rigcast/core/files/tensor_file.h"

namespace rigcast::checks {

struct Sizes {
    int joints = 6;
    int vertices = 60;
    int sets = 5;
    int hidden = 20;
    int components = 5;
    int row = 0;  // vertices of a row of a sheet, whose skin turns from joint to joint; 0: faces and skins at random
};

/// A random model of a kind, any of model_kinds(): a learned body, blendshapes, or a skin with what other kinds ask
/// for; the same seed gives the same model. A learned body has overlapping sets, one of them without a network.
/// Blendshapes of an even seed have 16 bits.
TensorFile random_model(const std::string& kind, const Sizes& sizes, std::uint64_t seed);

/// Returns false for models that refuse derivatives and restriction.
inline bool has_derivatives(const rig::Deformer& model) {
    return dynamic_cast<const baseline::ForwardOnly*>(&model) == nullptr;
}

/// (frames, 12 joints + 1) poses (of which blendshapes use the front) near the identity, one after another.
std::vector<float> random_poses(const Sizes& sizes, int frames, std::uint64_t seed);

}  // namespace rigcast::checks
