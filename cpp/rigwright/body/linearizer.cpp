#include "rigwright/rig/linearizer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "rigwright/body/body_model.h"
#include "rigwright/core/aligned.h"
#include "rigwright/rig/overflow.h"

namespace rigwright::body {
namespace {

constexpr int members_per_pass = 8;  // of a set, whose coordinates share a pass through its network; chosen, not tuned
constexpr int rows_per_pass = 3 * members_per_pass;

/// Where the columns of a joint or of a numeric control are among the inputs of a set; -1: they are not.
class InputPlaces {
public:
    InputPlaces(const VertexSet& set, const rig::Character& character)
        : numeric_(12 * character.skeleton.num_joints()),
          of_column_(static_cast<std::size_t>(character.num_controls()), -1),
          has_joint_(static_cast<std::size_t>(character.skeleton.num_joints()), 0) {
        for (std::size_t i = 0; i < set.column.size(); ++i) {
            of_column_[set.column[i]] = static_cast<std::int32_t>(i);
            if (set.column[i] < numeric_) has_joint_[set.column[i] / 12] = 1;
        }
    }

    /// Adds the gradient of a row of inputs times all directions.
    void add(const rig::PoseDirections& directions, const float* gradient, double* derivatives) const {
        for (const rig::JointChange& change : directions.joints) {
            if (has_joint_[change.joint] == 0) continue;
            const std::int32_t* place = &of_column_[12 * change.joint];
            double sum = 0.0;
            for (int i = 0; i < 12; ++i) {
                if (place[i] >= 0) sum += gradient[place[i]] * change.change[i];
            }
            derivatives[change.direction] += sum;
        }
        for (const rig::DialChange& change : directions.dials) {
            if (of_column_[change.column] >= 0) derivatives[change.direction] += gradient[of_column_[change.column]];
        }
    }

private:
    std::int32_t numeric_;
    std::vector<std::int32_t> of_column_;
    std::vector<char> has_joint_;
};

/// base + basis c of a member, in the coordinates of its set's joint.
void member_point(const Patch& patch, const float* at, const float* coefficients, float* point) {
    for (int axis = 0; axis < 3; ++axis) point[axis] = at[axis * Patch::vertices_per_tile];
    at += Patch::floats_per_head;
    for (int k = 0; k < patch.components; ++k) {
        for (int axis = 0; axis < 3; ++axis, at += Patch::vertices_per_tile) point[axis] += *at * coefficients[k];
    }
}

/// Writes the gradients of a member's three coordinates with respect to the coefficients: a X basis.
void member_gradients(const Patch& patch, const float* at, const float* transform, Rows<float> gradients) {
    constexpr int stride = Patch::vertices_per_tile;
    const float weight = at[3 * stride];
    at += Patch::floats_per_head;
    for (int k = 0; k < patch.components; ++k, at += 3 * stride) {
        for (int axis = 0; axis < 3; ++axis) {
            const float* x = transform + 4 * axis;
            gradients.row(axis)[k] = weight * (x[0] * at[0] + x[1] * at[stride] + x[2] * at[2 * stride]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        std::fill(gradients.row(axis) + patch.components, gradients.row(axis) + patch.padded_components(), 0.0f);
    }
}

}  // namespace

/// Caches the activations of all networks, which the derivatives need again.
class BodyModel::BodyLinearizer final : public rig::Linearizer {
public:
    explicit BodyLinearizer(const BodyModel& model)
        : model_(model),
          chains_(model.character().skeleton),
          pose_(static_cast<std::size_t>(model.character().num_controls())),
          globals_(static_cast<std::size_t>(12 * model.character().skeleton.num_joints())),
          added_(static_cast<std::size_t>(3 * model.num_added_)) {
        std::int64_t size = 0;
        for (const VertexSet& set : model.sets_) {
            places_.emplace_back(set, model.character());
            begin_.push_back(size);
            if (!set.has_network()) continue;
            for (const network::Dense& layer : set.layer) size += layer.padded();
        }
        activations_.resize(static_cast<std::size_t>(size));
        memory_.resize(static_cast<std::size_t>((1 + 4 * rows_per_pass) * model.width_));
    }

    void evaluate(const float* pose, float* vertices) override {
        const rig::Skeleton& skeleton = model_.character().skeleton;
        const std::int64_t width = static_cast<std::int64_t>(pose_.size());
        model_.check_poses("evaluate", {pose, {1, width}});
        std::copy_n(pose, width, pose_.data());
        skeleton.globals(pose, globals_.data());
        rig::check_overflow("evaluate", 0, globals_.data(), 12 * skeleton.num_joints(), model_.limits_.transform);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            const VertexSet& set = model_.sets_[i];
            if (set.has_network()) forward(i);
            patch_kernels().evaluate(set.patch, model_.packed_, {layer_outputs(i)[2], 0},
                                     {globals_.data() + 12 * set.joint, 0}, {vertices, 0}, {added_.data(), 0}, 1);
        }
        for (const VertexSet& set : model_.sets_) {
            add_contributions(set.patch, {added_.data(), 0}, {vertices, 0}, 1);
        }
    }

    void differentiate(const rig::PoseDirections& directions, std::int64_t count, double* derivatives) override {
        std::fill_n(derivatives, 3 * model_.character().num_vertices() * count, 0.0);
        chains_.set(directions);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            add_motion(i, count, derivatives);
            if (model_.sets_[i].has_network()) add_network(i, directions, count, derivatives);
        }
    }

private:
    std::array<float*, 3> layer_outputs(std::size_t i) {
        float* at = activations_.data() + begin_[i];
        const VertexSet& set = model_.sets_[i];
        if (!set.has_network()) return {at, at, at};
        return {at, at + set.layer[0].padded(), at + set.layer[0].padded() + set.layer[1].padded()};
    }

