#include <algorithm>
#include <cstring>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/core/aligned.h"
#include "rigcast/core/parallel.h"

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

}  // namespace rigcast::body
