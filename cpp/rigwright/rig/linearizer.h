#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigwright/rig/skeleton.h"

namespace rigwright::rig {

class Deformer;

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

/// Evaluates one pose after another and differentiates at the last one, as least squares do. It caches what both share,
/// and allocates nothing after the first calls. Made by Deformer::linearizer. Not thread-safe: one per thread.
class Linearizer {
public:
    virtual ~Linearizer() = default;

    /// Writes the vertices (V, 3) of a pose (C): the bytes of Deformer::evaluate. Throws ArgumentError as it does.
    virtual void evaluate(const float* pose, float* vertices) = 0;
    /// Writes the derivatives (3 V, N) of the vertices at the last pose along N directions. Requires: evaluate was
    /// called.
    virtual void differentiate(const PoseDirections& directions, std::int64_t count, double* derivatives) = 0;
};

/// For all models: one jvp per direction or one vjp per coordinate, whichever are fewer. `has_jacobian`: the model's
/// own Jacobian, times the directions, instead. The model must outlive it.
std::unique_ptr<Linearizer> make_linearizer(const Deformer& model, bool has_jacobian);

/// Directions as a list per joint, for chains of joints.
class ChainDirections {
public:
    explicit ChainDirections(const Skeleton& skeleton);  // which must outlive this object

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

}  // namespace rigwright::rig
