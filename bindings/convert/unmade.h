#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Makes the use of uninitialized objects of the module's classes raise TypeError. Such objects come from __new__
/// without
/// __init__; pybind11 would pass uninitialized memory to their methods. Call it after all classes are bound.
void refuse_unmade(pybind11::module_& module);

}  // namespace rigcast::bindings
