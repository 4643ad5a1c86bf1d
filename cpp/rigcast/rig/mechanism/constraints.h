#pragma once
#include "rigcast/rig/mechanism/bone.h"
#include "rigcast/rig/mechanism/posed_bones.h"

namespace rigcast::rig {

/// Changes the pose (in the coordinates of the armature) of bone `index` by its constraint. What it follows is posed.
/// The formulas are those of Blender's constraints of the same names.
void apply_constraint(const PosedBones& posed, int index, const Constraint& constraint, Affine* pose);

}  // namespace rigcast::rig
