#include "rigcast/rig/mechanism/mechanism.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "rigcast/core/error.h"
#include "rigcast/rig/mechanism/constraints.h"
#include "rigcast/rig/mechanism/pose_chain.h"
#include "rigcast/rig/mechanism/posed_bones.h"

namespace rigcast::rig {
namespace {

constexpr double smooth_change = 1e-9;  // of angles in the last iteration, where results are to be smooth

Affine own_transform(const Bone& bone, const double* channels) {
    Vec3 angles, sizes;
    Affine own;
    for (int axis = 0; axis < 3; ++axis) {
        angles[axis] = bone.rotation[axis].value(channels);
        sizes[axis] = bone.scale[axis].value(channels);
        if (!bone.connected) own.location[axis] = bone.location[axis].value(channels);
    }
    own.linear = scaled(euler_rotation(angles, bone.order), sizes);
    return own;
}

bool can_be_inverted(const Affine& a) {
    const double volume = determinant(a.linear);
    return std::isfinite(volume) && volume != 0.0;
}

void append(const std::vector<int>& values, std::vector<int>* found) {
    found->insert(found->end(), values.begin(), values.end());
}

void add_inputs(const Number& number, std::vector<int>* found) {
    append(number.inputs(), found);
}

void make_unique(std::vector<int>* values) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
}

ArgumentError wrong_bone(const Bone& bone, const std::string& got, const std::string& expected) {
    return bad_argument("load", "mechanism", "with bone '" + bone.name + "' " + got, expected);
}

}  // namespace

Mechanism::Mechanism(std::vector<Bone> bones, std::vector<Chain> chains, const Affine& object,
                     const std::vector<std::string>& joints, const std::vector<int>& parents, std::int64_t num_channels)
    : bones_(std::move(bones)), chains_(std::move(chains)), object_(object), inverse_object_(inverse(object)) {
    if (!can_be_inverted(object_)) {
        throw bad_argument("load", "mechanism.object", "a matrix that cannot be inverted", "one that can");
    }
    std::unordered_map<std::string, int> places;
    for (Bone& bone : bones_) {
        places.emplace(bone.name, static_cast<int>(places.size()));
        if (!can_be_inverted(bone.rest)) throw wrong_bone(bone, "flat at rest", "solid");
    }
    make_steps();
    check_order();
    for (Bone& bone : bones_) bone.offset = bone.parent < 0 ? bone.rest : inverse(bones_[bone.parent].rest) * bone.rest;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const auto found = places.find(joints[j]);
        const bool hangs = parents[j] >= 0 && joint_bones_[static_cast<std::size_t>(parents[j])] < 0;
        joint_bones_.push_back(found == places.end() || hangs ? -1 : found->second);
        joint_parents_.push_back(parents[j] < 0 ? -1 : joint_bones_[static_cast<std::size_t>(parents[j])]);
    }
    find_dependents(static_cast<std::size_t>(num_channels));
    find_constants(static_cast<std::size_t>(num_channels));
}

void Mechanism::make_steps() {
    std::vector<int> chain_of(bones_.size(), -1);
    const int count = static_cast<int>(bones_.size());
    for (std::size_t c = 0; c < chains_.size(); ++c) {
        const Chain& chain = chains_[c];
        const bool fits = chain.first >= 0 && chain.count > 0 && chain.count <= count - chain.first;
        if (!fits) throw bad_argument("load", "mechanism.chains", "of bones that do not exist", "of existing bones");
        for (int i = chain.first; i < chain.first + chain.count; ++i) {
            const bool follows = i == chain.first || bones_[i].parent == i - 1;
            if (chain_of[i] >= 0 || !follows) throw wrong_bone(bones_[i], "in two chains or apart", "in one chain");
            chain_of[i] = static_cast<int>(c);
        }
    }
    for (int i = 0; i < count; ++i) {
        if (chain_of[i] < 0) steps_.push_back({i, -1});
        if (chain_of[i] >= 0 && chains_[chain_of[i]].first == i) steps_.push_back({i, chain_of[i]});
    }
}

