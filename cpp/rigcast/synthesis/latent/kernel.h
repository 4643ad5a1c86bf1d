#pragma once
#include <cstdint>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// The covariance of a Gaussian process latent variable model between two points of the latent space,
///   k(a, b) = variance exp(-|a - b|^2 / (2 length^2)) + noise [a and b are one training point]
/// (Lawrence 2005; Bailey et al. 2016, equation 5.5). All three are positive; variance and noise have the squared unit
/// of the values, length has the points' unit.
struct Kernel {
    double variance = 1.0;
    double length = 1.0;
    double noise = 0.0;
};

/// Throws ArgumentError, which names `function`, if a number of the kernel is not positive and finite.
void check_kernel(const char* function, const Kernel& kernel);

/// Points (N, D), one coordinate after the other, each padded with zeros to whole vectors.
class Centers {
public:
    Centers() = default;
    explicit Centers(View<const double, 2> points) { set(points); }

    /// Memory is kept between sets of one size.
    void set(View<const double, 2> points);
    std::int64_t size() const { return size_; }
    std::int64_t dimension() const { return dimension_; }
    /// Numbers per coordinate, a multiple of eight.
    std::int64_t stride() const { return stride_; }
    const double* coordinate(std::int64_t axis) const { return numbers_.data() + axis * stride_; }

private:
    std::int64_t size_ = 0;
    std::int64_t dimension_ = 0;
    std::int64_t stride_ = 0;
    LineVector<double> numbers_;
};

/// Kernels in the instruction set of this process. Noise is left out.
struct KernelFunctions {
    /// out[j] = k(x, center j) for j in [begin, end) rounded outward to multiples of eight.
    void (*row)(const Centers& centers, const double* x, const Kernel& kernel, std::int64_t begin, std::int64_t end,
                double* out);
    /// Returns |root k|^2 for a lower triangular matrix (n, n), and adds root^T root k to `gradient` unless it is null.
    /// Rows are `stride` numbers apart, a multiple of eight, zero right of the diagonal; k and `gradient` have `stride`
    /// numbers; k may have any finite numbers from n on. The matrix is read once.
    double (*quadratic)(const double* root, std::int64_t n, std::int64_t stride, const double* k, double* gradient);
    /// out[a] += sum_j weights[j] (center j - x)[a], j < size(); weights are zero from there to stride().
    void (*pull)(const Centers& centers, const double* x, const double* weights, double* out);
    /// The weights of the pairs (i, j), j < i, in the gradient of a likelihood of P outputs:
    ///   weights[j] = k(x_i, x_j) (a_i . a_j - P inverse[j]),   a = K^-1 Y in `solved` (P, centers.stride()).
    /// Zero from i to centers.stride(). Returns their sum.
    double (*weigh_pairs)(const Centers& centers, std::int64_t i, const Kernel& kernel, const double* solved,
                          std::int64_t outputs, const double* inverse, double* weights);
    /// For j < count rounded up to eight, whose weights are zero from `count` on: own[a] += sum_j weights[j]
    /// (center j - x)[a], and moved[a * centers.stride() + j] -= weights[j] (center j - x)[a].
    /// Returns sum_j weights[j] |center j - x|^2.
    double (*spread)(const Centers& centers, const double* x, const double* weights, std::int64_t count, double* own,
                     double* moved);
    /// x . y over n numbers, n a multiple of eight.
    double (*dot)(const double* x, const double* y, std::int64_t n);
};

const KernelFunctions& kernel_functions();

}  // namespace rigcast::synthesis
