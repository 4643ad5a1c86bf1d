#pragma once

/// `Machine` runs kernels and owns their memory. nvcc gets the GPU; a host compiler gets an emulation with the
/// same members, so that the kernels and the code that drives them are checked on any computer, under
/// AddressSanitizer too. What only a GPU can check is gpu.h itself: some 250 lines of launches, copies and barriers.
#ifdef __CUDACC__
#include "rigwright/cuda/machine/gpu.h"
#else
#include "rigwright/cuda/machine/emulation.h"
#endif
