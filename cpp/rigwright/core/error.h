#pragma once
#include <stdexcept>
#include <string>

namespace rigwright {

/// Wrong input. The text names function, argument, what it is and what it must be.
struct ArgumentError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Valid input on which a computation broke down: overflow, or a matrix that has no factorization.
struct NumericalError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// CUDA reported an error.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// "load: set.003.basis is F32[12, 4]; it must be F32[12, 5]"
inline ArgumentError bad_argument(const std::string& function, const std::string& argument, const std::string& got,
                                  const std::string& expected) {
    return ArgumentError(function + ": " + argument + " is " + got + "; it must be " + expected);
}

}  // namespace rigwright
