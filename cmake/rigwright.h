#pragma once
// All main types of the library.

#include "rigwright/core/error.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/ik/goals/pose_solver.h"
#include "rigwright/ik/learned/face_ik.h"
#include "rigwright/inverse/solve.h"
#include "rigwright/metrics/normal_error.h"
#include "rigwright/metrics/vertex_error.h"
#include "rigwright/registry/make_model.h"
#include "rigwright/rig/blendshapes/blendshape_build.h"
#include "rigwright/rig/deformer.h"
#include "rigwright/rig/session.h"
#include "rigwright/transfer/deformation_transfer.h"
#include "rigwright/version.h"
