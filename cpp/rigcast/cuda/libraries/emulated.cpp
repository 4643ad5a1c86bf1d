#include <cstddef>
#include <limits>
#include <vector>

#include "rigcast/cuda/libraries/libraries.h"

namespace rigcast::cuda {
namespace {

using linalg::SparseMatrix;

class EmulatedSubstitution final : public DeviceSubstitution {
public:
    EmulatedSubstitution(const SparseMatrix& lower, std::int64_t num_columns)
        : lower_(lower),
          num_columns_(num_columns),
          columns_(static_cast<std::size_t>(lower.size * num_columns), std::numeric_limits<double>::quiet_NaN()) {}

    std::int64_t num_columns() const override { return num_columns_; }
    double* columns() override { return columns_.data(); }

    void run() override {
        for (std::int64_t c = 0; c < num_columns_; ++c) {
            double* x = columns_.data() + c * lower_.size;
            for (std::int32_t i = 0; i < lower_.size; ++i) forward(i, x);
            for (std::int32_t i = lower_.size - 1; i >= 0; --i) backward(i, x);
        }
    }

private:
    /// Column i of L: its diagonal entry comes first.
    void forward(std::int32_t i, double* x) const {
        const std::int32_t first = lower_.start[i];
        x[i] /= lower_.value[first];
        for (std::int32_t e = first + 1; e < lower_.start[i + 1]; ++e) x[lower_.row[e]] -= lower_.value[e] * x[i];
    }
    void backward(std::int32_t i, double* x) const {
        const std::int32_t first = lower_.start[i];
        for (std::int32_t e = first + 1; e < lower_.start[i + 1]; ++e) x[i] -= lower_.value[e] * x[lower_.row[e]];
        x[i] /= lower_.value[first];
    }

    const SparseMatrix& lower_;
    std::int64_t num_columns_;
    std::vector<double> columns_;
};

class EmulatedCholesky final : public DeviceCholesky {
public:
    explicit EmulatedCholesky(const SparseMatrix& lower) : lower_(lower) {}

    std::unique_ptr<DeviceSubstitution> substitution(std::int64_t num_columns) const override {
        return std::make_unique<EmulatedSubstitution>(lower_, num_columns);
    }

private:
    SparseMatrix lower_;
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
    std::unique_ptr<DeviceCholesky> load(const SparseMatrix& lower) override {
        return std::make_unique<EmulatedCholesky>(lower);
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
