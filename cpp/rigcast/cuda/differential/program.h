#pragma once
#include <memory>

#include "rigcast/cuda/differential/plan.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"

namespace rigcast::cuda {

/// The kernels of a model in a differential subspace: one product per layer of the networks, the last step, the linear
/// transforms. With libraries, large products are theirs; else `libraries` is null. The machine and the libraries must
/// outlive the program.
std::unique_ptr<DeviceProgram> make_differential_program(Machine& machine, Libraries* libraries,
                                                         const DifferentialPlan& plan);

}  // namespace rigcast::cuda
