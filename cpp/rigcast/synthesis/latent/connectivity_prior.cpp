#include "rigcast/synthesis/latent/connectivity_prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/dense/product.h"

namespace rigcast::synthesis {
namespace {

constexpr int squarings = 6;  // with degree 6, entries are exact to 2^-36 of themselves
constexpr std::int64_t rows_per_piece = 48;

std::int64_t odd_cache_lines(std::int64_t size) {
    return ((size + 7) / 8 | 1) * 8;
}

}  // namespace

ConnectivityPrior::ConnectivityPrior(std::vector<std::int64_t> vertices, std::int64_t frames, double weight)
    : vertices_(std::move(vertices)),
      weight_(weight * static_cast<double>(frames) / static_cast<double>(vertices_.size() * vertices_.size())),
      stride_(odd_cache_lines(size())),
      weights_(static_cast<std::size_t>(size() * stride_)),
      totals_(vertices_.size()),
      scaled_(weights_.size()),
      square_(weights_.size()),
      cube_(weights_.size()),
      tail_(weights_.size()),
      powers_(squarings + 1, Matrix(weights_.size())),
      buffer_(weights_.size()) {}

void ConnectivityPrior::soften(View<const double, 2> points) {
    const double count = static_cast<double>(size());
    center_.assign(static_cast<std::size_t>(points.extent(1)), 0.0);
    for (std::int64_t vertex : vertices_) {
        for (std::int64_t a = 0; a < points.extent(1); ++a) center_[a] += points(vertex, a) / count;
    }
    softened_ = 0.0;
    for (std::int64_t vertex : vertices_) {
        for (std::int64_t a = 0; a < points.extent(1); ++a) {
            const double away = points(vertex, a) - center_[a];
            softened_ += softening * away * away / count;
        }
    }
}

/// W, T and A.
void ConnectivityPrior::connect(View<const double, 2> points) {
    const std::int64_t count = size();
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            double squared = softened_;
            for (std::int64_t a = 0; a < points.extent(1); ++a) {
                const double difference = points(vertices_[i], a) - points(vertices_[j], a);
                squared += difference * difference;
            }
            static_assert(power == 4.0);
            weights_[i * stride_ + j] = weights_[j * stride_ + i] = 1.0 / (squared * squared);
        }
    }
    for (std::int64_t i = 0; i < count; ++i) {
        totals_[i] = std::accumulate(weights_.data() + i * stride_, weights_.data() + i * stride_ + count, 0.0);
    }
    const double scale = std::ldexp(beta, -squarings);
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < count; ++j) {
            scaled_[i * stride_ + j] = scale * weights_[i * stride_ + j] / std::sqrt(totals_[i] * totals_[j]);
        }
    }
}

/// out = a b.
void ConnectivityPrior::multiply(const Matrix& a, const Matrix& b, Matrix* out, int threads) const {
    parallel_for(size(), rows_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(linalg::product_workspace);
        std::fill(out->data() + begin * stride_, out->data() + end * stride_, 0.0);
        linalg::add_product(end - begin, size(), size(), 1.0, {a.data() + begin * stride_, stride_, 1},
                            {b.data(), stride_}, out->data() + begin * stride_, stride_, memory.data());
    });
}

/// out = a b for symmetric matrices that commute, whose product is symmetric: the right part of each piece of rows,
/// then its mirror image.
void ConnectivityPrior::multiply_commuting(const Matrix& a, const Matrix& b, Matrix* out, int threads) const {
    parallel_for(size(), rows_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(linalg::product_workspace);
        for (std::int64_t i = begin; i < end; ++i) {
            std::fill(out->data() + i * stride_ + begin, out->data() + (i + 1) * stride_, 0.0);
        }
        linalg::add_product(end - begin, size() - begin, size(), 1.0, {a.data() + begin * stride_, stride_, 1},
                            {b.data() + begin, stride_}, out->data() + begin * stride_ + begin, stride_, memory.data());
    });
    for (std::int64_t i = 0; i < size(); ++i) {
        double* row = out->data() + i * stride_;
        for (std::int64_t j = 0; j < i; ++j) row[j] = (*out)[j * stride_ + i];
    }
}

/// out += scale (a b + b a) / 2 for symmetric a and b; out may be a or b.
void ConnectivityPrior::add_symmetric_product(double scale, const Matrix& a, const Matrix& b, Matrix* out,
                                              int threads) {
    multiply(a, b, &buffer_, threads);
    for (std::int64_t i = 0; i < size(); ++i) {
        for (std::int64_t j = 0; j < size(); ++j) {
            (*out)[i * stride_ + j] += 0.5 * scale * (buffer_[i * stride_ + j] + buffer_[j * stride_ + i]);
        }
    }
}

