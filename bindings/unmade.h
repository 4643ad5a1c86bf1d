#pragma once
#include <pybind11/pybind11.h>

namespace rigwright::bindings {

/// Makes every use of an object of the module's classes that `__new__` alone has made, whose `__init__` never ran, a
/// TypeError. Without this pybind11 hands methods memory that nothing has initialized. To be called when all classes
/// are bound.
void refuse_unmade(pybind11::module_& module);

}  // namespace rigwright::bindings
