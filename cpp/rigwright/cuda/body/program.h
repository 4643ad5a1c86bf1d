#pragma once
#include <memory>

#include "rigwright/cuda/body/plan.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a learned body. The machine must outlive the program.
std::unique_ptr<DeviceProgram> make_body_program(Machine& machine, const BodyPlan& plan);

}  // namespace rigwright::cuda
