#pragma once
#include <cmath>
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"

namespace rigcast::cuda {

/// A synthesis::LatentSpace in device memory. Matrices are stored so that neighboring threads read neighboring numbers.
struct DeviceGaussianProcess {
    std::int64_t num_centers;  // C
    std::int64_t dimension;    // D
    std::int64_t num_outputs;  // P
    double variance;
    double length;
    const double* centers;  // (D, C)
    const double* weights;  // (C, P)
    const double* root;     // (C, C), lower triangular
    const double* root_transposed;
    const double* posterior_root;  // (C, C), or null if the process is exact
    const double* posterior_root_transposed;
};

/// Team kernel: mean, variance and gradient of the variance at points, one point per team at a time. The device's
/// LatentSpace::mean and variance_and_gradient.
struct EvaluateGaussianProcess {
    static constexpr int threads = 128;

    DeviceGaussianProcess process;
    std::int64_t count;        // T
    const double* points;      // (T, D)
    double* mean;              // (T, P)
    double* variance;          // (T)
    double* gradient;          // (T, D)
    double* memory = nullptr;  // (teams, 3 C) if these numbers do not fit the shared memory, else null

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        const int centers = static_cast<int>(process.num_centers);
        double* covariance = memory == nullptr ? team.shared() : memory + team.index() * 3 * process.num_centers;
        double* product = covariance + centers;
        double* solved = product + centers;
        for (std::int64_t t = team.index(); t < count; t += team.count()) {
            const double* x = points + t * process.dimension;
            const double scale = -0.5 / (process.length * process.length);
            team.each(centers, [&](int j) {
                double squared = 0.0;
                for (std::int64_t a = 0; a < process.dimension; ++a) {
                    const double difference = x[a] - process.centers[a * centers + j];
                    squared += difference * difference;
                }
                covariance[j] = process.variance * std::exp(scale * squared);
                solved[j] = 0.0;
            });
            team.each(static_cast<int>(process.num_outputs), [&](int p) {
                double sum = 0.0;
                for (int j = 0; j < centers; ++j) sum += process.weights[j * process.num_outputs + p] * covariance[j];
                mean[t * process.num_outputs + p] = sum;
            });
            double rest = process.variance;
            rest -= add_quadratic(team, process.root, process.root_transposed, 1.0, covariance, product, solved);
            if (process.posterior_root != nullptr) {
                rest += add_quadratic(team, process.posterior_root, process.posterior_root_transposed, -1.0, covariance,
                                      product, solved);
            }
            team.each(1, [&](int) { variance[t] = rest > 0.0 ? rest : 0.0; });
            write_gradient(team, t, x, covariance, solved);
        }
    }

private:
    /// Returns |root k|^2, and adds sign root^T root k to `solved`.
    template <class Team>
    RIGCAST_TEAM double add_quadratic(const Team& team, const double* root, const double* transposed, double sign,
                                      const double* covariance, double* product, double* solved) const {
        const int centers = static_cast<int>(process.num_centers);
        team.each(centers, [&](int i) {
            double sum = 0.0;
            for (int j = 0; j <= i; ++j) sum += transposed[static_cast<std::int64_t>(j) * centers + i] * covariance[j];
            product[i] = sum;
        });
        team.each(centers, [&](int j) {
            double sum = 0.0;
            for (int i = j; i < centers; ++i) sum += root[static_cast<std::int64_t>(i) * centers + j] * product[i];
            solved[j] += sign * sum;
        });
        return team.template sum<1>(centers, [&](int i, Sums<1>& sums) { sums.value[0] += product[i] * product[i]; })
            .value[0];
    }

    template <class Team>
    RIGCAST_TEAM void write_gradient(const Team& team, std::int64_t t, const double* x, const double* covariance,
                                     const double* solved) const {
        const int centers = static_cast<int>(process.num_centers);
        const double scale = -2.0 / (process.length * process.length);
        for (std::int64_t a = 0; a < process.dimension; ++a) {
            const double* coordinate = process.centers + a * centers;
            const Sums<1> sums = team.template sum<1>(centers, [&](int j, Sums<1>& total) {
                total.value[0] += solved[j] * covariance[j] * (coordinate[j] - x[a]);
            });
            team.each(1, [&](int) { gradient[t * process.dimension + a] = scale * sums.value[0]; });
        }
    }
};

}  // namespace rigcast::cuda
