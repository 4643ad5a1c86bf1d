#pragma once
#include <cstdint>
#include <vector>

namespace rigcast::rig {

/// The derivative of a joint's transform in the pose along one direction.
struct JointChange {
    std::int32_t direction;
    std::int32_t joint;
    double change[12];
};

/// The derivative 1 of a numeric control along one direction.
struct DialChange {
    std::int32_t direction;
    std::int32_t column;  // of the pose
};

/// Directions in the space of poses, each of which changes few columns.
struct PoseDirections {
    std::vector<JointChange> joints;
    std::vector<DialChange> dials;
};

}  // namespace rigcast::rig
