#pragma once
#include <string>
#include <vector>

#include "rigcast/core/files/metadata.h"
#include "rigcast/rig/mechanism/bone.h"
#include "rigcast/rig/mechanism/chain_solver.h"

namespace rigcast::rig {

/// The bones of a rig with the constraints, drivers and inverse kinematics by which channels pose its joints: what an
/// artist's controls do, without the program that the rig was made in. Immutable; const members are thread-safe.
class Mechanism {
public:
    /// Whether inverse kinematics stops where the rig's program stops, or goes on until it is smooth in the channels.
    enum class Accuracy { as_rigged, smooth };
    /// The poses of all bones, in the coordinates of the armature.
    using Poses = std::vector<Affine>;

    /// `bones`: in the order of evaluation: parents and what constraints follow come before the bone, or before the
    /// chain that it belongs to. `object`: from the armature's coordinates to the scene's. `joints`: of the rig, each
    /// posed by the bone of its name, if there is one; `parents` (J), -1 for roots.
    /// Throws ArgumentError if the order is wrong, a chain is none, or a matrix cannot be inverted.
    Mechanism(std::vector<Bone> bones, std::vector<Chain> chains, const Affine& object,
              const std::vector<std::string>& joints, const std::vector<int>& parents, std::int64_t num_channels);

    /// Returns true if the mechanism poses a joint.
    bool poses_joint(std::size_t joint) const { return joint_bones_[joint] >= 0; }
    /// Poses all bones by channels (N).
    void evaluate(const double* channels, Accuracy accuracy, Poses* poses) const;
    /// Poses again what one channel moves, after `evaluate` with channels that differ in this one.
    void update(const double* channels, std::size_t channel, Accuracy accuracy, Poses* poses) const;
    /// Writes the transform (3, 4) of a joint that the mechanism poses, relative to its parent; of a root, in the
    /// scene.
    void write_joint(const Poses& poses, std::size_t joint, double* transform) const;
    /// The joints whose transform a channel may change, ascending.
    const std::vector<int>& moved_joints(std::size_t channel) const { return moved_joints_[channel]; }

private:
    /// Bones that are posed together: one, or a chain.
    struct Step {
        int first;
        int chain;  // -1: one bone
    };

    void check_order() const;
    void make_steps();
    void find_dependents(std::size_t num_channels);
    void find_constants(std::size_t num_channels);
    std::vector<std::vector<int>> find_inputs(const std::vector<int>& step_of) const;
    int end_of(const Step& step) const { return step.first + (step.chain < 0 ? 1 : chains_[step.chain].count); }
    std::vector<int> inputs_of(int bone) const;
    std::vector<int> sources_of(const Step& step) const;
    void run(const Step& step, const double* channels, Accuracy accuracy, Poses* poses) const;
    void pose_bone(int index, const double* channels, Poses* poses) const;
    void pose_chain(const Chain& chain, const double* channels, Accuracy accuracy, Poses* poses) const;

    std::vector<Bone> bones_;
    std::vector<Chain> chains_;
    Affine object_;
    Affine inverse_object_;
    std::vector<Affine> own_;         // per bone: its own transform, if no channel changes it
    std::vector<char> is_constant_;   // per bone: whether no channel does
    std::vector<int> joint_bones_;    // per joint, -1: none
    std::vector<int> joint_parents_;  // per joint, the bone of its parent; -1: none
    std::vector<Step> steps_;
    std::vector<std::vector<int>> dependents_;    // per channel: steps, ascending
    std::vector<std::vector<int>> moved_joints_;  // per channel
};

/// Reads the entry "mechanism" of "channels"; `mechanism_of` in the package's Blender host writes it.
/// Throws ArgumentError if it is malformed.
Mechanism read_mechanism(const Metadata& entry, const std::vector<std::string>& channel_names,
                         const std::vector<std::string>& joints, const std::vector<int>& parents);

}  // namespace rigcast::rig
