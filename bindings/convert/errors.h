#pragma once
#include <exception>

namespace rigcast::bindings {

/// Translates a C++ exception of the engine: ArgumentError to ValueError, filesystem_error to OSError, NumericalError
/// and CudaError to the classes of these names in rigcast.errors. Leaves other exceptions to pybind11.
void translate(std::exception_ptr pointer);

}  // namespace rigcast::bindings
