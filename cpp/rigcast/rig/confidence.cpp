#include "rigcast/rig/confidence.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::rig {
namespace {

constexpr std::size_t most_components = 64;
constexpr float far_column = 1e6f;         // smallest deviations: products of larger ones might overflow
constexpr double most_deviations = 3.0;    // of a column or component: what is fitted says nothing beyond
constexpr double largest_exponent = 4.0;   // of an error: 55 times the percentile, where the confidence is 3e-6
constexpr double rounding = 0.01;          // distance from the rest pose, in deviations, that counts as none
constexpr double nearest_distance = 1e-3;  // distance whose logarithm counts at least

void check_components(std::int64_t count) {
    if (count < 1 || count > std::int64_t{most_components}) {
        throw bad_argument("load", "confidence.space.deviation", "of " + std::to_string(count) + " components",
                           "1 to " + std::to_string(most_components));
    }
}

void check_positive(const char* name, View<const float, 1> values) {
    for (const float value : values) {
        if (!(value > 0.0f)) {
            throw bad_argument("load", name, "holding " + std::to_string(value), "above 0");
        }
    }
}

/// The part of the confidence that an excess over the radius, relative to it, leaves.
double left_outside(double excess) {
    const double ratio = std::max(excess, 0.0) / Confidence::half_excess;
    return std::exp2(-ratio * ratio);
}

constexpr int rows_at_once = 4;  // independent sums: a single one waits for each addition

/// The sum of the squares of some rows of a whitening matrix times x - mean.
template <int Rows>
double whitened(const float* row, const float* pose, const std::int32_t* column, const float* mean, int columns) {
    double sums[Rows] = {};
    for (int k = 0; k < columns; ++k) {
        const double centered = pose[column[k]] - mean[k];
        for (int r = 0; r < Rows; ++r) sums[r] += double{row[r * columns + k]} * centered;
    }
    double squared = 0.0;
    for (const double sum : sums) squared += sum * sum;
    return squared;
}

}  // namespace

Combinations::Combinations(const TensorFile& tensors, std::int64_t num_controls) {
    if (!tensors.contains("confidence.space.radius")) return;
    const auto column = tensors.get<std::int32_t, 1>("confidence.space.column");
    const auto deviation = tensors.get<float, 1>("confidence.space.deviation");
    const std::int64_t columns = column.extent(0), components = deviation.extent(0);
    check_components(components);
    const auto mean = tensors.get<float, 1>("confidence.space.mean", {columns});
    const auto scale = tensors.get<float, 1>("confidence.space.scale", {columns});
    const auto basis = tensors.get<float, 2>("confidence.space.basis", {columns, components});
    radius_ = tensors.get<float, 1>("confidence.space.radius", {1})(0);
    for (const std::int32_t c : column) {
        if (c < 0 || c >= num_controls) {
            throw bad_argument("load", "confidence.space.column", std::to_string(c),
                               "a pose column below " + std::to_string(num_controls));
        }
    }
    check_positive("confidence.space.scale", scale);
    check_positive("confidence.space.deviation", deviation);
    check_positive("confidence.space.radius", tensors.get<float, 1>("confidence.space.radius", {1}));
    for (const float entry : basis) {
        if (std::abs(entry) > 1.001f) {
            throw bad_argument("load", "confidence.space.basis", "holding " + std::to_string(entry),
                               "of directions of length 1");
        }
    }
    column_.assign(column.begin(), column.end());
    mean_.assign(mean.begin(), mean.end());
    scale_.assign(scale.begin(), scale.end());
    basis_.assign(basis.begin(), basis.end());
    deviation_.assign(deviation.begin(), deviation.end());
    if (tensors.contains("confidence.error.offset")) read_error(tensors);
}

void Combinations::read_error(const TensorFile& tensors) {
    const std::int64_t columns = static_cast<std::int64_t>(column_.size());
    const auto deviation = tensors.get<float, 1>("confidence.error.deviation", {columns});
    const auto linear = tensors.get<float, 1>("confidence.error.linear", {columns});
    const auto square = tensors.get<float, 1>("confidence.error.square", {columns});
    far_ = tensors.get<float, 1>("confidence.error.distance", {1})(0);
    offset_ = tensors.get<float, 1>("confidence.error.offset", {1})(0);
    check_positive("confidence.error.deviation", deviation);
    for (const float value : deviation) inverse_.push_back(1.0f / value);
    linear_.assign(linear.begin(), linear.end());
    square_.assign(square.begin(), square.end());
    if (!tensors.contains("confidence.error.rest")) return;
    const auto rest = tensors.get<float, 1>("confidence.error.rest", {static_cast<std::int64_t>(deviation_.size())});
    rest_.assign(rest.begin(), rest.end());
}

/// Sums over the columns of a pose.
struct Combinations::Sums {
    std::array<float, most_components> y{};  // the components
    double squared = 0.0;                    // |z|^2
    double exponent = 0.0;                   // of the error
};

