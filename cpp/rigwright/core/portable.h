#pragma once

/// RIGWRIGHT_DEVICE marks a function that runs on the device and, in the emulation (emulation.h), on the host.
#ifdef __CUDACC__
#define RIGWRIGHT_DEVICE __host__ __device__
#else
#define RIGWRIGHT_DEVICE
#endif

/// RIGWRIGHT_TEAM marks a function whose threads wait for each other (block.h): device code under nvcc, never the
/// host's.
#ifdef __CUDACC__
#define RIGWRIGHT_TEAM __device__
#else
#define RIGWRIGHT_TEAM
#endif

/// RIGWRIGHT_UNROLL writes a loop out in device code, so that its array stays in registers.
#ifdef __CUDA_ARCH__
#define RIGWRIGHT_UNROLL _Pragma("unroll")
#else
#define RIGWRIGHT_UNROLL
#endif

/// RIGWRIGHT_ROLLED keeps a loop with a large body as it is.
#ifdef __CUDA_ARCH__
#define RIGWRIGHT_ROLLED _Pragma("unroll 1")
#else
#define RIGWRIGHT_ROLLED
#endif
