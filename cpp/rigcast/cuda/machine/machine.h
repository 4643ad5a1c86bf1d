#pragma once

/// `Machine` runs kernels and owns their memory. nvcc compiles the GPU's; a host compiler compiles an emulation with
/// the same members, so that kernels and the code that queues them are tested on any computer, also under
/// AddressSanitizer. Only gpu.h itself, some 250 lines of launches, copies and barriers, needs a GPU to be tested.
#ifdef __CUDACC__
#include "rigcast/cuda/machine/gpu.h"
#else
#include "rigcast/cuda/machine/emulation.h"
#endif
