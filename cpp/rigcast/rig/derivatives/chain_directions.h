#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/rig/channels/skeleton.h"
#include "rigcast/rig/derivatives/pose_directions.h"

namespace rigcast::rig {

/// The joints and their ancestors, ascending.
std::vector<std::int32_t> with_ancestors(const Skeleton& skeleton, std::span<const std::int32_t> joints);

/// Directions as a list per joint, for chains of joints.
class ChainDirections {
public:
    /// `skeleton` must outlive this object.
    explicit ChainDirections(const Skeleton& skeleton);

    /// The directions of the calls that follow; they must outlive these.
    void set(const PoseDirections& directions);
    /// Adds the derivatives of weight * G_joint * point along all directions to three rows of N derivatives, which are
    /// `stride` numbers apart. `point` (3) is in the coordinates of the joint. See Skeleton::add_point_jacobian.
    void add_point(int joint, const float* pose, const float* globals, const float* point, double weight, double* rows,
                   std::int64_t stride) const;

private:
    const Skeleton& skeleton_;
    const JointChange* changes_ = nullptr;
    std::vector<std::int32_t> first_;  // (J) a change of the joint, or -1
    std::vector<std::int32_t> next_;   // per change: the next of the same joint, or -1
};

}  // namespace rigcast::rig
