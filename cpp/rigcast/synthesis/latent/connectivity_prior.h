#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// The connectivity prior of latent points (Levine et al. 2012, section 4.2): points from which a random walk reaches
/// all others are likely, so that similar poses of different clips come close to each other. With V chosen frames as
/// vertices of a complete graph,
///   w_ij = (|x_i - x_j|^2 + e)^(-power / 2),   T = diag(sum_j w_ij),   S = T^-1/2 W T^-1/2,
///   H = exp(beta (S - I)),   log p(X) = weight N / V^2 sum_ij log H_ij + constant.
/// e is `softening` times the vertices' mean squared distance from their mean: equal points have finite weights, and
/// the prior does not depend on the scale of the points, which it could otherwise shrink until all pairs are alike. The
/// mean over pairs times the frames N keeps the balance with the likelihood, which is a sum over frames. Method: H by
/// scaling and squaring of a Taylor series of degree 6. All of its terms are positive, so small entries, whose
/// logarithms count as much as large ones, have their full relative precision; eigenvectors would not give it. The
/// gradient is the adjoint of the same operations. Cost: O(V^3), about 33 V^3 multiplications and additions. Not
/// thread-safe: use one per thread. The same bytes for any number of threads.
class ConnectivityPrior {
public:
    static constexpr double power = 4.0;
    static constexpr double softening = 1e-6;
    static constexpr double beta = 1.0;

    /// `vertices` are frames of the N points.
    ConnectivityPrior(std::vector<std::int64_t> vertices, std::int64_t frames, double weight);

    /// log p(points), for points (N, D), up to the constant. Adds its gradient to (N, D).
    double add(View<const double, 2> points, View<double, 2> gradient, int threads);

private:
    using Matrix = LineVector<double>;  // (V, stride_)

    void soften(View<const double, 2> points);
    void connect(View<const double, 2> points);
    void exponentiate(int threads);
    double add_logarithms(Matrix* gradient) const;
    void pull_back(Matrix* gradient, int threads);
    void add_to_points(const Matrix& gradient, View<const double, 2> points, View<double, 2> by_points) const;
    void multiply(const Matrix& a, const Matrix& b, Matrix* out, int threads) const;
    void multiply_commuting(const Matrix& a, const Matrix& b, Matrix* out, int threads) const;
    void add_symmetric_product(double scale, const Matrix& a, const Matrix& b, Matrix* out, int threads);

    std::int64_t size() const { return static_cast<std::int64_t>(vertices_.size()); }

    std::vector<std::int64_t> vertices_;
    double weight_;  // of one pair
    std::int64_t stride_;
    std::vector<double> center_;  // the mean of the vertices
    double softened_ = 0.0;       // e
    Matrix weights_;              // W
    std::vector<double> totals_;  // T
    Matrix scaled_;               // A = beta S / 2^squarings
    Matrix square_;               // A^2
    Matrix cube_;                 // A^3
    Matrix tail_;                 // I / 6 + A / 24 + A^2 / 120 + A^3 / 720
    std::vector<Matrix> powers_;  // exp(A), exp(2 A), ... exp(beta S)
    Matrix buffer_;
};

}  // namespace rigcast::synthesis