void ConnectivityPrior::exponentiate(int threads) {
    multiply_commuting(scaled_, scaled_, &square_, threads);
    multiply_commuting(scaled_, square_, &cube_, threads);
    for (std::size_t i = 0; i < tail_.size(); ++i) {
        tail_[i] = scaled_[i] / 24.0 + square_[i] / 120.0 + cube_[i] / 720.0;
    }
    for (std::int64_t i = 0; i < size(); ++i) tail_[i * stride_ + i] += 1.0 / 6.0;
    multiply_commuting(cube_, tail_, &powers_[0], threads);
    for (std::size_t i = 0; i < tail_.size(); ++i) powers_[0][i] += scaled_[i] + 0.5 * square_[i];
    for (std::int64_t i = 0; i < size(); ++i) powers_[0][i * stride_ + i] += 1.0;
    for (int level = 0; level < squarings; ++level)
        multiply_commuting(powers_[level], powers_[level], &powers_[level + 1], threads);
}

/// sum_ij log H_ij, and its gradient by exp(beta S).
double ConnectivityPrior::add_logarithms(Matrix* gradient) const {
    double sum = 0.0;
    for (std::int64_t i = 0; i < size(); ++i) {
        for (std::int64_t j = 0; j < size(); ++j) {
            const double entry = powers_.back()[i * stride_ + j];
            sum += std::log(entry) - beta;
            (*gradient)[i * stride_ + j] = 1.0 / entry;
        }
    }
    return sum;
}

/// The gradient by A from that by exp(beta S), both symmetric.
void ConnectivityPrior::pull_back(Matrix* gradient, int threads) {
    for (int level = squarings; level-- > 0;) {
        Matrix& by_power = *gradient;
        multiply(by_power, powers_[level], &buffer_, threads);
        for (std::int64_t i = 0; i < size(); ++i) {
            for (std::int64_t j = 0; j < size(); ++j) {
                by_power[i * stride_ + j] = buffer_[i * stride_ + j] + buffer_[j * stride_ + i];
            }
        }
    }
    Matrix by_square(gradient->size());
    Matrix by_cube(gradient->size());
    Matrix by_tail(gradient->size());
    add_symmetric_product(1.0, *gradient, tail_, &by_cube, threads);
    add_symmetric_product(1.0, *gradient, cube_, &by_tail, threads);
    for (std::size_t i = 0; i < by_tail.size(); ++i) {
        by_square[i] = 0.5 * (*gradient)[i] + by_tail[i] / 120.0;
        by_cube[i] += by_tail[i] / 720.0;
        (*gradient)[i] += by_tail[i] / 24.0;
    }
    add_symmetric_product(1.0, by_cube, square_, gradient, threads);
    add_symmetric_product(1.0, by_cube, scaled_, &by_square, threads);
    add_symmetric_product(2.0, by_square, scaled_, gradient, threads);
}

void ConnectivityPrior::add_to_points(const Matrix& gradient, View<const double, 2> points,
                                      View<double, 2> by_points) const {
    const std::int64_t count = size();
    const double vertices = static_cast<double>(count);
    const double scale = std::ldexp(beta, -squarings);
    double by_softening = 0.0;
    std::vector<double> by_total(totals_.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const double* row = gradient.data() + i * stride_;
        by_total[i] = -std::inner_product(row, row + count, scaled_.data() + i * stride_, 0.0) / totals_[i];
    }
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            const double by_weight = 2.0 * scale * gradient[i * stride_ + j] / std::sqrt(totals_[i] * totals_[j]) +
                                     by_total[i] + by_total[j];
            // w = u^-2 of u = |x_i - x_j|^2 + e
            const double weight = weights_[i * stride_ + j];
            const double by_squared = weight_ * by_weight * -2.0 * weight * std::sqrt(weight);
            by_softening += by_squared;
            for (std::int64_t a = 0; a < points.extent(1); ++a) {
                const double force = 2.0 * by_squared * (points(vertices_[i], a) - points(vertices_[j], a));
                by_points(vertices_[i], a) += force;
                by_points(vertices_[j], a) -= force;
            }
        }
    }
    for (std::int64_t vertex : vertices_) {
        for (std::int64_t a = 0; a < points.extent(1); ++a) {
            by_points(vertex, a) += by_softening * 2.0 * softening * (points(vertex, a) - center_[a]) / vertices;
        }
    }
}

double ConnectivityPrior::add(View<const double, 2> points, View<double, 2> gradient, int threads) {
    soften(points);
    connect(points);
    exponentiate(threads);
    Matrix by_entries(weights_.size());
    const double sum = add_logarithms(&by_entries);
    pull_back(&by_entries, threads);
    add_to_points(by_entries, points, gradient);
    return weight_ * sum;
}

}  // namespace rigcast::synthesis
