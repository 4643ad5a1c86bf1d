#pragma once
#include <exception>

namespace rigwright::bindings {

/// Raises what a C++ exception of the engine is in Python: the project's exceptions live in rigwright.errors,
/// in plain Python. Leaves other exceptions to pybind11.
void translate(std::exception_ptr pointer);

}  // namespace rigwright::bindings
