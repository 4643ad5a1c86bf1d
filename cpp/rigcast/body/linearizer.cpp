#include "rigcast/rig/derivatives/linearizer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/core/aligned.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/derivatives/chain_directions.h"
#include "rigcast/rig/derivatives/pose_directions.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::body {
namespace {

using network::Dense;

constexpr int stride_of_tile = Patch::vertices_per_tile;

/// The network of a vertex set as least squares want it, for few members: the linear third layer and the basis are one
/// matrix,
///   base + n = F tanh(W2 tanh(W1 x + b1) + b2) + f,
/// and W1 and W2 are packed transposed for backward passes, which are then forward passes without horizontal sums, in
/// 16 bits: points have the precision of the model, their derivatives three digits. A set without a network has f =
/// base alone.
class OffsetNetwork {
public:
    /// Appends its matrices to `packed`. `model` has the layers of the set.
    OffsetNetwork(const VertexSet& set, const Packed& model, const rig::Character& character, Packed& packed);

    bool has_network() const { return !rows_.empty(); }
    /// Floats of an array of `forward` and `add_derivatives`: whole cache lines.
    std::int64_t width() const { return width_; }

    /// Writes the points (M, 3) of a pose, in the coordinates of the set's joint, and the outputs of the hidden layers
    /// into two arrays. `work` has one array.
    void forward(const VertexSet& set, const Packed& model, const Packed& packed, const float* pose, float* hidden,
                 float* work, float* points) const;
    /// Adds the derivatives of weight * linear * point along directions to the three rows of a member, which are
    /// `stride` numbers apart; `linear` is the 3x3 part of a transform (3, 4). `work` has six arrays.
    void add_derivatives(int member, const Packed& packed, const float* hidden, const float* linear, float weight,
                         const rig::PoseDirections& directions, float* work, double* rows, std::int64_t stride) const;

private:
    /// An entry of a joint's transform, and which input it is.
    struct Input {
        std::int32_t entry;
        std::int32_t place;
    };

    void read_layers(const VertexSet& set, const Packed& model, Packed& packed);
    void read_inputs(const VertexSet& set, const rig::Character& character);

