#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// A sparse matrix in compressed rows: row i has the entries start[i] to before start[i + 1], columns ascending.
struct CompressedRows {
    std::int64_t num_columns = 0;
    std::vector<std::int32_t> start{0};  // (rows + 1)
    std::vector<std::int32_t> column;    // (E)
    std::vector<float> value;            // (E)

    std::int64_t num_rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

/// A sparse matrix A (M, N) on the device.
class SparseProduct {
public:
    SparseProduct() = default;
    SparseProduct(const SparseProduct&) = delete;
    SparseProduct& operator=(const SparseProduct&) = delete;
    virtual ~SparseProduct() = default;

    /// Queues output(t, i) = sum_n A(i, n) input(n, t) in float32: input (N, pitch) with T <= pitch frames, output
    /// (T, M), both in device memory. If T or the pitch differ from those of the last call, analyzes the product anew
    /// and waits for the device.
    virtual void multiply(std::int64_t num_frames, const float* input, std::int64_t pitch, float* output) = 0;
};

/// Large dense and sparse products by NVIDIA's libraries, cuBLAS and cuSPARSE, queued in the stream of the machine that
/// it was made with. Owns the libraries' handles. For one thread at a time. All members throw CudaError.
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
    /// Copies a sparse matrix to the device. The libraries must outlive the result.
    virtual std::unique_ptr<SparseProduct> load(const CompressedRows& matrix) = 0;
};

/// Throws ArgumentError in a build without the libraries. The machine must outlive the result.
std::unique_ptr<Libraries> make_libraries(Machine& machine);

/// What this build has, for `rigcast doctor`: "cuBLAS 13.0.2, cuSPARSE 12.6.3", or "not built in (REASON)".
std::string describe_libraries();

}  // namespace rigcast::cuda
