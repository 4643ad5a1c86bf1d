#include "rigcast/synthesis/model/coordinates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigcast/core/error.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/rig/rotations/rotation_vector.h"

namespace rigcast::synthesis {
namespace {

constexpr double degrees_per_radian = 180.0 / std::numbers::pi;
constexpr double most_skew = 1e-3;  // of a stored rotation, from the nearest true one

bool is_rotation(const rig::Matrix3& matrix) {
    for (const double x : matrix) {
        if (!(std::abs(x) <= 2.0)) return false;
    }
    const linalg::Polar polar = linalg::polar_decomposition(matrix.data());
    for (std::size_t i = 0; i < 9; ++i) {
        if (!(std::abs(polar.rotation[i] - matrix[i]) <= most_skew)) return false;
    }
    return true;
}

}  // namespace

Coordinates::Coordinates(const char* function, std::shared_ptr<const Controls> controls, std::vector<double> mean,
                         const std::vector<double>& mean_rotations)
    : controls_(std::move(controls)), mean_(std::move(mean)), rotations_(controls_->joints().size()) {
    const bool finite = std::all_of(mean_.begin(), mean_.end(), [](double x) { return std::isfinite(x); });
    if (std::ssize(mean_) != controls_->size() || !finite) {
        throw bad_argument(function, "mean", "not finite, or " + std::to_string(mean_.size()) + " numbers",
                           std::to_string(controls_->size()) + " finite numbers");
    }
    if (mean_rotations.size() != 9 * rotations_.size()) {
        throw bad_argument(function, "mean_rotations", std::to_string(mean_rotations.size()) + " numbers",
                           "(" + std::to_string(rotations_.size()) + ", 3, 3)");
    }
    for (std::size_t j = 0; j < rotations_.size(); ++j) {
        std::copy_n(mean_rotations.data() + 9 * j, 9, rotations_[j].begin());
        if (!is_rotation(rotations_[j])) {
            throw bad_argument(function, "mean_rotations", "no rotations", "rotation matrices");
        }
    }
}

void Coordinates::set_vector(std::size_t j, const rig::Matrix3& rotation, double* out) const {
    const rig::Vec3 vector = rig::rotation_vector((transpose(rotations_[j]) * rotation).data());
    for (int k = 0; k < 3; ++k)
        out[controls_->joints()[j].columns[static_cast<std::size_t>(k)]] = degrees_per_radian * vector[k];
}

void Coordinates::unclipped(const double* coordinates, double* out) const {
    for (std::size_t i = 0; i < mean_.size(); ++i) out[i] = mean_[i] + coordinates[i];
    for (std::size_t j = 0; j < rotations_.size(); ++j) {
        const auto& columns = controls_->joints()[j].columns;
        rig::Vec3 vector;
        for (int k = 0; k < 3; ++k) vector[k] = coordinates[columns[static_cast<std::size_t>(k)]] / degrees_per_radian;
        rig::Matrix3 turned;
        rig::rotation_of(vector, turned.data());
        controls_->set_rotation(j, rotations_[j] * turned, out);
    }
}

}  // namespace rigcast::synthesis
