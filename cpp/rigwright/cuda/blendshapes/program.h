#pragma once
#include <memory>

#include "rigwright/cuda/blendshapes/plan.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a blendshape rig: one matrix product for all frames, in the order of descending prefix lengths. The
/// machine must outlive the program.
std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan);

}  // namespace rigwright::cuda
