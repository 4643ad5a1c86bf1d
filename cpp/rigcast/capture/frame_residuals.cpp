#include "rigcast/capture/frame_residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigcast::capture {
namespace {

constexpr double behind = 1e3;         // residual of a point that is not in front of the camera
constexpr double small_angle = 1e-4;   // below, series of the rotation's derivative
constexpr double nearest_share = 0.3;  // of the radius: the nearest that a point may come to the camera

/// The left Jacobian of exp at omega: exp(omega + d) = exp(J d) exp(omega).
std::array<double, 9> left_jacobian(const double* w) {
    const double angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double angle = std::sqrt(angle2);
    const double a = angle < small_angle ? 0.5 - angle2 / 24.0 : (1.0 - std::cos(angle)) / angle2;
    const double b = angle < small_angle ? 1.0 / 6.0 - angle2 / 120.0 : (angle - std::sin(angle)) / (angle2 * angle);
    const std::array<double, 9> cross{0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const std::array<double, 9> squared = product(cross, cross);
    std::array<double, 9> result{};
    for (int i = 0; i < 9; ++i) result[i] = (i % 4 == 0 ? 1.0 : 0.0) + a * cross[i] + b * squared[i];
    return result;
}

}  // namespace

std::array<double, 9> product(const std::array<double, 9>& a, const std::array<double, 9>& b) {
    std::array<double, 9> result{};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) result[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
    }
    return result;
}

std::array<double, 9> rotation_of(const double* w) {
    const double angle2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double angle = std::sqrt(angle2);
    const double a = angle < small_angle ? 1.0 - angle2 / 6.0 : std::sin(angle) / angle;
    const double b = angle < small_angle ? 0.5 - angle2 / 24.0 : (1.0 - std::cos(angle)) / angle2;
    const std::array<double, 9> cross{0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const std::array<double, 9> squared = product(cross, cross);
    std::array<double, 9> result{};
    for (int i = 0; i < 9; ++i) result[i] = (i % 4 == 0 ? 1.0 : 0.0) + a * cross[i] + b * squared[i];
    return result;
}

FrameResiduals::FrameResiduals(const PointModel& model, const Camera& camera, const PointTerms& terms)
    : model_(model), camera_(camera), terms_(terms), nearest_(nearest_share * model.radius()) {
    const std::size_t width = static_cast<std::size_t>(3 * model.num_points());
    positions_.resize(width);
    placed_.resize(width);
    misses_.resize(width);
    shift_.resize(static_cast<std::size_t>(model.num_shapes()));
    derivatives_.resize(width * shift_.size());
}

void FrameResiduals::start(const FramePoints& points, const FrameTerms& frame, const HeadPose& pose, double sparsity) {
    points_ = points;
    frame_ = &frame;
    base_ = pose;
    observed_.clear();
    const int d = points.dimensions;
    for (std::int32_t i = 0; i < model_.num_points(); ++i) {
        bool is_known = points.certainty[i] > 0.0;
        for (int axis = 0; axis < d; ++axis) is_known = is_known && std::isfinite(points.points[d * i + axis]);
        if (is_known) observed_.push_back(i);
    }
    constant_ = 0.0;
    for (std::int64_t k = 0; k < model_.num_shapes(); ++k) {
        const double strength = frame.strength[k];
        shift_[k] = model_.low()[k] < 0.0 ? 0.0 : 0.5 * sparsity / strength;
        constant_ += strength * shift_[k] * (shift_[k] - 2.0 * frame.target[k]);
    }
}

HeadPose FrameResiduals::pose(const double* x) const {
    const double* head = x + model_.num_shapes();
    return {product(rotation_of(head), base_.rotation), {head[3], head[4], head[5]}};
}

double FrameResiduals::scale_of(std::int32_t i) const {
    return std::sqrt(points_.certainty[i] / static_cast<double>(model_.num_points())) / terms_.noise;
}

/// Applies the whitening of point i to two numbers `stride` apart.
void FrameResiduals::whiten(std::int32_t i, double* pair, std::int64_t stride) const {
    if (points_.whitening == nullptr || points_.dimensions != 2) return;
    const double* w = points_.whitening + 3 * i;
    pair[0] = w[0] * pair[0] + w[1] * pair[stride];
    pair[stride] *= w[2];
}

void FrameResiduals::project(const double* X, double* point) const {
    if (points_.dimensions == 3) {
        for (int axis = 0; axis < 3; ++axis) point[axis] = camera_.focal * X[axis];
    } else {
        point[0] = camera_.center_x + camera_.focal * X[0] / X[2];
        point[1] = camera_.center_y + camera_.focal * X[1] / X[2];
    }
}

/// The derivatives (D, 3) of a projection with respect to X.
void FrameResiduals::project_rows(const double* X, double (*rows)[3]) const {
    for (int axis = 0; axis < points_.dimensions; ++axis) {
        rows[axis][0] = rows[axis][1] = rows[axis][2] = 0.0;
        if (points_.dimensions == 3) {
            rows[axis][axis] = camera_.focal;
        } else {
            rows[axis][axis] = camera_.focal / X[2];
            rows[axis][2] = -camera_.focal * X[axis] / (X[2] * X[2]);
        }
    }
}

std::int64_t FrameResiduals::num_rows() const {
    return points_.dimensions * num_observed() + model_.num_shapes();
}

void FrameResiduals::evaluate(const double* x, double* residuals) {
    const HeadPose head = pose(x);
    const int d = points_.dimensions;
    model_.evaluate(x, positions_.data());
    for (const std::int32_t i : observed_) {
        double* X = placed_.data() + 3 * i;
        const double* y = positions_.data() + 3 * i;
        for (int a = 0; a < 3; ++a) {
            const double* row = head.rotation.data() + 3 * a;
            X[a] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2] + head.translation[a];
        }
        double* miss = misses_.data() + 3 * i;
        if (!is_before(X)) {
            for (int a = 0; a < d; ++a) *residuals++ = behind, miss[a] = std::numeric_limits<double>::infinity();
            continue;
        }
        project(X, miss);
        double square = 0.0, weighed[3];
        for (int a = 0; a < d; ++a) weighed[a] = miss[a] -= points_.points[d * i + a];
        whiten(i, weighed, 1);
        for (int a = 0; a < d; ++a) square += weighed[a] * weighed[a];
        const double limit = terms_.outlier * terms_.noise;
        const double length = std::sqrt(square);
        const double loss = length <= limit ? 1.0 : std::sqrt(2.0 * limit * length - limit * limit) / length;
        for (int a = 0; a < d; ++a) *residuals++ = scale_of(i) * loss * weighed[a];
    }
    for (std::int64_t k = 0; k < model_.num_shapes(); ++k) {
        *residuals++ = std::sqrt(frame_->strength[k]) * (x[k] - frame_->target[k] + shift_[k]);
    }
}

