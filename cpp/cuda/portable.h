#pragma once

/// RIGWRIGHT_DEVICE marks a function that runs on the device and, in the emulation (emulation.h), on the host.
#ifdef __CUDACC__
#define RIGWRIGHT_DEVICE __host__ __device__
#else
#define RIGWRIGHT_DEVICE
#endif

/// RIGWRIGHT_UNROLL writes a loop out in device code, so that its array stays in registers.
#ifdef __CUDA_ARCH__
#define RIGWRIGHT_UNROLL _Pragma("unroll")
#else
#define RIGWRIGHT_UNROLL
#endif