Combinations::Sums Combinations::sums(const float* pose) const {
    Sums result;
    const std::size_t count = deviation_.size();
    const float* row = basis_.data();
    for (std::size_t i = 0; i < column_.size(); ++i, row += count) {
        const float z = std::clamp((pose[column_[i]] - mean_[i]) * scale_[i], -far_column, far_column);
        result.squared += double{z} * z;
        for (std::size_t k = 0; k < count; ++k) result.y[k] += z * row[k];
        if (linear_.empty()) continue;
        const double u = std::clamp(double{z} * inverse_[i], -most_deviations, most_deviations);
        result.exponent += u * (linear_[i] + u * square_[i]);
    }
    return result;
}

Combinations::Found Combinations::operator()(const float* pose) const {
    if (column_.empty()) return {};
    auto [y, squared, exponent] = sums(pose);
    double moved = 0.0;
    for (std::size_t k = 0; k < deviation_.size(); ++k) {
        const double s = deviation_[k], value = y[k];
        squared -= value * value * (s * s / (s * s + 1.0));
        if (rest_.empty()) continue;
        const double q = std::clamp(value / s, -most_deviations, most_deviations);
        moved += (q - rest_[k]) * (q - rest_[k]);
    }
    Found found;
    found.distance = std::sqrt(std::max(squared, 0.0)) / radius_;
    exponent += offset_ + far_ * std::log(std::max(found.distance, nearest_distance));
    if (!linear_.empty()) found.error = std::exp(std::clamp(exponent, -largest_exponent, largest_exponent));
    if (!rest_.empty()) found.known = std::clamp(std::sqrt(moved) - rounding, 0.0, 1.0);
    return found;
}

Confidence::Confidence(const TensorFile& tensors, std::int64_t num_controls) {
    if (!tensors.contains("confidence.radius")) return;
    const auto radius = tensors.get<float, 1>("confidence.radius");
    const auto column = tensors.get<std::int32_t, 1>("confidence.column");
    const auto mean = tensors.get<float, 1>("confidence.mean", {column.extent(0)});
    const auto whiten = tensors.get<float, 1>("confidence.whiten");
    const std::int64_t groups = radius.extent(0);
    const auto offset = read_offsets(tensors, "confidence.offset", groups, column.extent(0));
    const auto whiten_offset = read_offsets(tensors, "confidence.whiten.offset", groups, whiten.extent(0));
    for (std::int64_t g = 0; g < groups; ++g) {
        const std::int32_t columns = offset(g + 1) - offset(g);
        const std::int32_t entries = whiten_offset(g + 1) - whiten_offset(g);
        if (columns == 0 || entries % columns != 0 || !(radius(g) > 0.0f)) {
            throw bad_argument("load", "confidence group " + std::to_string(g), "empty, ragged or without radius",
                               "columns, a matrix of whole rows and a positive radius");
        }
    }
    for (const std::int32_t c : column) {
        if (c < 0 || c >= num_controls) {
            throw bad_argument("load", "confidence.column", std::to_string(c),
                               "a pose column below " + std::to_string(num_controls));
        }
    }
    offset_.assign(offset.begin(), offset.end());
    whiten_offset_.assign(whiten_offset.begin(), whiten_offset.end());
    column_.assign(column.begin(), column.end());
    mean_.assign(mean.begin(), mean.end());
    whiten_.assign(whiten.begin(), whiten.end());
    radius_.assign(radius.begin(), radius.end());
    combinations_ = Combinations(tensors, num_controls);
}

float Confidence::operator()(const float* pose) const {
    const Combinations::Found found = combinations_(pose);
    const double doubt = found.known * found.error / doubted_error;
    const double sure = std::pow(0.9, doubt * doubt);
    return static_cast<float>(sure * left_outside(std::max(groups_excess(pose), found.distance - 1.0)));
}

bool Confidence::outside(const float* pose) const {
    const double excess = std::max(groups_excess(pose), combinations_(pose).distance - 1.0);
    return static_cast<float>(left_outside(excess)) < 1.0f;
}

double Confidence::groups_excess(const float* pose) const {
    double worst = 0.0;
    for (std::size_t g = 0; g < radius_.size(); ++g) {
        const int begin = offset_[g];
        const int columns = offset_[g + 1] - begin;
        const int rows = (whiten_offset_[g + 1] - whiten_offset_[g]) / columns;
        const float* row = whiten_.data() + whiten_offset_[g];
        double squared = 0.0;
        int r = 0;
        for (; r + rows_at_once <= rows; r += rows_at_once, row += rows_at_once * columns) {
            squared += whitened<rows_at_once>(row, pose, column_.data() + begin, mean_.data() + begin, columns);
        }
        for (; r < rows; ++r, row += columns) {
            squared += whitened<1>(row, pose, column_.data() + begin, mean_.data() + begin, columns);
        }
        worst = std::max(worst, std::sqrt(squared) / radius_[g] - 1.0);
    }
    return worst;
}

}  // namespace rigcast::rig