/// The bones that a step reads.
std::vector<int> Mechanism::sources_of(const Step& step) const {
    std::vector<int> found;
    for (int i = step.first; i < end_of(step); ++i) {
        if (bones_[i].parent >= 0) found.push_back(bones_[i].parent);
        for (const Constraint& constraint : bones_[i].constraints) {
            for (const BoneTarget& target : constraint.targets) {
                if (target.bone < 0) continue;
                found.push_back(target.bone);
                if (bones_[target.bone].parent >= 0) found.push_back(bones_[target.bone].parent);
            }
        }
    }
    if (step.chain >= 0) {
        for (const ChainGoal& goal : chains_[step.chain].goals) {
            if (goal.target.bone >= 0) found.push_back(goal.target.bone);
            if (goal.has_pole && goal.pole.bone >= 0) found.push_back(goal.pole.bone);
        }
    }
    make_unique(&found);
    return found;
}

void Mechanism::check_order() const {
    const int count = static_cast<int>(bones_.size());
    for (const Bone& bone : bones_) {
        if (bone.parent >= count || bone.parent < -1)
            throw wrong_bone(bone, "on a parent that does not exist", "on one");
        for (const Constraint& constraint : bone.constraints) {
            const bool needs = constraint.kind != ConstraintKind::limit_location &&
                               constraint.kind != ConstraintKind::limit_rotation &&
                               constraint.kind != ConstraintKind::limit_scale;
            if (needs && constraint.targets.empty()) throw wrong_bone(bone, "with nothing to follow", "with a target");
            for (const BoneTarget& target : constraint.targets) {
                const bool fixed = target.bone == -1 && constraint.kind != ConstraintKind::armature;
                if (!fixed && (target.bone < 0 || target.bone >= count)) {
                    throw wrong_bone(bone, "after a bone that does not exist", "after one that does");
                }
            }
        }
    }
    for (const Chain& chain : chains_) {
        for (const ChainGoal& goal : chain.goals) {
            for (const int bone : {goal.target.bone, goal.pole.bone}) {
                if (bone >= count) {
                    throw wrong_bone(bones_[chain.first], "after a bone that does not exist", "after one that does");
                }
                if (bone >= chain.first && bone < chain.first + chain.count) {
                    throw wrong_bone(bones_[chain.first], "before what its own chain reaches for", "after it");
                }
            }
        }
    }
    for (const Step& step : steps_) {
        const int end = end_of(step);
        for (const int source : sources_of(step)) {
            const bool inside = step.chain >= 0 && source >= step.first && source < end;
            if (source < step.first || inside) continue;
            throw wrong_bone(bones_[step.first], "before '" + bones_[source].name + "'", "after what it follows");
        }
    }
}

/// The channels that a bone reads itself.
std::vector<int> Mechanism::inputs_of(int index) const {
    const Bone& bone = bones_[index];
    std::vector<int> found;
    for (int axis = 0; axis < 3; ++axis) {
        for (const auto* numbers : {&bone.location, &bone.rotation, &bone.scale}) add_inputs((*numbers)[axis], &found);
    }
    for (const Constraint& constraint : bone.constraints) {
        add_inputs(constraint.influence, &found);
        for (const BoneTarget& target : constraint.targets) add_inputs(target.weight, &found);
    }
    return found;
}

/// Per step: the channels that move its bones, ascending.
std::vector<std::vector<int>> Mechanism::find_inputs(const std::vector<int>& step_of) const {
    std::vector<std::vector<int>> inputs(steps_.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        const Step& step = steps_[s];
        for (int i = step.first; i < end_of(step); ++i) append(inputs_of(i), &inputs[s]);
        if (step.chain >= 0) {
            for (const ChainGoal& goal : chains_[step.chain].goals) add_inputs(goal.influence, &inputs[s]);
        }
        for (const int source : sources_of(step)) {
            if (step_of[source] != static_cast<int>(s)) append(inputs[step_of[source]], &inputs[s]);
        }
        make_unique(&inputs[s]);
    }
    return inputs;
}

