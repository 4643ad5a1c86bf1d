#include "rigcast/capture/pictures/flow_gates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigcast/linalg/dense_cholesky.h"

namespace rigcast::capture {
namespace {

constexpr int radius = 3, side = 2 * radius + 1;  // pixels of a patch
constexpr int iterations = 3;                     // per picture
constexpr double least_contrast = 1e-4;           // of the patch's mean square: below it has no flow
constexpr double farthest = 12.0;                 // pixels: flow beyond is taken as lost
constexpr int rounds = 3;                         // of reweighting, for the head's part
constexpr std::int64_t head = 6;
constexpr std::int64_t stride = linalg::padded_width(head);

/// The derivatives (2, 6) of an image position by the head, times the focal length over depth.
void head_rows(const Camera& camera, const linalg::Vec3& arm, const std::array<double, 2>& at, double depth,
               double (*rows)[head]) {
    const double scale = camera.focal / depth;
    const double offset[2] = {at[0] - camera.center_x, at[1] - camera.center_y};
    for (int a = 0; a < 2; ++a) {
        linalg::Vec3 by_place{0.0, 0.0, -offset[a] / depth};
        by_place[a] = scale;
        const linalg::Vec3 turn = cross(arm, by_place);
        for (int j = 0; j < 3; ++j) rows[a][j] = turn[j], rows[a][3 + j] = by_place[j];
    }
}

}  // namespace

FlowGates::FlowGates(const SurfaceSamples& samples, const Camera& camera, std::int64_t count)
    : camera_(camera), num_shapes_(samples.num_shapes()) {
    const std::int64_t all = samples.num_samples(),
                       step = std::max<std::int64_t>(1, all / std::max<std::int64_t>(count, 1));
    row_of_.assign(static_cast<std::size_t>(all), -1);
    const std::vector<double> rest(static_cast<std::size_t>(num_shapes_), 0.0);
    LineVector<float> memory;
    const float* derivatives = samples.derivatives(rest.data(), &memory);
    const std::int64_t width = samples.row_width();
    for (std::int64_t i = 0, row = 0; i < all; i += step, ++row) {
        row_of_[i] = row;
        const float* from = derivatives + SurfaceSamples::numbers * width * i;
        for (std::int64_t k = 0; k < num_shapes_; ++k) {
            linalg::Vec3 moved{0.0, 0.0, 0.0};
            for (int j = 0; j < 3; ++j) {
                for (int a = 0; a < 3; ++a) moved[a] += samples.shares(i)[j] * from[(3 * j + a) * width + k];
            }
            shares_.push_back(length(moved));
        }
    }
}

void FlowGates::keep(const ColorEnergy& energy, const std::vector<std::int32_t>& used, LinearImage* fine,
                     LinearImage* coarse) {
    std::swap(fine_, *fine);
    std::swap(coarse_, *coarse);
    followed_.clear();
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (row_of_[used[i]] < 0) continue;
        followed_.push_back({row_of_[used[i]], energy.position(i), energy.arm(i), energy.depth(i)});
    }
}

