#pragma once
#include <pybind11/pybind11.h>

namespace rigcast::bindings {

/// Makes the functions and classes of the module say in one sentence why a call does not fit them
/// (rigcast._validate.signatures.call_error). pybind11's own TypeError shows every value in full. Call it after all
/// classes are bound.
void shorten_call_errors(pybind11::module_& module);

}  // namespace rigcast::bindings
