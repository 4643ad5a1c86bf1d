#pragma once
#include <memory>

#include "rigcast/cuda/blendshapes/plan.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"

namespace rigcast::cuda {

/// A blendshape rig by the libraries: activations by one kernel, then one sparse product with `offsets`
/// (compressed_offsets), which has the neutral as its last column. Of the plan, drivers and scales are used. Prefixes
/// are honored and save nothing: columns outside have the activation 0. The machine and the libraries must outlive the
/// program.
std::unique_ptr<DeviceProgram> make_sparse_blendshape_program(Machine& machine, Libraries& libraries,
                                                              const BlendshapePlan& plan,
                                                              const CompressedRows& offsets);

}  // namespace rigcast::cuda
