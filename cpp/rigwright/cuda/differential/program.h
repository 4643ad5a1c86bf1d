#pragma once
#include <memory>

#include "rigwright/cuda/differential/plan.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a model in a differential subspace: grouped products, a combination, and one product for the folded
/// last step. The machine must outlive the program.
std::unique_ptr<DeviceProgram> make_differential_program(Machine& machine, const DifferentialPlan& plan);

}  // namespace rigwright::cuda
