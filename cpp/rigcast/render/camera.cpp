#include "rigcast/render/camera.h"

#include <cmath>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::render {

using linalg::Vec3;

Vec3 Camera::turned(const Vec3& direction) const {
    Vec3 result;
    for (int i = 0; i < 3; ++i) result[i] = dot(Vec3::at(rotation.data(), i), direction);
    return result;
}

namespace {

void check_rotation(const char* function, const Camera& camera) {
    const double* r = camera.rotation.data();
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j)
            worst = std::fmax(worst, std::fabs(dot(Vec3::at(r, i), Vec3::at(r, j)) - (i == j ? 1.0 : 0.0)));
    }
    const double determinant = dot(cross(Vec3::at(r, 0), Vec3::at(r, 1)), Vec3::at(r, 2));
    if (worst > 1e-6 || determinant < 0.0) {
        throw bad_argument(function, "rotation", determinant < 0.0 ? "a mirror image" : "no rotation",
                           "a rotation matrix to 1e-6");
    }
}

}  // namespace

Camera read_camera(const char* function, View<const double, 2> cameras, std::int64_t t) {
    const double* numbers = cameras.row(t);
    for (std::int64_t i = 0; i < camera_numbers; ++i) {
        if (!(std::fabs(numbers[i]) <= 1e9)) {
            throw bad_argument(function, "camera", "a number of " + std::to_string(numbers[i]),
                               "finite and at most 1e9");
        }
    }
    Camera camera;
    for (int i = 0; i < 9; ++i) camera.rotation[i] = numbers[i];
    camera.translation = Vec3::at(numbers, 3);
    camera.focal_x = numbers[12];
    camera.focal_y = numbers[13];
    camera.center_x = numbers[14];
    camera.center_y = numbers[15];
    camera.near = numbers[16];
    check_rotation(function, camera);
    if (!(camera.focal_x >= 1e-9 && camera.focal_y >= 1e-9))
        throw bad_argument(function, "focal", std::to_string(camera.focal_x), "at least 1e-9");
    if (!(camera.near >= 1e-9)) throw bad_argument(function, "near", std::to_string(camera.near), "at least 1e-9");
    return camera;
}

}  // namespace rigcast::render
