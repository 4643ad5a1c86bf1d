#pragma once
#include "rigwright/core/instruction_set.h"

/// How kernels that Highway compiles for every instruction set are called, after HWY_EXPORT(function). All of a process
/// use the one set that instruction_set() has chosen: these macros ask it first, so that no order of initialization can
/// miss RIGWRIGHT_INSTRUCTION_SET. They throw what instruction_set() throws.

/// The function of the chosen set: RIGWRIGHT_DISPATCH(function)(arguments).
#define RIGWRIGHT_DISPATCH(function) (::rigwright::instruction_set(), HWY_DYNAMIC_DISPATCH(function))

/// Defines `const Type& name()`, the table of kernels that `function` of the chosen set returns a pointer to.
#define RIGWRIGHT_KERNEL_TABLE(Type, name, function)                 \
    const Type& name() {                                             \
        static const Type& chosen = *RIGWRIGHT_DISPATCH(function)(); \
        return chosen;                                               \
    }
