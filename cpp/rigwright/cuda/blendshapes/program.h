#pragma once
#include <memory>

#include "rigwright/cuda/blendshapes/plan.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a blendshape rig: all heads are one matrix product, grouped by prefix length. The machine must
/// outlive the program.
std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan);

}  // namespace rigwright::cuda
