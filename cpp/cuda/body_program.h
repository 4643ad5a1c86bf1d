#pragma once
#include <memory>

#include "cuda/body_plan.h"
#include "cuda/device_program.h"
#include "cuda/machine.h"

namespace rigwright::cuda {

/// The kernels of a learned body; the machine must outlive the program.
std::unique_ptr<DeviceProgram> make_body_program(Machine& machine, const BodyPlan& plan);

}  // namespace rigwright::cuda
