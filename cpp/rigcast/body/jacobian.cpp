#include <algorithm>
#include <cstring>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/body/offset_network.h"
#include "rigcast/core/aligned.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/derivatives/chain_directions.h"
#include "rigcast/rig/derivatives/linearizer.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/transform.h"

namespace rigcast::body {
namespace {

/// Jacobian rows per backward pass through a network: a multiple of 3. More reuse the weights, fewer need less memory.
/// Chosen, not tuned.
constexpr int rows_per_pass = 24;

/// Working memory of a set's network: the layers of one forward pass, and gradient rows of a backward pass.
struct Pass {
    explicit Pass(std::int64_t width)
        : memory(static_cast<std::size_t>((4 + 4 * rows_per_pass) * width)),
          x(memory.data()),
          hidden1(x + width),
          hidden2(hidden1 + width),
          coefficients(hidden2 + width),
          coefficient_gradients(coefficients + width, width),
          hidden2_gradients(coefficient_gradients.row(rows_per_pass), width),
          hidden1_gradients(hidden2_gradients.row(rows_per_pass), width),
          x_gradients(hidden1_gradients.row(rows_per_pass), width) {}
    Pass(const Pass&) = delete;

    LineVector<float> memory;
    float* x;
    float* hidden1;
    float* hidden2;
    float* coefficients;
    Rows<float> coefficient_gradients;
    Rows<float> hidden2_gradients;
    Rows<float> hidden1_gradients;
    Rows<float> x_gradients;
};

/// base + basis c of a member, in the coordinates of its set's joint. `basis` is the member's (r, 3).
void local_point(const Patch& patch, const network::Packed& packed, int member, const float* basis,
                 const float* coefficients, float* point) {
    const float* base = patch.member(packed, member);
    for (int axis = 0; axis < 3; ++axis) point[axis] = base[axis * Patch::vertices_per_tile];
    for (int k = 0; k < patch.components; ++k) {
        for (int axis = 0; axis < 3; ++axis) point[axis] += basis[3 * k + axis] * coefficients[k];
    }
}

/// Writes the gradients of a member's three world coordinates with respect to the r coefficients: a X basis.
void coordinate_gradients(int components, float weight, const float* basis, const float* transform,
                          Rows<float> gradients) {
    for (int k = 0; k < components; ++k, basis += 3) {
        for (int axis = 0; axis < 3; ++axis) {
            const float* x = transform + 4 * axis;
            gradients.row(axis)[k] = weight * (x[0] * basis[0] + x[1] * basis[1] + x[2] * basis[2]);
        }
    }
}

/// The joints of the sets and their ancestors.
std::vector<std::int32_t> joints_of(const std::vector<VertexSet>& sets, const rig::Skeleton& skeleton) {
    std::vector<std::int32_t> joints;
    for (const VertexSet& set : sets) joints.push_back(set.joint);
    return rig::with_ancestors(skeleton, joints);
}

}  // namespace

/// The Jacobian of one pose: the motion of the joints, plus the gradient of each coordinate through the networks of its
/// sets.
class BodyModel::JacobianOfPose {
public:
    explicit JacobianOfPose(const BodyModel& model)
        : model_(model),
          globals_(static_cast<std::size_t>(12 * model.character().skeleton.num_joints())),
          basis_(static_cast<std::size_t>(3 * model.width_)),
          pass_(model.width_) {}

    /// Writes the Jacobian (3 V, C).
    void run(const float* pose, float* jacobian) {
        const std::int64_t columns = model_.character().num_controls();
        std::fill_n(jacobian, 3 * model_.character().num_vertices() * columns, 0.0f);
        model_.character().skeleton.globals(pose, globals_.data());
        const Rows<float> rows{jacobian, columns};
        for (const VertexSet& set : model_.sets_) {
            if (set.has_network()) forward(set, pose);
            for (int m = 0; m < set.patch.members; ++m) add_motion(set, m, pose, rows);
            if (set.has_network()) add_network(set, rows);
        }
    }

private:
    void forward(const VertexSet& set, const float* pose) {
        const network::DenseKernels& network = network::dense_kernels();
        set.gather({pose, 0}, {pass_.x, 0}, 1);
        network.dense(set.layer[0], model_.packed_, {pass_.x, 0}, {pass_.hidden1, 0}, 1);
        network.dense(set.layer[1], model_.packed_, {pass_.hidden1, 0}, {pass_.hidden2, 0}, 1);
        network.dense(set.layer[2], model_.packed_, {pass_.hidden2, 0}, {pass_.coefficients, 0}, 1);
    }

