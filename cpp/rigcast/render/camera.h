#pragma once
#include <array>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::render {

/// A perspective camera without distortion. A point x of the world has the camera coordinates R x + t, with x to the
/// right, y down and z forward, and the image position (f_x x / z + c_x, f_y y / z + c_y) in pixels. The upper left
/// corner of the image is (0, 0), the center of its first pixel (0.5, 0.5).
struct Camera {
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // R, by rows
    linalg::Vec3 translation{0, 0, 0};                          // t
    double focal_x = 1.0, focal_y = 1.0;
    double center_x = 0.0, center_y = 0.0;
    double near = 1e-3;  // what is nearer than this along z is clipped

    linalg::Vec3 turned(const linalg::Vec3& direction) const;
    linalg::Vec3 seen(const linalg::Vec3& point) const { return turned(point) + translation; }
    /// The direction of the ray through an image position, with z = 1.
    linalg::Vec3 ray(double u, double v) const { return {(u - center_x) / focal_x, (v - center_y) / focal_y, 1.0}; }
};

/// Numbers of a camera in an array: rotation by rows, translation, focal_x, focal_y, center_x, center_y, near.
inline constexpr std::int64_t camera_numbers = 17;

/// Reads camera t of (T, 17). Throws ArgumentError, which names `function`, if a number is not finite or beyond 1e9, R
/// is no rotation to 1e-6, or a focal length or `near` is not positive (at least 1e-9).
Camera read_camera(const char* function, View<const double, 2> cameras, std::int64_t t);

}  // namespace rigcast::render
