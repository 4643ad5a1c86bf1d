#include "rigcast/rig/mechanism/pose_chain.h"

#include <algorithm>

namespace rigcast::rig {
namespace {

constexpr double stiffest = 0.999;

double weight_of(double stiffness) {
    return 1.0 - std::min(stiffness, stiffest);
}

Vec3 tail_of(const PosedBones& posed, int index) {
    return posed.poses[index].location + posed.bones[index].length * posed.poses[index].linear.column(1);
}

/// From the scene to the coordinates in which a chain is solved: of its root's parent, at the root's head.
Affine to_chain(const PosedBones& posed, const Chain& chain) {
    Affine root;
    const int above = posed.bones[chain.first].parent;
    if (above >= 0) root.linear = unit_columns(posed.poses[above].linear);
    root.location = posed.poses[chain.first].location;
    return inverse(posed.object * root);
}

ChainTarget target_of_goal(const PosedBones& posed, const Chain& chain, const ChainGoal& goal, double influence) {
    const Affine inward = to_chain(posed, chain);
    ChainTarget target;
    target.goal = inward * posed.in_scene(goal.target).location;
    if (goal.has_pole) {
        target.has_pole = true;
        target.pole = inward * posed.in_scene(goal.pole).location;
        target.pole_angle = goal.pole_angle;
    } else if (influence < 1.0) {
        const Vec3 end = inward * (posed.object * tail_of(posed, chain.first + chain.count - 1));
        target.goal = influence * target.goal + (1.0 - influence) * end;
    }
    return target;
}

ChainLink link_of(const PosedBones& posed, int index, bool is_root, bool stretches) {
    const Bone& bone = posed.bones[index];
    const Affine& pose = posed.poses[index];
    Matrix3 above = Matrix3::identity();
    if (bone.parent >= 0) above = inverse(unit_columns(posed.poses[bone.parent].linear));
    ChainLink link;
    link.rest = bone.offset.linear;
    link.basis = transpose(link.rest) * (above * unit_columns(pose.linear));
    link.length = bone.length * length(pose.linear.column(1));
    if (!is_root) link.start = above * (pose.location - tail_of(posed, index - 1));
    for (int axis = 0; axis < 3; ++axis) {
        link.turns[axis] = !bone.locked[axis];
        link.weights[axis] = weight_of(bone.stiffness[axis]);
    }
    link.stretches = stretches && bone.stretch > 0.0;
    link.stretch_weight = weight_of(1.0 - bone.stretch * bone.stretch);
    return link;
}

/// How much longer a link is than it was.
double stretch_of(const ChainLink& link) {
    return link.stretches && link.length > 0.0 ? 1.0 + link.stretch / link.length : 1.0;
}

}  // namespace

void pose_chain(const PosedBones& posed, const Chain& chain, double change, std::vector<Affine>* poses) {
    const auto goal = std::find_if(chain.goals.begin(), chain.goals.end(),
                                   [&](const ChainGoal& g) { return g.influence.value(posed.channels) > 0.0; });
    if (goal == chain.goals.end()) return;
    const double influence = std::min(goal->influence.value(posed.channels), 1.0);
    const ChainTarget target = target_of_goal(posed, chain, *goal, influence);
    std::vector<ChainLink> links;
    std::vector<Affine> own;
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
        links.push_back(link_of(posed, i, i == chain.first, goal->stretches));
        own.push_back(posed.frame(i).to_own(posed.poses[i]));
    }
    const std::vector<ChainLink> before = links;
    solve_chain(links, target, {change, goal->max_iterations});
    const bool stretched = std::any_of(links.begin(), links.end(), [](const ChainLink& l) { return l.stretches; });
    double above = 1.0;  // stretch that a link inherits
    for (std::size_t i = 0; i < links.size(); ++i) {
        const double stretch = stretched ? stretch_of(links[i]) : 1.0;
        const Matrix3 turned = (stretch / above) * (transpose(before[i].basis) * links[i].basis);
        above = stretch;
        Affine moved = own[i] * Affine{turned, {0, 0, 0}};
        if (goal->has_pole && influence < 1.0) moved = interpolate(own[i], moved, influence);
        const int index = chain.first + static_cast<int>(i);
        (*poses)[index] = posed.frame(index).to_pose(moved);
    }
}

}  // namespace rigcast::rig
