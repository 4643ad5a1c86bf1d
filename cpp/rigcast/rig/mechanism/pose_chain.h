#pragma once
#include "rigcast/rig/mechanism/bone.h"
#include "rigcast/rig/mechanism/chain_solver.h"
#include "rigcast/rig/mechanism/posed_bones.h"

namespace rigcast::rig {

/// Turns the bones of a chain, posed by everything else already, towards its goal. `posed` refers to `poses`.
void pose_chain(const PosedBones& posed, const Chain& chain, double change, std::vector<Affine>* poses);

}  // namespace rigcast::rig
