#pragma once
#include <array>
#include <string>
#include <vector>

#include "rigcast/rig/mechanism/number.h"
#include "rigcast/rig/rotations/affine.h"
#include "rigcast/rig/rotations/rotations.h"

namespace rigcast::rig {

/// How a bone inherits scale. The names are Blender's.
enum class ScaleInheritance { full, fix_shear, average, aligned, none, none_legacy };
inline constexpr std::array scale_inheritance_names{"FULL", "FIX_SHEAR", "AVERAGE", "ALIGNED", "NONE", "NONE_LEGACY"};

/// The coordinates in which a constraint works: of the scene, of the armature, of the bone as its parent leaves it, of
/// the bone at rest.
enum class Space { world, pose, local, local_with_parent };
inline constexpr std::array space_names{"WORLD", "POSE", "LOCAL", "LOCAL_WITH_PARENT"};

/// What a constraint follows: a bone, or a fixed transform of the scene.
struct BoneTarget {
    int bone = -1;
    Affine fixed;
    Number weight{1.0};
    double head_tail = 0.0;  // 0: the bone's head, 1: its tail
};

enum class ConstraintKind {
    copy_location,
    copy_rotation,
    copy_scale,
    copy_transforms,
    damped_track,
    stretch_to,
    armature,
    limit_location,
    limit_rotation,
    limit_scale,
    limit_distance
};
inline constexpr std::array constraint_names{"COPY_LOCATION",  "COPY_ROTATION", "COPY_SCALE",    "COPY_TRANSFORMS",
                                             "DAMPED_TRACK",   "STRETCH_TO",    "ARMATURE",      "LIMIT_LOCATION",
                                             "LIMIT_ROTATION", "LIMIT_SCALE",   "LIMIT_DISTANCE"};

/// How a copied rotation is combined with the bone's own.
enum class RotationMix { replace, offset, add, before, after };
inline constexpr std::array rotation_mix_names{"REPLACE", "OFFSET", "ADD", "BEFORE", "AFTER"};

/// A constraint of a bone. Fields that its kind does not have keep their defaults.
struct Constraint {
    ConstraintKind kind = ConstraintKind::copy_location;
    Number influence{1.0};  // 0 to 1
    Space owner_space = Space::world;
    Space target_space = Space::world;
    std::vector<BoneTarget> targets;
    std::array<bool, 3> axes{true, true, true};         // that are copied
    std::array<bool, 3> inverted{false, false, false};  // whose copy is negated
    bool offset = false;                                // the bone's own is added (or multiplied)
    bool additive = false;                              // of scales with offset
    bool uniform = false;                               // of scales: the same along all axes
    double power = 1.0;                                 // of scales
    RotationMix mix = RotationMix::replace;
    EulerOrder order{0, 1, 2};
    int axis = 1;                    // that is tracked: 0, 1, 2
    double sign = 1.0;               // of that axis
    double length = 0.0;             // rest length, or the limit of a distance
    double bulge = 1.0;              // exponent of the change of volume
    std::array<double, 3> volume{};  // exponents of the bulge along the axes: .5, 1 or 0
    std::array<double, 3> low{};     // limits; radians of rotations
    std::array<double, 3> high{};
};

/// A bone of a mechanism.
struct Bone {
    std::string name;
    int parent = -1;  // earlier in the list
    Affine rest;      // in the coordinates of the armature
    Affine offset;    // rest relative to the parent's
    double length = 1.0;
    bool inherits_rotation = true;
    bool local_location = true;  // locations are along the bone's own axes
    bool connected = false;      // constraints do not move its head
    ScaleInheritance scale_inheritance = ScaleInheritance::full;
    EulerOrder order{0, 1, 2};
    std::array<Number, 3> location, rotation, scale{1.0, 1.0, 1.0};  // rotation: radians
    std::vector<Constraint> constraints;
    // As a link of a chain of inverse kinematics:
    std::array<bool, 3> locked{};       // axes about which it does not turn: none, two, or all
    std::array<double, 3> stiffness{};  // 0 to 1
    double stretch = 0.0;               // 0: none, 1: as easily as it turns
};

/// A goal of a chain of inverse kinematics.
struct ChainGoal {
    Number influence{1.0};  // 0: off
    BoneTarget target;
    bool has_pole = false;
    BoneTarget pole;
    double pole_angle = 0.0;  // radians
    bool stretches = false;
    int max_iterations = 500;
};

/// Consecutive bones, each the parent of the next, that inverse kinematics poses: by the first goal whose influence is
/// not 0, if there is one.
struct Chain {
    int first = 0;
    int count = 0;
    std::vector<ChainGoal> goals;
};

}  // namespace rigcast::rig