    std::int64_t width_ = 0;
    std::vector<float> base_;          // (M, 3) without a network
    network::Dense points_;            // F, f
    std::vector<float> rows_;          // (3 M, H2) F
    network::Dense backward_[2];       // W1^T, W2^T
    std::vector<std::int32_t> begin_;  // (J + 1) into inputs_
    std::vector<Input> inputs_;        // of each joint
    std::int32_t numeric_ = 0;         // columns of joints
    std::vector<std::int32_t> dials_;  // per numeric control: its place among the inputs, or -1
};

/// The matrix of a packed layer, row-major.
std::vector<float> weights_of(const Dense& layer, const Packed& packed) {
    std::vector<float> weights(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    network::unpack_weights(layer, packed, {weights.data(), {layer.outputs, layer.inputs}});
    return weights;
}

/// In 16 bits: passes are bound by the bytes of weights.
Dense packed_transpose(const Dense& layer, const Packed& model, Packed& packed) {
    const std::vector<float> weights = weights_of(layer, model);
    std::vector<float> transposed(weights.size());
    for (int row = 0; row < layer.outputs; ++row) {
        for (int column = 0; column < layer.inputs; ++column) {
            transposed[static_cast<std::size_t>(column) * layer.outputs + row] =
                weights[static_cast<std::size_t>(row) * layer.inputs + column];
        }
    }
    const std::vector<float> bias(static_cast<std::size_t>(layer.inputs), 0.0f);
    const View<const float, 2> matrix{transposed.data(), {layer.inputs, layer.outputs}};
    return network::pack_dense(matrix, {bias.data(), {layer.inputs}}, network::Activation::none, packed,
                               network::choose_storage(matrix));
}

/// y *= 1 - h^2, the derivative of tanh where it is h, of three rows.
void times_slope(const float* h, std::int64_t count, float* y, std::int64_t stride) {
    for (int row = 0; row < 3; ++row, y += stride) {
        for (std::int64_t i = 0; i < count; ++i) y[i] *= 1.0f - h[i] * h[i];
    }
}

OffsetNetwork::OffsetNetwork(const VertexSet& set, const Packed& model, const rig::Character& character,
                             Packed& packed) {
    if (set.has_network()) {
        read_layers(set, model, packed);
        read_inputs(set, character);
        return;
    }
    for (int m = 0; m < set.patch.members; ++m) {
        const float* at = set.patch.member(model, m);
        for (int axis = 0; axis < 3; ++axis) base_.push_back(at[axis * stride_of_tile]);
    }
}

/// F = basis W3 and f = base + basis b3, in double precision.
void OffsetNetwork::read_layers(const VertexSet& set, const Packed& model, Packed& packed) {
    const Dense& last = set.layer[2];
    const std::vector<float> weights = weights_of(last, model);
    const float* bias = model.at(last.bias);
    std::vector<float> shift;
    std::vector<float> basis(3 * static_cast<std::size_t>(set.patch.components));
    for (int m = 0; m < set.patch.members; ++m) {
        const float* member = set.patch.member(model, m);
        set.patch.read_basis(model, m, basis.data());
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<double> row(static_cast<std::size_t>(last.inputs), 0.0);
            double sum = member[axis * stride_of_tile];
            for (int k = 0; k < set.patch.components; ++k) {
                const double b = basis[3 * k + axis];
                sum += b * bias[k];
                const float* w = &weights[static_cast<std::size_t>(k) * last.inputs];
                for (int i = 0; i < last.inputs; ++i) row[i] += b * w[i];
            }
            shift.push_back(static_cast<float>(sum));
            rows_.insert(rows_.end(), row.begin(), row.end());
        }
    }
    const std::int64_t coordinates = static_cast<std::int64_t>(shift.size());
    points_ = network::pack_dense({rows_.data(), {coordinates, last.inputs}}, {shift.data(), {coordinates}},
                                  network::Activation::none, packed);
    for (int l = 0; l < 2; ++l) backward_[l] = packed_transpose(set.layer[l], model, packed);
    width_ = std::max<std::int64_t>(set.width(), points_.padded());
    for (const Dense& layer : backward_) width_ = std::max<std::int64_t>(width_, layer.padded());
}

void OffsetNetwork::read_inputs(const VertexSet& set, const rig::Character& character) {
    const std::int32_t joints = character.skeleton.num_joints();
    numeric_ = 12 * joints;
    dials_.assign(static_cast<std::size_t>(character.num_controls() - numeric_), -1);
    std::vector<std::vector<Input>> found(static_cast<std::size_t>(joints));
    for (std::size_t i = 0; i < set.column.size(); ++i) {
        const std::int32_t column = set.column[i], place = static_cast<std::int32_t>(i);
        if (column >= numeric_) {
            dials_[column - numeric_] = place;
        } else {
            found[column / 12].push_back({column % 12, place});
        }
    }
    begin_.push_back(0);
    for (const std::vector<Input>& of_joint : found) {
        inputs_.insert(inputs_.end(), of_joint.begin(), of_joint.end());
        begin_.push_back(static_cast<std::int32_t>(inputs_.size()));
    }
}

void OffsetNetwork::forward(const VertexSet& set, const Packed& model, const Packed& packed, const float* pose,
                            float* hidden, float* work, float* points) const {
    if (!has_network()) {
        std::copy(base_.begin(), base_.end(), points);
        return;
    }
    const network::DenseKernels& network = network::dense_kernels();
    set.gather({pose, 0}, {work, 0}, 1);
    network.dense(set.layer[0], model, {work, 0}, {hidden, 0}, 1);
    network.dense(set.layer[1], model, {hidden, 0}, {hidden + width_, 0}, 1);
    network.dense(points_, packed, {hidden + width_, 0}, {work, 0}, 1);
    std::copy_n(work, points_.outputs, points);
}

void OffsetNetwork::add_derivatives(int member, const Packed& packed, const float* hidden, const float* linear,
                                    float weight, const rig::PoseDirections& directions, float* work, double* rows,
                                    std::int64_t stride) const {
    const std::int64_t count = points_.inputs;
    const float* f = &rows_[static_cast<std::size_t>(3 * member) * count];
    for (int axis = 0; axis < 3; ++axis) {
        const float* x = linear + 4 * axis;
        float* y = work + axis * width_;
        for (std::int64_t i = 0; i < count; ++i) {
            y[i] = weight * (x[0] * f[i] + x[1] * f[count + i] + x[2] * f[2 * count + i]);
        }
    }
    const network::DenseKernels& network = network::dense_kernels();
    float* other = work + 3 * width_;
    times_slope(hidden + width_, count, work, width_);
    network.dense(backward_[1], packed, {work, width_}, {other, width_}, 3);
    times_slope(hidden, backward_[1].outputs, other, width_);
    network.dense(backward_[0], packed, {other, width_}, {work, width_}, 3);
    for (const rig::JointChange& change : directions.joints) {
        const std::int32_t begin = begin_[change.joint], end = begin_[change.joint + 1];
        if (begin == end) continue;
        double sum[3] = {};
        for (std::int32_t i = begin; i < end; ++i) {
            const double slope = change.change[inputs_[i].entry];
            const float* gradient = work + inputs_[i].place;
            for (int axis = 0; axis < 3; ++axis) sum[axis] += slope * gradient[axis * width_];
        }
        for (int axis = 0; axis < 3; ++axis) rows[axis * stride + change.direction] += sum[axis];
    }
    for (const rig::DialChange& change : directions.dials) {
        const std::int32_t place = dials_[change.column - numeric_];
        if (place < 0) continue;
        for (int axis = 0; axis < 3; ++axis) rows[axis * stride + change.direction] += work[axis * width_ + place];
    }
}

/// The joints of the sets and their ancestors.
std::vector<std::int32_t> joints_of(const std::vector<VertexSet>& sets, const rig::Skeleton& skeleton) {
    std::vector<std::int32_t> joints;
    for (const VertexSet& set : sets) joints.push_back(set.joint);
    return rig::with_ancestors(skeleton, joints);
}

}  // namespace

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