    void forward(std::size_t i) {
        const VertexSet& set = model_.sets_[i];
        const std::array<float*, 3> y = layer_outputs(i);
        float* inputs = memory_.data();
        set.gather({pose_.data(), 0}, {inputs, 0}, 1);
        for (int l = 0; l < 3; ++l) {
            network::dense_kernels().dense(set.layer[l], model_.packed_, {l == 0 ? inputs : y[l - 1], 0}, {y[l], 0}, 1);
        }
    }

    /// The motion of the joints.
    void add_motion(std::size_t i, std::int64_t count, double* derivatives) {
        const VertexSet& set = model_.sets_[i];
        const float* coefficients = layer_outputs(i)[2];
        for (int m = 0; m < set.patch.members; ++m) {
            const float* member = set.patch.member(model_.packed_, m);
            float point[3];
            member_point(set.patch, member, coefficients, point);
            chains_.add_point(set.joint, pose_.data(), globals_.data(), point, member[3 * Patch::vertices_per_tile],
                              derivatives + 3 * std::int64_t{set.patch.vertex[m]} * count, count);
        }
    }

    /// The gradient of each coordinate through the network, times the directions.
    void add_network(std::size_t i, const rig::PoseDirections& directions, std::int64_t count, double* derivatives) {
        const VertexSet& set = model_.sets_[i];
        const std::int64_t width = model_.width_;
        Rows<float> rows[4];
        for (int l = 0; l < 4; ++l) rows[l] = {memory_.data() + (1 + l * rows_per_pass) * width, width};
        for (int first = 0; first < set.patch.members; first += members_per_pass) {
            const int members = std::min(members_per_pass, set.patch.members - first);
            for (int m = 0; m < members; ++m) {
                member_gradients(set.patch, set.patch.member(model_.packed_, first + m),
                                 globals_.data() + 12 * set.joint, rows[3].from(3 * m));
            }
            const std::array<float*, 3> y = layer_outputs(i);
            for (int l = 2; l >= 0; --l) {
                network::dense_kernels().dense_vjp(set.layer[l], model_.packed_, {y[l], 0}, rows[l + 1], rows[l],
                                                   3 * members);
            }
            for (int row = 0; row < 3 * members; ++row) {
                const std::int64_t coordinate = 3 * std::int64_t{set.patch.vertex[first + row / 3]} + row % 3;
                places_[i].add(directions, rows[0].row(row), derivatives + coordinate * count);
            }
        }
    }

    const BodyModel& model_;
    rig::ChainDirections chains_;
    std::vector<InputPlaces> places_;  // per set
    std::vector<std::int64_t> begin_;  // per set: its first activation
    std::vector<float> pose_;          // (C) the last one
    std::vector<float> globals_;       // (J, 3, 4)
    std::vector<float> added_;
    LineVector<float> activations_;  // outputs of all layers of all sets
    LineVector<float> memory_;
};

std::unique_ptr<rig::Linearizer> BodyModel::linearizer() const {
    return std::make_unique<BodyLinearizer>(*this);
}

}  // namespace rigwright::body
