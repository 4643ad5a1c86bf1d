#pragma once
#include <array>
#include <vector>

#include "rigcast/rig/rotations/affine.h"

namespace rigcast::rig {

/// A link of a chain: it starts at the end of the link before it, turns, and may stretch along its y.
struct ChainLink {
    Vec3 start{0, 0, 0};                  // from the end of the link before, in its coordinates
    Matrix3 rest = Matrix3::identity();   // orientation at rest, relative to the link before
    Matrix3 basis = Matrix3::identity();  // rotation from rest: where it starts from, then the solution
    double length = 0.0;
    double stretch = 0.0;                         // length that is added: the solution
    std::array<bool, 3> turns{true, true, true};  // axes about which it turns: all, one, or none
    std::array<double, 3> weights{1, 1, 1};       // of these rotations, in (0, 1]: the smaller, the stiffer
    bool stretches = false;
    double stretch_weight = 1.0;
};

/// What the end of a chain is to reach, in the coordinates of the chain.
struct ChainTarget {
    Vec3 goal{0, 0, 0};
    bool has_pole = false;
    Vec3 pole{0, 0, 0};       // the chain is turned about the line to the goal until its root's x faces this point,
    double pole_angle = 0.0;  // up to this angle (radians) about its y
};

/// How far iterations go.
struct ChainPrecision {
    double change = 1e-3;  // of angles (radians) in the last iteration; lengths count 100 times, relative to the
                           // chain
    int max_iterations = 500;
};

/// Inverse kinematics by selectively damped least squares (Buss and Kim 2005), as Blender's solver goes about it: with
/// the same steps, so that redundant chains end in the same pose. Moves `basis` and `stretch` of the links.
/// Throws ArgumentError if a link turns about two axes.
void solve_chain(std::vector<ChainLink>& links, const ChainTarget& target, const ChainPrecision& precision);

}  // namespace rigcast::rig