/// Improves the flow of a patch. Returns false if the patch has too little contrast, or is lost.
bool FlowGates::follow(const LinearImage& before, const LinearImage& now, const std::array<double, 2>& at,
                       std::array<double, 2>* flow) const {
    float value[(side + 2) * (side + 2)], by_x[side * side], by_y[side * side];
    for (int j = 0; j < side + 2; ++j) {
        for (int i = 0; i < side + 2; ++i) {
            value[j * (side + 2) + i] = before.gray(at[0] + i - radius - 1, at[1] + j - radius - 1);
        }
    }
    double xx = 0.0, xy = 0.0, yy = 0.0, mean = 0.0;
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            const float* middle = value + (j + 1) * (side + 2) + i + 1;
            const double gx = 0.5 * (middle[1] - middle[-1]), gy = 0.5 * (middle[side + 2] - middle[-side - 2]);
            by_x[j * side + i] = static_cast<float>(gx), by_y[j * side + i] = static_cast<float>(gy);
            xx += gx * gx, xy += gx * gy, yy += gy * gy, mean += *middle * *middle;
        }
    }
    const double least = 0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
    if (!(least > least_contrast * mean)) return false;
    const double determinant = xx * yy - xy * xy;
    for (int n = 0; n < iterations; ++n) {
        double ex = 0.0, ey = 0.0;
        for (int j = 0; j < side; ++j) {
            for (int i = 0; i < side; ++i) {
                const double miss = now.gray(at[0] + (*flow)[0] + i - radius, at[1] + (*flow)[1] + j - radius) -
                                    value[(j + 1) * (side + 2) + i + 1];
                ex += miss * by_x[j * side + i], ey += miss * by_y[j * side + i];
            }
        }
        (*flow)[0] -= (yy * ex - xy * ey) / determinant;
        (*flow)[1] -= (xx * ey - xy * ex) / determinant;
    }
    return std::fabs((*flow)[0]) < farthest && std::fabs((*flow)[1]) < farthest;
}

/// Subtracts what a small motion of the head makes of the flow, by reweighted least squares.
void FlowGates::remove_head() {
    std::vector<double> size(flow_.size(), 0.0);
    std::vector<std::array<double, 2>> rest = flow_;
    for (int round = 0; round < rounds; ++round) {
        double matrix[stride * head] = {}, right[stride] = {}, inverse_diagonal[head], rows[2][head];
        for (std::size_t i = 0; i < flow_.size(); ++i) {
            head_rows(camera_, measured_[i]->arm, measured_[i]->at, measured_[i]->depth, rows);
            const double weight = round == 0 ? 1.0 : 1.0 / std::max(size[i], 0.1);
            for (int a = 0; a < 2; ++a) {
                for (std::int64_t j = 0; j < head; ++j) {
                    for (std::int64_t k = j; k < head; ++k) matrix[j * stride + k] += weight * rows[a][j] * rows[a][k];
                    right[j] += weight * rows[a][j] * flow_[i][a];
                }
            }
        }
        const linalg::DenseCholesky& cholesky = linalg::dense_cholesky();
        if (!cholesky.factorize(matrix, head, stride, 1e-12, inverse_diagonal)) return;
        cholesky.solve(matrix, head, stride, inverse_diagonal, right);
        for (std::size_t i = 0; i < flow_.size(); ++i) {
            head_rows(camera_, measured_[i]->arm, measured_[i]->at, measured_[i]->depth, rows);
            for (int a = 0; a < 2; ++a) {
                rest[i][a] = flow_[i][a];
                for (std::int64_t j = 0; j < head; ++j) rest[i][a] -= rows[a][j] * right[j];
            }
            size[i] = std::hypot(rest[i][0], rest[i][1]);
        }
    }
    flow_ = rest;
}

void FlowGates::measure(const LinearImage& fine, const LinearImage& coarse, double sigma, double* gates) {
    flow_.clear();
    measured_.clear();
    std::fill(gates, gates + num_shapes_, followed_.empty() ? 0.0 : 1.0);
    for (const Followed& sample : followed_) {
        std::array<double, 2> flow{0.0, 0.0};
        if (!follow(coarse_, coarse, sample.at, &flow) || !follow(fine_, fine, sample.at, &flow)) continue;
        flow_.push_back(flow);
        measured_.push_back(&sample);
    }
    if (flow_.size() < head) return;
    remove_head();
    std::vector<double> along(static_cast<std::size_t>(num_shapes_), 0.0), total(along);
    for (std::size_t i = 0; i < flow_.size(); ++i) {
        const double* share = shares_.data() + measured_[i]->row * num_shapes_;
        const double size = std::hypot(flow_[i][0], flow_[i][1]);
        for (std::int64_t k = 0; k < num_shapes_; ++k) along[k] += share[k] * size, total[k] += share[k];
    }
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        if (total[k] > 0.0) gates[k] = std::exp(-along[k] / (total[k] * sigma));
    }
}

}  // namespace rigcast::capture
