#pragma once
#include "rigcast/core/instruction_set.h"

/// Calls of kernels that Highway compiles once per instruction set; they follow HWY_EXPORT(function). Both macros call
/// instruction_set() first, so that every kernel of a process uses the set chosen there, whatever the order of
/// initialization. They throw what instruction_set() throws.

/// The function compiled for the chosen set: RIGCAST_DISPATCH(function)(arguments).
#define RIGCAST_DISPATCH(function) (::rigcast::instruction_set(), HWY_DYNAMIC_DISPATCH(function))

/// Defines `const Type& name()`: the table of kernels to which `function`, compiled for the chosen set, returns a
/// pointer.
#define RIGCAST_KERNEL_TABLE(Type, name, function)                 \
    const Type& name() {                                           \
        static const Type& chosen = *RIGCAST_DISPATCH(function)(); \
        return chosen;                                             \
    }
