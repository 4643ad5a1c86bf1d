#pragma once
#include <memory>

#include "cuda/blendshape_plan.h"
#include "cuda/device_program.h"
#include "cuda/machine.h"

namespace rigwright::cuda {

/// The kernels of a blendshape rig: all heads are one matrix product, grouped by prefix length. The machine must
/// outlive the program.
std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan);

}  // namespace rigwright::cuda
