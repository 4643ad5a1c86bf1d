// A pivoted Cholesky factorization of kernel matrices against the matrix: what is left over is within the tolerance,
// the pivots are the largest entries that remain, and the solve inverts the rows at the pivots.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "rigcast/linalg/dense/pivoted_cholesky.h"

namespace {

using rigcast::linalg::PivotedCholesky;

double kernel(double a, double b) {
    return 2.0 * std::exp(-0.5 * (a - b) * (a - b));
}

struct Setting {
    std::vector<double> points;
    explicit Setting(int count) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(0.0, 6.0);
        for (int i = 0; i < count; ++i) points.push_back(place(random));
        points[1] = points[0];  // the matrix is singular
    }
    PivotedCholesky factorized(double tolerance) const {
        const auto column = [&](std::int64_t pivot, double* out) {
            for (double point : points) *out++ = kernel(point, points[pivot]);
        };
        return {std::vector<double>(points.size(), 2.0), column, tolerance};
    }
};

double left(const Setting& setting, const PivotedCholesky& found, std::int64_t i, std::int64_t j, std::int64_t rank) {
    double value = kernel(setting.points[i], setting.points[j]);
    for (std::int64_t r = 0; r < rank; ++r) {
        value -= found.columns()[r * found.size() + i] * found.columns()[r * found.size() + j];
    }
    return value;
}

int check(bool right, const char* what) {
    if (!right) std::printf("failed: %s\n", what);
    return right ? 0 : 1;
}

int check_setting(int count, double tolerance) {
    const Setting setting(count);
    const PivotedCholesky found = setting.factorized(tolerance);
    const std::int64_t n = found.size(), rank = found.rank();
    double worst = 0.0;
    for (std::int64_t i = 0; i < n; ++i) worst = std::max(worst, left(setting, found, i, i, rank));
    int wrong = check(worst <= tolerance + 1e-14, "what is left is within the tolerance");
    wrong += check(rank < n && rank > 3, "a smooth kernel has a low rank, and copies of a point add none");
    for (std::int64_t r = 0; r < rank; ++r) {
        double most = 0.0;
        for (std::int64_t i = 0; i < n; ++i) most = std::max(most, left(setting, found, i, i, r));
        const std::int64_t pivot = found.pivots()[r];
        wrong += check(left(setting, found, pivot, pivot, r) >= most - 1e-12, "a pivot is the largest that is left");
    }
    // rhs = L^T x for a known x.
    std::vector<double> rhs(static_cast<std::size_t>(2 * rank), 0.0);
    const auto known = [](std::int64_t i, std::int64_t j) { return std::sin(1.0 + static_cast<double>(i + 7 * j)); };
    for (std::int64_t i = 0; i < rank; ++i) {
        for (std::int64_t k = i; k < rank; ++k) {
            const double entry = found.columns()[i * n + found.pivots()[k]];
            for (std::int64_t j = 0; j < 2; ++j) rhs[2 * i + j] += entry * known(k, j);
        }
    }
    found.solve_transposed(rhs);
    double error = 0.0;
    for (std::int64_t i = 0; i < rank; ++i) {
        for (std::int64_t j = 0; j < 2; ++j) error = std::max(error, std::abs(rhs[2 * i + j] - known(i, j)));
    }
    return wrong + check(error < 1e-12 / std::sqrt(tolerance), "the solve inverts the rows at the pivots");
}

}  // namespace

int main() {
    const PivotedCholesky empty(
        {}, [](std::int64_t, double*) {}, 1e-6);
    int wrong = check(empty.rank() == 0, "a matrix without rows has no pivots");
    for (const double tolerance : {1e-2, 1e-6, 1e-10}) wrong += check_setting(60, tolerance);
    return wrong;
}
