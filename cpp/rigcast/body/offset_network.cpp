#include "rigcast/body/offset_network.h"

#include <algorithm>

namespace rigcast::body {
namespace {

using network::Dense;

constexpr int stride_of_tile = Patch::vertices_per_tile;

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

}  // namespace

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

}  // namespace rigcast::body
