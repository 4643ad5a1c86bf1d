#pragma once
#include <array>
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/rig/character.h"

namespace rigcast::ik {

/// What a target asks for, with the numbers that describe it in a frame (values_per_goal, the rest unused):
///
///   point        a point of the skin is at a position (3)
///   ray          a point of the skin lies on the line through an origin (3) along a direction (3)
///   orientation  a joint's global rotation is that of a matrix (3, 3)
///   distance     two points of the skin have a distance (1)
enum class GoalKind { point, ray, orientation, distance };

inline constexpr int values_per_goal = 9;

/// A point of the skin: a weighted sum of up to three vertices of the model that is solved for.
struct SkinPoint {
    std::array<std::int32_t, 3> vertices{0, 0, 0};
    std::array<double, 3> weights{1.0, 0.0, 0.0};
};

struct Goal {
    GoalKind kind = GoalKind::point;
    std::array<SkinPoint, 2> points{};  // a distance has two, an orientation none
    std::int32_t joint = -1;            // of an orientation
    double weight = 1.0;                // of the squared error
    bool hard = false;                  // a constraint that comes before all other targets

    /// Numbers of the residual: 3, 2, 3, 1.
    int num_rows() const;
};

/// Throws ArgumentError, which names `function`, if a goal refers to a vertex or joint that the model does not have, a
/// number is not finite, a weight is negative, a direction is 0, a matrix is no rotation, or a length is negative.
/// `values` is (T, M, values_per_goal).
void check_goals(const char* function, View<const Goal, 1> goals, View<const double, 3> values,
                 const rig::Character& character);

}  // namespace rigcast::ik
