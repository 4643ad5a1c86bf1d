#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "rigcast/rig/deformer.h"

namespace rigcast::bindings {

/// Adds `channels`, `poses_from_channels` and `channels_from_poses` to the class of models.
void add_channels(pybind11::class_<rig::Deformer, std::shared_ptr<rig::Deformer>>& model);

}  // namespace rigcast::bindings