/// Derivatives of the residuals; the loss is differentiated, too, so that J^T r is half the gradient of the energy.
void FrameResiduals::linearize(const double* x, std::vector<double>* jacobian) {
    const std::int64_t shapes = model_.num_shapes(), n = num_unknowns(), width = 3 * model_.num_points();
    const int d = points_.dimensions;
    jacobian->assign(static_cast<std::size_t>(num_rows() * n), 0.0);
    projected_.assign(static_cast<std::size_t>(d * num_observed() * n), 0.0);
    model_.linearize(x, derivatives_.data());
    const HeadPose head = pose(x);
    const std::array<double, 9> left = left_jacobian(x + shapes);
    double* out = jacobian->data();
    double* plain = projected_.data();
    for (const std::int32_t i : observed_) {
        const double* X = placed_.data() + 3 * i;
        const double* miss = misses_.data() + 3 * i;
        if (!is_before(X)) {
            out += d * n, plain += d * n;
            continue;
        }
        double rows[3][3];
        project_rows(X, rows);
        const double z[3] = {X[0] - head.translation[0], X[1] - head.translation[1], X[2] - head.translation[2]};
        for (int a = 0; a < d; ++a) {
            double* to = plain + a * n;
            double turned[3];
            for (int j = 0; j < 3; ++j) {
                turned[j] = 0.0;
                for (int k = 0; k < 3; ++k) turned[j] += rows[a][k] * head.rotation[3 * k + j];
            }
            for (std::int64_t k = 0; k < shapes; ++k) {
                const double* delta = derivatives_.data() + k * width + 3 * i;
                to[k] = turned[0] * delta[0] + turned[1] * delta[1] + turned[2] * delta[2];
            }
            const double moment[3] = {z[1] * rows[a][2] - z[2] * rows[a][1], z[2] * rows[a][0] - z[0] * rows[a][2],
                                      z[0] * rows[a][1] - z[1] * rows[a][0]};
            for (int j = 0; j < 3; ++j) {
                to[shapes + j] = moment[0] * left[j] + moment[1] * left[3 + j] + moment[2] * left[6 + j];
                to[shapes + 3 + j] = rows[a][j];
            }
        }
        double square = 0.0, weighed[3];
        std::copy(miss, miss + d, weighed);
        whiten(i, weighed, 1);
        whitened_.assign(plain, plain + d * n);
        for (std::int64_t k = 0; k < n; ++k) whiten(i, whitened_.data() + k, n);
        const double* row = whitened_.data();
        for (int a = 0; a < d; ++a) square += weighed[a] * weighed[a];
        const double limit = terms_.outlier * terms_.noise;
        const double length = std::sqrt(square), scale = scale_of(i);
        const bool is_far = length > limit;
        const double loss = is_far ? std::sqrt(2.0 * limit * length - limit * limit) / length : 1.0;
        // d loss / d length over length; loss^2 length^2 = 2 limit length - limit^2.
        const double slope = is_far ? (limit / (loss * length) - loss) / square : 0.0;
        for (std::int64_t k = 0; k < n; ++k) {
            double along = 0.0;
            for (int a = 0; a < d; ++a) along += weighed[a] * row[a * n + k];
            for (int a = 0; a < d; ++a) out[a * n + k] = scale * (loss * row[a * n + k] + slope * along * weighed[a]);
        }
        out += d * n, plain += d * n;
    }
    for (std::int64_t k = 0; k < shapes; ++k) out[k * n + k] = std::sqrt(frame_->strength[k]);
}

