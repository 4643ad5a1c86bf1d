#pragma once
#include <memory>

#include "rigwright/cuda/differential/plan.h"
#include "rigwright/cuda/libraries/libraries.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a model in a differential subspace: one product per layer of the networks, the last step, the linear
/// transforms. With libraries, large products and the solve of a SolvePlan are theirs; else `libraries` is null, and
/// the plan is folded. The machine and the libraries must outlive the program.
std::unique_ptr<DeviceProgram> make_differential_program(Machine& machine, Libraries* libraries,
                                                         const DifferentialPlan& plan);

}  // namespace rigwright::cuda
