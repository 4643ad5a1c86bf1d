#include <array>
#include <vector>

#include "rigcast/cuda/blendshapes/base.h"
#include "rigcast/cuda/differential/last_step.h"
#include "rigcast/cuda/differential/place_kernels.h"
#include "rigcast/cuda/differential/program.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/library_product.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {
namespace {

/// Values of a batch of frames, or their derivatives along a batch of tangents; one row per frame or tangent.
struct DifferentialValues {
    Buffer<float> inputs;      // of all networks
    Buffer<float> row;         // hidden layers, coefficients and anchors (DifferentialPlan)
    Buffer<float> gathered;    // the inputs of the last step
    Buffer<float> points;      // (3, V)
    Buffer<float> transforms;  // (J, 12)
};

class DifferentialProgram final : public DeviceProgram {
public:
    DifferentialProgram(Machine& machine, Libraries* libraries, const DifferentialPlan& plan)
        : machine_(machine),
          num_controls_(plan.num_controls),
          num_vertices_(plan.num_vertices),
          num_joints_(plan.num_joints()),
          num_inputs_(static_cast<std::int64_t>(plan.columns.size())),
          row_width_(plan.row_width),
          last_step_(machine, libraries, plan.last_step, plan.row_width) {
        if (plan.shapes != nullptr) shapes_ = std::make_unique<ResidentBase>(machine, *plan.shapes);
        for (std::size_t i = 0; i < networks_.size(); ++i) {
            for (const ProductPlan& layer : plan.networks[i]) {
                networks_[i].push_back(make_layer_product(machine, libraries, layer));
            }
        }
        machine.upload(plan.columns, columns_);
        machine.upload(plan.parents, parents_);
        machine.upload(plan.joints, joints_);
        machine.upload(plan.inverse_rest, inverse_rest_);
        machine.upload(plan.offset, offset_);
        machine.upload(plan.joint, joint_);
        machine.upload(plan.weight, weight_);
        machine.synchronize();
    }

    std::int64_t floats_per_frame() const override {
        const std::int64_t base = shapes_ == nullptr ? 0 : shapes_->floats_per_row();
        return num_inputs_ + row_width_ + last_step_.floats_per_row() + 3 * num_vertices_ + 12 * num_joints_ + base;
    }
    std::int64_t floats_per_tangent() const override { return floats_per_frame(); }

    void prepare(const FrameBatch& batch) override {
        reserve(batch.count, values_);
        if (shapes_ != nullptr) shapes_->prepare(batch.count);
    }

    void evaluate(const FrameBatch& batch) override {
        queue_values(batch);
        const DifferentialValues& x = values_;
        if (num_joints_ == 0) {
            machine_.for_each(batch.count, num_vertices_,
                              PlaceVertices{x.points.data(), num_vertices_, base_, batch.vertices});
        } else {
            machine_.for_each(
                batch.count, num_vertices_,
                PlaceSkinned{x.points.data(), base_, num_vertices_, x.transforms.data(), influences(), batch.vertices});
        }
    }

    void linearize(const FrameBatch& batch) override {
        prepare(batch);
        queue_values(batch);
        at_ = batch.poses;
    }

    void push_forward(const TangentBatch& batch) override {
        const std::int64_t count = batch.count;
        const DifferentialValues& x = values_;
        const DifferentialValues& dx = tangents_;
        reserve(count, tangents_);
        machine_.for_each(count, num_inputs_,
                          Gather{batch.tangents, num_controls_, columns_.data(), num_inputs_, dx.inputs.data()});
        for_layers(dx, [&](const LayerProduct& layer, const float* input, std::int64_t width) {
            layer.run_tangents(machine_, count, input, width, x.row.data(), batch.frames, dx.row.data());
        });
        last_step_.run_tangents(last_step_batch(count, tangents_), x.points.data(), batch.frames);
        const float* changes = nullptr;
        if (shapes_ != nullptr) changes = shapes_->push_forward(count, batch.frames, at_, batch.tangents);
        if (num_joints_ == 0) {
            machine_.for_each(count, num_vertices_,
                              PlaceVertices{dx.points.data(), num_vertices_, changes, batch.derivatives});
            return;
        }
        machine_.for_each(count, num_joints_,
                          GlobalTransformTangents{at_, num_controls_, parents_.data(), joints_.data(), num_joints_,
                                                  batch.tangents, batch.frames, dx.transforms.data()});
        machine_.for_each(count, num_joints_, UndoRest{inverse_rest_.data(), num_joints_, dx.transforms.data()});
        machine_.for_each(
            count, num_vertices_,
            PlaceSkinnedTangents{x.points.data(), dx.points.data(), base_, changes, num_vertices_, x.transforms.data(),
                                 dx.transforms.data(), batch.frames, influences(), batch.derivatives});
    }

private:
    Influences influences() const { return {offset_.data(), joint_.data(), weight_.data(), num_joints_}; }

