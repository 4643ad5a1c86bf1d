#pragma once
#include "rigcast/core/instruction_set.h"

/// Calls of kernels that Highway's headers compile once per instruction set (`hwy/foreach_target.h`). The choice among
/// them is made here, once per process, so that nothing of Highway is linked.

/// The table of a kernel, in the namespace of the function: its compilations, best first, null where there is none, and
/// at last the one that every processor runs which this build is for. The order is that of the names in
/// instruction_set.cpp.
#define RIGCAST_EXPORT(function)                                                                     \
    [[maybe_unused]] static constexpr decltype(&HWY_STATIC_DISPATCH(function)) function##_sets[] = { \
        HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), HWY_CHOOSE_SSE4(function),             \
        HWY_CHOOSE_NEON(function), HWY_CHOOSE_WASM(function), HWY_CHOOSE_FALLBACK(function)}

/// The function compiled for the chosen set: RIGCAST_DISPATCH(function)(arguments). Throws what instruction_set()
/// throws.
#define RIGCAST_DISPATCH(function) (::rigcast::compiled_for(::rigcast::chosen_set(), function##_sets))

/// Defines `const Type& name()`: the table of kernels to which `function`, compiled for the chosen set, returns a
/// pointer.
#define RIGCAST_KERNEL_TABLE(Type, name, function)                 \
    const Type& name() {                                           \
        static const Type& chosen = *RIGCAST_DISPATCH(function)(); \
        return chosen;                                             \
    }

namespace rigcast {

/// The entry of a set, or of the next one that this file was compiled for: the last is never null.
template <class Function, std::size_t sets>
Function compiled_for(std::size_t set, Function const (&table)[sets]) {
    while (table[set] == nullptr) ++set;
    return table[set];
}

}  // namespace rigcast
