#pragma once
#include <memory>

#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::cuda {

/// The libraries for a model. Throws ArgumentError if its kind does not use them or the build has none.
std::unique_ptr<Libraries> make_libraries_of(Machine& machine, const rig::Deformer& model);

/// Copies the constants of a model to the device. `libraries` may be null; `dense` as in ResidentOptions. Throws
/// ArgumentError if the model is of a kind that has no kernels. The machine and the libraries must outlive the program.
std::unique_ptr<DeviceProgram> make_program(Machine& machine, Libraries* libraries, const rig::Deformer& model,
                                            bool dense);

}  // namespace rigcast::cuda
