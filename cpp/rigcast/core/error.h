#pragma once
#include <stdexcept>
#include <string>

namespace rigcast {

/// The engine's exceptions; if a file cannot be written, std::filesystem::filesystem_error. The library never prints,
/// exits or aborts.

/// Wrong input: the function, its argument, what it is and what it must be, as words. The text reads "FUNCTION:
/// ARGUMENT is GOT; it must be EXPECTED".
struct ArgumentError : std::invalid_argument {
    ArgumentError(const std::string& of, const std::string& name, const std::string& is, const std::string& must_be)
        : std::invalid_argument(of + ": " + name + " is " + is + "; it must be " + must_be),
          function(of),
          argument(name),
          got(is),
          expected(must_be) {}

    std::string function, argument, got, expected;
};

/// Valid input for which a computation failed: an overflow, or a matrix that has no factorization.
struct NumericalError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A call of the CUDA runtime failed.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An ArgumentError, for example "load: set.003.basis is F32[12, 4]; it must be F32[12, 5]".
inline ArgumentError bad_argument(const std::string& function, const std::string& argument, const std::string& got,
                                  const std::string& expected) {
    return {function, argument, got, expected};
}

}  // namespace rigcast
