#pragma once
#include <memory>

#include "rigwright/cuda/face/plan.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/device_program.h"

namespace rigwright::cuda {

/// The kernels of a face on deformation maps. The machine must outlive the program.
std::unique_ptr<DeviceProgram> make_face_maps_program(Machine& machine, const FaceMapsPlan& plan);

}  // namespace rigwright::cuda
