#include "rigcast/ik/goals/goal.h"

#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/linalg/vec3.h"

namespace rigcast::ik {
namespace {

using linalg::Vec3;

/// How far R^T R may be from the identity: float32 rotations that were composed a few times.
constexpr double rotation_tolerance = 1e-3;

bool is_rotation(const double* r) {
    const Vec3 x = Vec3::at(r, 0), y = Vec3::at(r, 1), z = Vec3::at(r, 2);
    double error = std::abs(dot(cross(x, y), z) - 1.0);
    for (const double entry : {dot(x, x) - 1.0, dot(y, y) - 1.0, dot(z, z) - 1.0, dot(x, y), dot(y, z), dot(z, x)}) {
        error = std::max(error, std::abs(entry));
    }
    return error <= rotation_tolerance;
}

void check_values(const std::string& target, const char* function, GoalKind kind, const double* values) {
    if (kind == GoalKind::ray && !(length(Vec3::at(values, 1)) > 0.0)) {
        throw bad_argument(function, target + ".direction", "of length 0", "longer than 0");
    }
    if (kind == GoalKind::orientation && !is_rotation(values)) {
        throw bad_argument(function, target + ".rotation", "no rotation", "a rotation matrix (3, 3)");
    }
    if (kind == GoalKind::distance && values[0] < 0.0) {
        throw bad_argument(function, target + ".length", "negative", "0 or more");
    }
}

void check_goal(const std::string& target, const char* function, const Goal& goal, const rig::Character& character) {
    if (!std::isfinite(goal.weight) || goal.weight < 0.0) {
        throw bad_argument(function, target + ".weight", std::to_string(goal.weight), "finite and not negative");
    }
    const int joints = character.skeleton.num_joints();
    if (goal.kind == GoalKind::orientation) {
        if (joints == 0) throw bad_argument(function, "model", "without a skeleton", "one with joints to orient");
        if (goal.joint < 0 || goal.joint >= joints) {
            throw bad_argument(function, target + ".joint", std::to_string(goal.joint),
                               "an index below " + std::to_string(joints));
        }
        return;
    }
    for (const SkinPoint& point : goal.points) {
        for (int i = 0; i < 3; ++i) {
            const std::int32_t v = point.vertices[i];
            if (v < 0 || v >= character.num_vertices()) {
                throw bad_argument(function, target + ".vertex", std::to_string(v),
                                   "an index below " + std::to_string(character.num_vertices()));
            }
            if (!std::isfinite(point.weights[i])) {
                throw bad_argument(function, target + ".barycentric", "not finite", "finite");
            }
        }
    }
}

}  // namespace

int Goal::num_rows() const {
    switch (kind) {
        case GoalKind::ray:
            return 2;
        case GoalKind::distance:
            return 1;
        default:
            return 3;
    }
}

void check_goals(const char* function, View<const Goal, 1> goals, View<const double, 3> values,
                 const rig::Character& character) {
    check_shape<const double, 3>(function, "targets", values, {-1, goals.extent(0), values_per_goal});
    check_finite(function, "targets", values);
    bool any = false;
    for (std::int64_t i = 0; i < goals.extent(0); ++i) {
        const std::string target = "targets[" + std::to_string(i) + "]";
        check_goal(target, function, goals(i), character);
        any = any || goals(i).weight > 0.0;
        for (std::int64_t t = 0; t < values.extent(0); ++t) {
            check_values(target, function, goals(i).kind, values.row(t) + i * values_per_goal);
        }
    }
    if (!any) throw bad_argument(function, "targets", "without a weight above 0", "at least one target that counts");
}

}  // namespace rigcast::ik
