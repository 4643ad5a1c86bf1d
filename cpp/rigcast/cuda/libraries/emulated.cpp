#include <utility>

#include "rigcast/cuda/libraries/libraries.h"

namespace rigcast::cuda {
namespace {

class EmulatedSparseProduct final : public SparseProduct {
public:
    explicit EmulatedSparseProduct(CompressedRows matrix) : matrix_(std::move(matrix)) {}

    void multiply(std::int64_t num_frames, const float* input, std::int64_t pitch, float* output) override {
        const std::int64_t rows = matrix_.num_rows();
        for (std::int64_t t = 0; t < num_frames; ++t) {
            for (std::int64_t i = 0; i < rows; ++i) {
                double sum = 0.0;
                for (std::int32_t e = matrix_.start[i]; e < matrix_.start[i + 1]; ++e) {
                    sum += double{matrix_.value[e]} * input[matrix_.column[e] * pitch + t];
                }
                output[t * rows + i] = static_cast<float>(sum);
            }
        }
    }

private:
    CompressedRows matrix_;
};

/// What the libraries compute, in plain loops on the host: sums of products are double.
class EmulatedLibraries final : public Libraries {
public:
    void multiply(const MatrixProduct& p) override {
        for (std::int64_t g = 0; g < p.count; ++g) {
            for (std::int64_t t = 0; t < p.num_frames; ++t) {
                const float* x = p.input + g * p.input_step + t * p.input_width;
                for (std::int64_t i = 0; i < p.outputs; ++i) {
                    const float* w = p.weights + (g * p.outputs + i) * p.inputs;
                    double sum = 0.0;
                    for (std::int64_t k = 0; k < p.inputs; ++k) sum += double{w[k]} * x[k];
                    p.output[t * p.output_width + g * p.outputs + i] = static_cast<float>(sum);
                }
            }
        }
    }
    std::unique_ptr<SparseProduct> load(const CompressedRows& matrix) override {
        return std::make_unique<EmulatedSparseProduct>(matrix);
    }
};

}  // namespace

std::unique_ptr<Libraries> make_libraries(Machine&) {
    return std::make_unique<EmulatedLibraries>();
}

std::string describe_libraries() {
    return "emulated";
}

}  // namespace rigcast::cuda
