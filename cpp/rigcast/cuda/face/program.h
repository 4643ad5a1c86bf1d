#pragma once
#include <memory>

#include "rigcast/cuda/face/plan.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/device_program.h"

namespace rigcast::cuda {

/// The kernels of a face on deformation maps. The machine must outlive the program.
std::unique_ptr<DeviceProgram> make_face_maps_program(Machine& machine, const FaceMapsPlan& plan);

}  // namespace rigcast::cuda
