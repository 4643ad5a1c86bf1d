#pragma once
#include <memory>

#include "rigcast/cuda/body/plan.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"

namespace rigcast::cuda {

/// The kernels of a learned body. The machine must outlive the program.
std::unique_ptr<DeviceProgram> make_body_program(Machine& machine, const BodyPlan& plan);

}  // namespace rigcast::cuda
