#pragma once
#include <exception>

namespace rigcast::bindings {

/// Translates a C++ exception of the engine: filesystem_error to OSError, ArgumentError, NumericalError and CudaError
/// to the classes of these names in rigcast.errors. Leaves other exceptions to pybind11.
void translate(std::exception_ptr pointer);

}  // namespace rigcast::bindings
