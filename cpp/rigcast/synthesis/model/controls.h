#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/rig/rotations/affine.h"

namespace rigcast::synthesis {

/// The N controls that a synthesizer plays: channels of a rig, or weights of shapes. Some are the three Euler angles,
/// in degrees, of a joint: R = R_a(angle_0) R_b(angle_1) R_c(angle_2) for column vectors. Immutable; const calls are
/// thread-safe.
class Controls {
public:
    /// Three controls that turn one joint.
    struct Joint {
        std::array<std::int32_t, 3> columns;
        std::array<int, 3> axes;  // 0, 1, 2 in some order, the leftmost factor of the product first
    };

    /// limits: (N, 2) lowest and highest values. Throws ArgumentError, which names `function`, if names are empty or
    /// repeated, limits are not ordered, or joints name controls that do not exist or one twice.
    Controls(const char* function, std::vector<std::string> names, std::vector<double> limits,
             std::vector<Joint> joints);

    /// The axes of an order as "ZYX". Throws ArgumentError, which names `function`, if it is no permutation of XYZ.
    static std::array<int, 3> axes_of(const char* function, const std::string& order);

    std::int64_t size() const { return static_cast<std::int64_t>(names_.size()); }
    const std::vector<std::string>& names() const { return names_; }
    /// (N, 2)
    const std::vector<float>& limits() const { return rounded_; }
    const std::vector<Joint>& joints() const { return joints_; }

    /// The rotation of joint j by controls (N).
    template <class T>
    rig::Matrix3 rotation(std::size_t j, const T* controls) const {
        const std::array<std::int32_t, 3>& columns = joints_[j].columns;
        return product(j, {static_cast<double>(controls[columns[0]]), static_cast<double>(controls[columns[1]]),
                           static_cast<double>(controls[columns[2]])});
    }
    /// Writes the angles of joint j into controls (N): of all angles of the rotation those that exceed the limits
    /// least, then those nearest to zero.
    void set_rotation(std::size_t j, const rig::Matrix3& rotation, double* controls) const;
    /// Writes controls (N) inside the limits.
    void clip(const double* controls, float* out) const;

private:
    rig::Matrix3 product(std::size_t j, const std::array<double, 3>& degrees) const;

    std::vector<std::string> names_;
    std::vector<double> limits_;
    std::vector<float> rounded_;
    std::vector<Joint> joints_;
};

}  // namespace rigcast::synthesis
