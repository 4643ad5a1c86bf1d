#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::cuda {

class Machine;

/// Products of one shape in float32: for all g < count, output_g = input_g W_g^T. All matrices are row-major and in
/// device memory. `input` and `output` are those of g = 0; their rows are `input_width` and `output_width` apart.
struct MatrixProduct {
    std::int64_t count;
    std::int64_t num_frames;  // T
    std::int64_t outputs;
    std::int64_t inputs;
    const float* weights;  // (count, outputs, inputs)
    const float* input;    // input_g (T, inputs) begins at column g * input_step
    std::int64_t input_step;
    std::int64_t input_width;
    float* output;  // output_g (T, outputs) begins at column g * outputs
    std::int64_t output_width;
};

/// Memory for a fixed number of right-hand sides of A x = b, A = L L^T (n, n), on the device.
class DeviceSubstitution {
public:
    virtual ~DeviceSubstitution() = default;
    virtual std::int64_t num_columns() const = 0;
    /// Right-hand sides before `run`, solutions after it: (num_columns, n), one after another. The same memory always.
    virtual double* columns() = 0;
    /// Queues the two triangular solves.
    virtual void run() = 0;
};

/// The triangular matrix L of a Cholesky factorization on the device, in double precision.
class DeviceCholesky {
public:
    virtual ~DeviceCholesky() = default;
    /// Analyzes the solves for so many right-hand sides (at least 1). May wait for the device. The factorization must
    /// outlive the substitution.
    virtual std::unique_ptr<DeviceSubstitution> substitution(std::int64_t num_columns) const = 0;
};

/// Large dense products and triangular solves by NVIDIA's libraries, cuBLAS and cuSPARSE, queued in the stream of the
/// machine that it was made with. Owns the libraries' handles. For one thread at a time. All members throw CudaError.
///
/// A build has one implementation: nvidia.cu with the build switch RIGCAST_CUDA_LIBRARIES, missing.cpp without it,
/// and emulated.cpp, plain loops, in the emulation.
class Libraries {
public:
    Libraries() = default;
    Libraries(const Libraries&) = delete;
    Libraries& operator=(const Libraries&) = delete;
    virtual ~Libraries() = default;

    /// Queues the products. No guarantee that a row has the same bytes for any number of frames.
    virtual void multiply(const MatrixProduct& product) = 0;
    /// Copies L, in compressed columns, to the device. The libraries must outlive the result.
    virtual std::unique_ptr<DeviceCholesky> load(const linalg::SparseMatrix& lower) = 0;
};

/// Throws ArgumentError in a build without the libraries. The machine must outlive the result.
std::unique_ptr<Libraries> make_libraries(Machine& machine);

/// What this build has, for `rigcast doctor`: "cuBLAS 13.0.2, cuSPARSE 12.6.3", or "not built in (REASON)".
std::string describe_libraries();

}  // namespace rigcast::cuda