    void add_motion(const VertexSet& set, int member, const float* pose, Rows<float> rows) {
        float point[3];
        set.patch.read_basis(model_.packed_, member, basis_.data());
        local_point(set.patch, model_.packed_, member, basis_.data(), pass_.coefficients, point);
        const float weight = set.patch.weight(model_.packed_, member);
        model_.character().skeleton.add_point_jacobian(set.joint, pose, globals_.data(), point, weight,
                                                       rows.row(3 * std::int64_t{set.patch.vertex[member]}),
                                                       rows.stride);
    }

    void add_network(const VertexSet& set, Rows<float> rows) {
        constexpr int members_per_pass = rows_per_pass / 3;
        for (int first = 0; first < set.patch.members; first += members_per_pass) {
            const int members = std::min(members_per_pass, set.patch.members - first);
            for (int m = 0; m < members; ++m) {
                const Rows<float> gradients = pass_.coefficient_gradients.from(3 * m);
                for (int axis = 0; axis < 3; ++axis) {
                    std::fill_n(gradients.row(axis), set.patch.padded_components(), 0.0f);
                }
                set.patch.read_basis(model_.packed_, first + m, basis_.data());
                coordinate_gradients(set.patch.components, set.patch.weight(model_.packed_, first + m), basis_.data(),
                                     globals_.data() + 12 * set.joint, gradients);
            }
            backward(set, 3 * members);
            for (int row = 0; row < 3 * members; ++row) {
                const std::int64_t vertex = set.patch.vertex[first + row / 3];
                float* out = rows.row(3 * vertex + row % 3);
                const float* gradient = pass_.x_gradients.row(row);
                for (const std::int32_t column : set.column) out[column] += *gradient++;
            }
        }
    }

    void backward(const VertexSet& set, int count) {
        const network::DenseKernels& network = network::dense_kernels();
        network.dense_vjp(set.layer[2], model_.packed_, {pass_.coefficients, 0}, pass_.coefficient_gradients,
                          pass_.hidden2_gradients, count);
        network.dense_vjp(set.layer[1], model_.packed_, {pass_.hidden2, 0}, pass_.hidden2_gradients,
                          pass_.hidden1_gradients, count);
        network.dense_vjp(set.layer[0], model_.packed_, {pass_.hidden1, 0}, pass_.hidden1_gradients, pass_.x_gradients,
                          count);
    }

    const BodyModel& model_;
    std::vector<float> globals_;
    std::vector<float> basis_;  // (r, 3) of a member
    Pass pass_;
};

void BodyModel::do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        JacobianOfPose jacobian(*this);
        for (std::int64_t t = begin; t < end; ++t) jacobian.run(poses.row(t), jacobians.row(t));
    });
}

class BodyModel::BodyLinearizer final : public rig::Linearizer {
public:
    explicit BodyLinearizer(const BodyModel& body)
        : model(body), joints(joints_of(body.sets_, body.character().skeleton)) {
        for (const VertexSet& set : model.sets_) {
            networks.emplace_back(set, model.packed_, model.character(), packed);
            width = std::max(width, networks.back().width());
            first_point.push_back(num_points);
            num_points += set.patch.members;
            first_hidden.push_back(num_hidden);
            num_hidden += 2 * networks.back().width();
        }
    }

    std::unique_ptr<rig::Linearization> start() const override;

