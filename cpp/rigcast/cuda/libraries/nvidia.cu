#include <cublas_v2.h>
#include <cusparse.h>

#include "rigcast/cuda/libraries/descriptors.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"

namespace rigcast::cuda {
namespace {

/// The sparse product of cuSPARSE (cusparseSpMM). Both dense matrices are column-major to it: the output (T, M) by rows
/// is C (M, T) by columns, the input (N, pitch) by rows is B^T with B (T, N) by columns, `pitch` apart. Of the
/// algorithms for compressed rows, the third one gives the same bytes in every run.
class NvidiaSparseProduct final : public SparseProduct {
public:
    NvidiaSparseProduct(Machine& machine, cusparseHandle_t handle, const CompressedRows& matrix)
        : machine_(machine), handle_(handle), num_rows_(matrix.num_rows()), num_columns_(matrix.num_columns) {
        machine.upload(matrix.start, start_);
        machine.upload(matrix.column, column_);
        machine.upload(matrix.value, value_);
        machine.synchronize();  // until then the vectors must stay
        matrix_.create(num_rows_, num_columns_, static_cast<std::int64_t>(matrix.value.size()), start_.data(),
                       column_.data(), value_.data());
    }

    void multiply(std::int64_t num_frames, const float* input, std::int64_t pitch, float* output) override {
        if (num_frames == 0 || num_rows_ == 0) return;
        const DenseDescriptor from(num_frames, num_columns_, pitch, const_cast<float*>(input));  // only read
        const DenseDescriptor to(num_rows_, num_frames, num_rows_, output);
        if (num_frames != num_frames_ || pitch != pitch_) analyze(from, to, num_frames, pitch);
        check(cusparseSpMM(handle_, as_it_is, transposed, &alpha, matrix_.value, from.value, &beta, to.value,
                           CUDA_R_32F, algorithm, memory_.data()),
              "starting a product");
    }

private:
    static constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr cusparseOperation_t transposed = CUSPARSE_OPERATION_TRANSPOSE;
    static constexpr cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_CSR_ALG3;
    static constexpr float alpha = 1.0f;
    static constexpr float beta = 0.0f;

    void analyze(const DenseDescriptor& from, const DenseDescriptor& to, std::int64_t num_frames, std::int64_t pitch) {
        std::size_t size = 0;
        check(cusparseSpMM_bufferSize(handle_, as_it_is, transposed, &alpha, matrix_.value, from.value, &beta, to.value,
                                      CUDA_R_32F, algorithm, &size),
              "querying the memory of a product");
        machine_.synchronize();                                // queued products read the memory of the last analysis
        num_frames_ = -1;                                      // until the new one is done
        memory_.reserve(static_cast<std::int64_t>(size) + 1);  // a product may need none
        check(cusparseSpMM_preprocess(handle_, as_it_is, transposed, &alpha, matrix_.value, from.value, &beta, to.value,
                                      CUDA_R_32F, algorithm, memory_.data()),
              "analyzing a product");
        num_frames_ = num_frames;
        pitch_ = pitch;
    }

    Machine& machine_;
    cusparseHandle_t handle_;
    std::int64_t num_rows_;
    std::int64_t num_columns_;
    std::int64_t num_frames_ = -1;  // of the analysis
    std::int64_t pitch_ = -1;
    Buffer<std::int32_t> start_;
    Buffer<std::int32_t> column_;
    Buffer<float> value_;
    SparseDescriptor matrix_;
    Buffer<std::uint8_t> memory_;  // cuSPARSE reads its analysis from it
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
    std::unique_ptr<SparseProduct> load(const CompressedRows& matrix) override {
        return std::make_unique<NvidiaSparseProduct>(machine_, sparse_.value, matrix);
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
