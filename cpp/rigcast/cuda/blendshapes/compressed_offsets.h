#pragma once
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::cuda {

/// The offsets of a rig of V vertices and N columns as a sparse matrix (3 V, N + 1), without zeros: row 3 k + axis is a
/// coordinate of vertex k, and column n is to be multiplied by the activation of column n times its scale. The last
/// column is the neutral, whose activation is 1. Throws ArgumentError if there are more entries than 32-bit indices.
CompressedRows compressed_offsets(const rig::BlendshapeRig& rig);

}  // namespace rigcast::cuda
