#pragma once
#include <stdexcept>
#include <string>

namespace rigcast {

/// The engine's exceptions; if a file cannot be written, std::filesystem::filesystem_error. The library never prints,
/// exits or aborts.

/// Wrong input. The text names the function, the argument, what it is and what it must be; see bad_argument.
struct ArgumentError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Valid input for which a computation failed: an overflow, or a matrix that has no factorization.
struct NumericalError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A call of the CUDA runtime failed.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An ArgumentError that reads "FUNCTION: ARGUMENT is GOT; it must be EXPECTED", for example
/// "load: set.003.basis is F32[12, 4]; it must be F32[12, 5]".
inline ArgumentError bad_argument(const std::string& function, const std::string& argument, const std::string& got,
                                  const std::string& expected) {
    return ArgumentError(function + ": " + argument + " is " + got + "; it must be " + expected);
}

}  // namespace rigcast
