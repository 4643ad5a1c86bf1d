#include "rigcast/rig/confidence.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::rig {
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
}

float Confidence::operator()(const float* pose) const {
    double worst = 0.0;  // largest excess over all groups
    for (std::size_t g = 0; g < radius_.size(); ++g) {
        const int begin = offset_[g];
        const int columns = offset_[g + 1] - begin;
        const float* row = whiten_.data() + whiten_offset_[g];
        double squared = 0.0;
        for (; row != whiten_.data() + whiten_offset_[g + 1]; row += columns) {
            double sum = 0.0;
            for (int k = 0; k < columns; ++k) {
                sum += static_cast<double>(row[k]) * (pose[column_[begin + k]] - mean_[begin + k]);
            }
            squared += sum * sum;
        }
        worst = std::max(worst, std::sqrt(squared) / radius_[g] - 1.0);
    }
    const double excess = worst / Confidence::half_excess;
    return static_cast<float>(std::exp2(-excess * excess));
}

}  // namespace rigcast::rig
