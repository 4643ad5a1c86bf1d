#pragma once

/// Marks code that nvcc and a host compiler both compile: kernels, and the host emulation of them (cuda/machine).

/// RIGCAST_DEVICE marks a function that runs on the device and on the host.
#ifdef __CUDACC__
#define RIGCAST_DEVICE __host__ __device__
#else
#define RIGCAST_DEVICE
#endif

/// RIGCAST_TEAM marks a function whose threads wait for each other (cuda/machine/block.h): under nvcc it is compiled
/// for the device only.
#ifdef __CUDACC__
#define RIGCAST_TEAM __device__
#else
#define RIGCAST_TEAM
#endif

/// RIGCAST_UNROLL unrolls a loop in device code, so that arrays indexed by the loop stay in registers.
#ifdef __CUDA_ARCH__
#define RIGCAST_UNROLL _Pragma("unroll")
#else
#define RIGCAST_UNROLL
#endif

/// RIGCAST_ROLLED prevents unrolling of a loop with a large body.
#ifdef __CUDA_ARCH__
#define RIGCAST_ROLLED _Pragma("unroll 1")
#else
#define RIGCAST_ROLLED
#endif
