#pragma once
#include <memory>
#include <vector>

#include "rigcast/synthesis/model/controls.h"

namespace rigcast::synthesis {

/// Controls (N) as differences from their mean, in which straight lines and averages make sense, and back. A plain
/// control's coordinate is its difference from the mean. The three coordinates of a joint are the rotation vector, in
/// degrees, of R_mean^T R: where the middle angle passes 90 degrees, Euler angles jump and these do not.
/// Immutable; const calls are thread-safe.
class Coordinates {
public:
    /// mean: (N), unused at controls of joints. mean_rotations: (J, 3, 3). Throws ArgumentError, which names
    /// `function`, if a size is wrong, a number is not finite, or a matrix is no rotation.
    Coordinates(const char* function, std::shared_ptr<const Controls> controls, std::vector<double> mean,
                const std::vector<double>& mean_rotations);

    const Controls& controls() const { return *controls_; }
    /// Writes the coordinates (N) of controls (N).
    template <class T>
    void of(const T* given, double* out) const {
        for (std::size_t i = 0; i < mean_.size(); ++i) out[i] = static_cast<double>(given[i]) - mean_[i];
        for (std::size_t j = 0; j < rotations_.size(); ++j) set_vector(j, controls_->rotation(j, given), out);
    }
    /// Writes the controls (N) of coordinates (N), inside the limits or not.
    void unclipped(const double* coordinates, double* out) const;

private:
    void set_vector(std::size_t j, const rig::Matrix3& rotation, double* out) const;

    std::shared_ptr<const Controls> controls_;
    std::vector<double> mean_;
    std::vector<rig::Matrix3> rotations_;
};

}  // namespace rigcast::synthesis
