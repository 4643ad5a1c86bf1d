#include "rigcast/rig/skinning/rigid_assignment.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/channels/transform.h"

namespace rigcast::rig {
namespace {

/// The sums of a block, one per vertex and joint, stay in the L2 cache: 80 KB for 160 joints. Chosen, not tuned.
constexpr int points_per_block = 64;

/// A block of vertices as structure of arrays.
struct Points {
    alignas(64) double x[points_per_block];
    alignas(64) double y[points_per_block];
    alignas(64) double z[points_per_block];

    void load(const float* vertices, int count) {
        std::memset(this, 0, sizeof(*this));
        for (int k = 0; k < count; ++k) {
            x[k] = vertices[3 * k];
            y[k] = vertices[3 * k + 1];
            z[k] = vertices[3 * k + 2];
        }
    }
};

/// sums[k] += |m rest_k - now_k|^2
void add_errors(const double* m, const Points& rest, const Points& now, double* sums) {
    for (int k = 0; k < points_per_block; ++k) {
        const double dx = m[0] * rest.x[k] + m[1] * rest.y[k] + m[2] * rest.z[k] + m[3] - now.x[k];
        const double dy = m[4] * rest.x[k] + m[5] * rest.y[k] + m[6] * rest.z[k] + m[7] - now.y[k];
        const double dz = m[8] * rest.x[k] + m[9] * rest.y[k] + m[10] * rest.z[k] + m[11] - now.z[k];
        sums[k] += dx * dx + dy * dy + dz * dz;
    }
}

}  // namespace

void rigid_errors(const Skeleton& skeleton, View<const float, 2> rest_vertices, View<const float, 2> poses,
                  View<const float, 3> vertices, View<double, 2> errors, int threads) {
    constexpr const char* name = "rigid_errors";
    const std::int64_t num_vertices = rest_vertices.extent(0);
    const std::int64_t num_frames = poses.extent(0);
    check_shape<const float, 2>(name, "rest_vertices", rest_vertices, {-1, 3});
    check_shape<const float, 3>(name, "vertices", vertices, {num_frames, num_vertices, 3});
    check_shape<double, 2>(name, "errors", errors, {num_vertices, skeleton.num_joints()});
    check_finite(name, "rest_vertices", rest_vertices);
    check_finite(name, "vertices", vertices);
    const std::vector<double> skinning = skinning_transforms(name, skeleton, poses, threads);
    std::fill(errors.begin(), errors.end(), 0.0);
    add_rigid_errors({skinning.data(), {num_frames, skeleton.num_joints(), 12}}, rest_vertices, vertices, errors,
                     threads);
}

void add_rigid_errors(View<const double, 3> transforms, View<const float, 2> rest_vertices,
                      View<const float, 3> vertices, View<double, 2> errors, int threads) {
    const std::int64_t num_joints = transforms.extent(1);
    const std::int64_t num_vertices = rest_vertices.extent(0);
    check_shape<const double, 3>("add_rigid_errors", "transforms", transforms, {-1, -1, 12});
    check_shape<const float, 2>("add_rigid_errors", "rest_vertices", rest_vertices, {-1, 3});
    check_shape<const float, 3>("add_rigid_errors", "vertices", vertices, {transforms.extent(0), num_vertices, 3});
    check_shape<double, 2>("add_rigid_errors", "errors", errors, {num_vertices, num_joints});
    parallel_for(rest_vertices.extent(0), points_per_block, threads, [&](std::int64_t begin, std::int64_t end) {
        const int count = static_cast<int>(end - begin);
        Points rest;
        Points now;
        rest.load(rest_vertices.row(begin), count);
        std::vector<double> sums(static_cast<std::size_t>(num_joints) * points_per_block, 0.0);
        for (std::int64_t t = 0; t < transforms.extent(0); ++t) {
            now.load(vertices.row(t) + 3 * begin, count);
            for (std::int64_t j = 0; j < num_joints; ++j) {
                add_errors(transforms.row(t) + 12 * j, rest, now, sums.data() + j * points_per_block);
            }
        }
        for (int k = 0; k < count; ++k) {
            for (std::int64_t j = 0; j < num_joints; ++j) errors(begin + k, j) += sums[j * points_per_block + k];
        }
    });
}

std::vector<double> skinning_transforms(const char* function, const Skeleton& skeleton, View<const float, 2> poses,
                                        int threads) {
    const int num_joints = skeleton.num_joints();
    if (poses.extent(1) < 12 * num_joints) {
        throw bad_argument(function, "poses", std::to_string(poses.extent(1)) + " wide",
                           "at least " + std::to_string(12 * num_joints) + " wide, 12 per joint");
    }
    check_finite(function, "poses", poses);
    const std::size_t width = 12 * static_cast<std::size_t>(num_joints);
    std::vector<double> skinning(width * poses.extent(0));
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> globals(width);
        for (std::int64_t t = begin; t < end; ++t) {
            for (int j = 0; j < num_joints; ++j) {
                const float* local = poses.row(t) + 12 * j;
                const int parent = skeleton.parents()[j];
                double* global = globals.data() + 12 * j;
                if (parent < 0) {
                    std::copy_n(local, 12, global);
                } else {
                    compose(globals.data() + 12 * parent, local, global);
                }
                compose(global, skeleton.inverse_rest_globals().row(j), skinning.data() + width * t + 12 * j);
            }
        }
    });
    return skinning;
}

}  // namespace rigcast::rig
