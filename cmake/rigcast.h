#pragma once
// All main types of the library.

#include "rigcast/core/error.h"
#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/view.h"
#include "rigcast/crowd/crowd.h"
#include "rigcast/ik/goals/pose_solver.h"
#include "rigcast/ik/learned/face_ik.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/metrics/normal_error.h"
#include "rigcast/metrics/vertex_error.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/blendshapes/blendshape_build.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/session.h"
#include "rigcast/transfer/deformation_transfer.h"
#include "rigcast/version.h"