    const BodyModel& model;
    std::vector<std::int32_t> joints;
    std::vector<OffsetNetwork> networks;  // per set
    Packed packed;                        // their matrices
    std::int64_t width = 0;
    std::vector<std::int64_t> first_point;  // per set
    std::vector<std::int64_t> first_hidden;
    std::int64_t num_points = 0;
    std::int64_t num_hidden = 0;
};

/// Caches the outputs of hidden layers and the points of the sets, which the derivatives need again.
class BodyModel::BodyLinearization final : public rig::Linearization {
public:
    explicit BodyLinearization(const BodyLinearizer& shared)
        : shared_(shared),
          model_(shared.model),
          chains_(model_.character().skeleton),
          pose_(static_cast<std::size_t>(model_.character().num_controls())),
          globals_(static_cast<std::size_t>(12 * model_.character().skeleton.num_joints())),
          points_(static_cast<std::size_t>(3 * shared.num_points)),
          hidden_(static_cast<std::size_t>(shared.num_hidden)),
          work_(static_cast<std::size_t>(6 * shared.width)) {}

    void evaluate(const float* pose, float* vertices) override {
        const std::int64_t width = static_cast<std::int64_t>(pose_.size());
        model_.check_poses("evaluate", {pose, {1, width}});
        std::copy_n(pose, width, pose_.data());
        for (const std::int32_t j : shared_.joints) {
            model_.character().skeleton.global(j, pose, globals_.data());
            rig::check_overflow("evaluate", 0, globals_.data() + 12 * j, 12, model_.limits_.transform);
        }
        std::fill_n(vertices, 3 * model_.character().num_vertices(), 0.0f);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            const VertexSet& set = model_.sets_[i];
            float* points = points_.data() + 3 * shared_.first_point[i];
            shared_.networks[i].forward(set, model_.packed_, shared_.packed, pose,
                                        hidden_.data() + shared_.first_hidden[i], work_.data(), points);
            for (int m = 0; m < set.patch.members; ++m) {
                float moved[3];
                rig::apply(globals_.data() + 12 * set.joint, points + 3 * m, moved);
                float* out = vertices + 3 * std::int64_t{set.patch.vertex[m]};
                for (int axis = 0; axis < 3; ++axis) out[axis] += weight(set, m) * moved[axis];
            }
        }
    }

    void differentiate(const rig::PoseDirections& directions, std::int64_t count, double* derivatives) override {
        std::fill_n(derivatives, 3 * model_.character().num_vertices() * count, 0.0);
        chains_.set(directions);
        for (std::size_t i = 0; i < model_.sets_.size(); ++i) {
            const VertexSet& set = model_.sets_[i];
            const OffsetNetwork& network = shared_.networks[i];
            for (int m = 0; m < set.patch.members; ++m) {
                double* rows = derivatives + 3 * std::int64_t{set.patch.vertex[m]} * count;
                chains_.add_point(set.joint, pose_.data(), globals_.data(),
                                  points_.data() + 3 * (shared_.first_point[i] + m), weight(set, m), rows, count);
                if (!network.has_network()) continue;
                network.add_derivatives(m, shared_.packed, hidden_.data() + shared_.first_hidden[i],
                                        globals_.data() + 12 * set.joint, weight(set, m), directions, work_.data(),
                                        rows, count);
            }
        }
    }

private:
    float weight(const VertexSet& set, int member) const { return set.patch.weight(model_.packed_, member); }

    const BodyLinearizer& shared_;
    const BodyModel& model_;
    rig::ChainDirections chains_;
    std::vector<float> pose_;     // (C) the last one
    std::vector<float> globals_;  // (J, 3, 4), of the joints that are needed
    std::vector<float> points_;   // of all sets, in their joints' coordinates
    LineVector<float> hidden_;
    LineVector<float> work_;
};

std::unique_ptr<rig::Linearization> BodyModel::BodyLinearizer::start() const {
    return std::make_unique<BodyLinearization>(*this);
}

std::unique_ptr<rig::Linearizer> BodyModel::linearizer() const {
    return std::make_unique<BodyLinearizer>(*this);
}

}  // namespace rigcast::body