    static LastStepBatch last_step_batch(std::int64_t count, DifferentialValues& values) {
        return {count, values.row.data(), values.gathered.data(), values.points.data()};
    }

    void reserve(std::int64_t count, DifferentialValues& values) const {
        values.inputs.reserve(count * num_inputs_);
        values.row.reserve(count * row_width_);
        values.gathered.reserve(count * last_step_.floats_per_row());
        values.points.reserve(count * 3 * num_vertices_);
        values.transforms.reserve(count * 12 * num_joints_);
    }

    /// Calls run(layer, input, width of its rows) for all layers in order: the first ones read the inputs, the others
    /// the row.
    template <class Run>
    void for_layers(const DifferentialValues& values, const Run& run) const {
        for (const auto& layers : networks_) {
            for (const auto& layer : layers) {
                const bool is_first = &layer == &layers.front();
                run(*layer, is_first ? values.inputs.data() : values.row.data(), is_first ? num_inputs_ : row_width_);
            }
        }
    }

    /// Queues the points before the linear transforms, and these.
    void queue_values(const FrameBatch& batch) {
        const std::int64_t count = batch.count;
        const DifferentialValues& x = values_;
        machine_.for_each(count, num_inputs_,
                          Gather{batch.poses, num_controls_, columns_.data(), num_inputs_, x.inputs.data()});
        for_layers(x, [&](const LayerProduct& layer, const float* input, std::int64_t width) {
            layer.run(machine_, count, input, width, x.row.data());
        });
        last_step_.run(last_step_batch(count, values_));
        if (shapes_ != nullptr) base_ = shapes_->evaluate(count, batch.poses);
        if (num_joints_ == 0) return;
        machine_.for_each(count, num_joints_,
                          GlobalTransforms{batch.poses, num_controls_, parents_.data(), joints_.data(), num_joints_,
                                           x.transforms.data()});
        machine_.for_each(count, num_joints_, UndoRest{inverse_rest_.data(), num_joints_, x.transforms.data()});
    }

    Machine& machine_;
    std::int64_t num_controls_;
    std::int64_t num_vertices_;
    std::int64_t num_joints_;
    std::int64_t num_inputs_;
    std::int64_t row_width_;
    std::array<std::vector<std::unique_ptr<LayerProduct>>, 2> networks_;  // of plan.networks
    LastStep last_step_;
    std::unique_ptr<ResidentBase> shapes_;  // null without a base
    const float* base_ = nullptr;           // (T, V, 3) offsets of the base, of the last evaluate or linearize
    Buffer<std::int32_t> columns_;
    Buffer<std::int32_t> parents_;
    Buffer<std::int32_t> joints_;
    Buffer<float> inverse_rest_;
    Buffer<std::int32_t> offset_;
    Buffer<std::int32_t> joint_;
    Buffer<float> weight_;
    DifferentialValues values_;    // of the last evaluate or linearize
    DifferentialValues tangents_;  // of the last push_forward
    const float* at_ = nullptr;    // the poses of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_differential_program(Machine& machine, Libraries* libraries,
                                                         const DifferentialPlan& plan) {
    return std::make_unique<DifferentialProgram>(machine, libraries, plan);
}

}  // namespace rigcast::cuda