void Mechanism::find_dependents(std::size_t num_channels) {
    std::vector<int> step_of(bones_.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        std::fill(step_of.begin() + steps_[s].first, step_of.begin() + end_of(steps_[s]), static_cast<int>(s));
    }
    const std::vector<std::vector<int>> inputs = find_inputs(step_of);
    dependents_.resize(num_channels);
    moved_joints_.resize(num_channels);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        for (const int channel : inputs[s]) dependents_[channel].push_back(static_cast<int>(s));
    }
    for (std::size_t j = 0; j < joint_bones_.size(); ++j) {
        if (joint_bones_[j] < 0) continue;
        std::vector<int> moving = inputs[step_of[joint_bones_[j]]];
        if (joint_parents_[j] >= 0) append(inputs[step_of[joint_parents_[j]]], &moving);
        make_unique(&moving);
        for (const int channel : moving) moved_joints_[channel].push_back(static_cast<int>(j));
    }
}

/// Keeps the transforms of bones that no channel changes.
void Mechanism::find_constants(std::size_t num_channels) {
    const std::vector<double> none(num_channels, 0.0);
    for (const Bone& bone : bones_) {
        bool constant = true;
        for (int axis = 0; axis < 3; ++axis) {
            for (const auto* numbers : {&bone.location, &bone.rotation, &bone.scale}) {
                constant = constant && (*numbers)[axis].inputs().empty();
            }
        }
        is_constant_.push_back(constant);
        own_.push_back(constant ? own_transform(bone, none.data()) : Affine());
    }
}

void Mechanism::evaluate(const double* channels, Accuracy accuracy, Poses* poses) const {
    poses->resize(bones_.size());
    for (const Step& step : steps_) run(step, channels, accuracy, poses);
}

void Mechanism::update(const double* channels, std::size_t channel, Accuracy accuracy, Poses* poses) const {
    for (const int step : dependents_[channel]) run(steps_[step], channels, accuracy, poses);
}

void Mechanism::run(const Step& step, const double* channels, Accuracy accuracy, Poses* poses) const {
    if (step.chain < 0) {
        pose_bone(step.first, channels, poses);
    } else {
        pose_chain(chains_[step.chain], channels, accuracy, poses);
    }
}

/// Everything but inverse kinematics.
void Mechanism::pose_bone(int index, const double* channels, Poses* poses) const {
    const Bone& bone = bones_[index];
    const PosedBones posed{bones_, *poses, object_, inverse_object_, channels};
    Affine pose = posed.frame(index).to_pose(is_constant_[index] ? own_[index] : own_transform(bone, channels));
    const Vec3 head = pose.location;
    for (const Constraint& constraint : bone.constraints) apply_constraint(posed, index, constraint, &pose);
    if (bone.connected && bone.parent >= 0) pose.location = head;
    (*poses)[index] = pose;
}

void Mechanism::pose_chain(const Chain& chain, const double* channels, Accuracy accuracy, Poses* poses) const {
    const int end = chain.first + chain.count;
    for (int i = chain.first; i < end; ++i) pose_bone(i, channels, poses);
    const double change = accuracy == Accuracy::smooth ? smooth_change : ChainPrecision().change;
    rig::pose_chain({bones_, *poses, object_, inverse_object_, channels}, chain, change, poses);
}

void Mechanism::write_joint(const Poses& poses, std::size_t joint, double* transform) const {
    const Affine& pose = poses[joint_bones_[joint]];
    const Affine relative = joint_parents_[joint] < 0 ? object_ * pose : inverse(poses[joint_parents_[joint]]) * pose;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) transform[4 * r + c] = relative.linear[3 * r + c];
        transform[4 * r + 3] = relative.location[r];
    }
}

}  // namespace rigcast::rig
