#include <cublas_v2.h>
#include <cusparse.h>

#include <limits>
#include <vector>

#include "rigcast/cuda/libraries/descriptors.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"

namespace rigcast::cuda {
namespace {

using linalg::SparseMatrix;

constexpr double one = 1.0;

/// One triangular solve T y = b of cuSPARSE for fixed memory: cusparseSpSM wants the same descriptors in all its calls.
class TriangularSolve {
public:
    TriangularSolve(cusparseHandle_t handle, const SparseDescriptor& triangle, const DenseDescriptor& from,
                    const DenseDescriptor& to)
        : handle_(handle), triangle_(triangle), from_(from), to_(to) {
        check(cusparseSpSM_createDescr(&analysis_.value), "creating the descriptor of a solve");
        std::size_t size = 0;
        check(cusparseSpSM_bufferSize(handle, none, none, &one, triangle.value, from.value, to.value, CUDA_R_64F,
                                      CUSPARSE_SPSM_ALG_DEFAULT, analysis_.value, &size),
              "querying the memory of a solve");
        memory_.reserve(static_cast<std::int64_t>(size) + 1);  // a solve may need none
        check(cusparseSpSM_analysis(handle, none, none, &one, triangle.value, from.value, to.value, CUDA_R_64F,
                                    CUSPARSE_SPSM_ALG_DEFAULT, analysis_.value, memory_.data()),
              "analyzing a solve");
    }

    void run() const {
        check(cusparseSpSM_solve(handle_, none, none, &one, triangle_.value, from_.value, to_.value, CUDA_R_64F,
                                 CUSPARSE_SPSM_ALG_DEFAULT, analysis_.value),
              "starting a solve");
    }

private:
    static constexpr cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;

    cusparseHandle_t handle_;
    const SparseDescriptor& triangle_;
    const DenseDescriptor& from_;
    const DenseDescriptor& to_;
    Buffer<std::uint8_t> memory_;  // cuSPARSE uses it until the last solve
    SolveDescriptor analysis_;
};

/// L y = b, then L^T x = y, whose result takes the place of b.
class NvidiaSubstitution final : public DeviceSubstitution {
public:
    NvidiaSubstitution(cusparseHandle_t handle, const SparseDescriptor& lower, const SparseDescriptor& upper,
                       std::int64_t size, std::int64_t num_columns)
        : num_columns_(num_columns),
          columns_(size * num_columns),
          between_(size * num_columns),
          outer_(size, num_columns, columns_.data()),
          inner_(size, num_columns, between_.data()),
          forward_(handle, lower, outer_, inner_),
          backward_(handle, upper, inner_, outer_) {}

    std::int64_t num_columns() const override { return num_columns_; }
    double* columns() override { return columns_.data(); }
    void run() override {
        forward_.run();
        backward_.run();
    }

private:
    struct Columns : Buffer<double> {
        explicit Columns(std::int64_t count) { reserve(count); }
    };

    std::int64_t num_columns_;
    Columns columns_;
    Columns between_;
    DenseDescriptor outer_;
    DenseDescriptor inner_;
    TriangularSolve forward_;
    TriangularSolve backward_;
};

/// A triangular matrix in compressed rows on the device.
struct Triangle {
    Triangle(Machine& machine, const SparseMatrix& rows, cusparseFillMode_t mode) {
        machine.upload(rows.start, start);
        machine.upload(rows.row, column);
        machine.upload(rows.value, value);
        machine.synchronize();  // until then the vectors must stay
        descriptor.create_triangle(rows.size, static_cast<std::int64_t>(rows.value.size()), start.data(), column.data(),
                                   value.data(), mode);
    }

    Buffer<std::int32_t> start;
    Buffer<std::int32_t> column;
    Buffer<double> value;
    SparseDescriptor descriptor;
};

/// L and L^T are both stored by rows, so that both solves are the plain one, without a transposed matrix. The
/// compressed columns of L are the compressed rows of L^T.
class NvidiaCholesky final : public DeviceCholesky {
public:
    NvidiaCholesky(Machine& machine, cusparseHandle_t handle, const SparseMatrix& lower)
        : handle_(handle),
          size_(lower.size),
          lower_(machine, linalg::transposed(lower), CUSPARSE_FILL_MODE_LOWER),
          upper_(machine, lower, CUSPARSE_FILL_MODE_UPPER) {}

    std::unique_ptr<DeviceSubstitution> substitution(std::int64_t num_columns) const override {
        return std::make_unique<NvidiaSubstitution>(handle_, lower_.descriptor, upper_.descriptor, size_, num_columns);
    }

private:
    cusparseHandle_t handle_;
    std::int64_t size_;
    Triangle lower_;
    Triangle upper_;
};

class NvidiaLibraries final : public Libraries {
public:
    explicit NvidiaLibraries(Machine& machine) : machine_(machine) {
        check(cublasCreate(&blas_.value), "creating its handle");
        check(cublasSetStream(blas_.value, machine.stream()), "choosing its stream");
        check(cusparseCreate(&sparse_.value), "creating its handle");
        check(cusparseSetStream(sparse_.value, machine.stream()), "choosing its stream");
    }

    /// cuBLAS has column-major matrices: a row-major matrix is the transposed one, so that output^T = W input^T, with W
    /// transposed once more.
    void multiply(const MatrixProduct& p) override {
        if (p.count == 0 || p.num_frames == 0 || p.outputs == 0) return;
        const float alpha = 1.0f;
        const float beta = 0.0f;
        check(cublasSgemmStridedBatched_64(blas_.value, CUBLAS_OP_T, CUBLAS_OP_N, p.outputs, p.num_frames, p.inputs,
                                           &alpha, p.weights, p.inputs, p.outputs * p.inputs, p.input, p.input_width,
                                           p.input_step, &beta, p.output, p.output_width, p.outputs, p.count),
              "starting a product");
    }
    std::unique_ptr<DeviceCholesky> load(const SparseMatrix& lower) override {
        return std::make_unique<NvidiaCholesky>(machine_, sparse_.value, lower);
    }

private:
    Machine& machine_;
    BlasHandle blas_;
    SparseHandle sparse_;
};

}  // namespace

std::unique_ptr<Libraries> make_libraries(Machine& machine) {
    return std::make_unique<NvidiaLibraries>(machine);
}

std::string describe_libraries() {
    const auto version = [](const auto& get) {
        std::string text;
        for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
            int number = 0;
            check(get(part, &number), "querying its version");
            if (!text.empty()) text += '.';
            text += std::to_string(number);
        }
        return text;
    };
    return "cuBLAS " + version(cublasGetProperty) + ", cuSPARSE " + version(cusparseGetProperty);
}

}  // namespace rigcast::cuda
