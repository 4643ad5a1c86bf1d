#pragma once
#include <memory>

#include "rigcast/cuda/blendshapes/plan.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"

namespace rigcast::cuda {

/// The kernels of a blendshape rig: one matrix product for all frames, in the order of descending prefix lengths. The
/// machine must outlive the program.
std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan);

}  // namespace rigcast::cuda