void FrameResiduals::distances(double* result) const {
    const int d = points_.dimensions;
    for (std::int64_t i = 0; i < model_.num_points(); ++i) result[i] = std::numeric_limits<double>::quiet_NaN();
    for (const std::int32_t i : observed_) {
        double square = 0.0;
        for (int a = 0; a < d; ++a) square += misses_[3 * i + a] * misses_[3 * i + a];
        result[i] = std::sqrt(square);
    }
}

std::array<double, 3> FrameResiduals::placed(const double* weights, const std::array<double, 9>& rotation) {
    model_.evaluate(weights, positions_.data());
    const int d = points_.dimensions;
    const double count = static_cast<double>(num_observed());
    std::array<double, 3> mean{}, seen{};
    double size = 0.0, seen_size = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (const std::int32_t i : observed_) {
            for (int a = 0; a < 3; ++a) {
                const double* y = positions_.data() + 3 * i;
                const double* row = rotation.data() + 3 * a;
                const double at = row[0] * y[0] + row[1] * y[1] + row[2] * y[2];
                const double point = a < d ? points_.points[d * i + a] : 0.0;
                if (pass == 0) {
                    mean[a] += at / count;
                    seen[a] += point / count;
                } else if (a < 2) {
                    size += (at - mean[a]) * (at - mean[a]);
                    seen_size += (point - seen[a]) * (point - seen[a]);
                }
            }
        }
    }
    std::array<double, 3> translation{};
    if (d == 3) {
        for (int a = 0; a < 3; ++a) translation[a] = seen[a] / camera_.focal - mean[a];
        return translation;
    }
    const double depth = camera_.focal * std::sqrt(size / std::max(seen_size, 1e-300));
    const double limited = std::min(std::max(depth, 4.0 * model_.radius()), 1e6 * model_.radius());
    translation[0] = (seen[0] - camera_.center_x) * limited / camera_.focal - mean[0];
    translation[1] = (seen[1] - camera_.center_y) * limited / camera_.focal - mean[1];
    translation[2] = limited - mean[2];
    return translation;
}

}  // namespace rigcast::capture
