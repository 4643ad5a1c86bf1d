#include "rigcast/cuda/body/program.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/resident_product.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {
namespace {

/// Intermediate values of a batch of frames, or their derivatives along a batch of tangents; one row per frame or
/// tangent.
struct BodyValues {
    Buffer<float> inputs;
    Buffer<float> hidden1;
    Buffer<float> hidden2;
    Buffer<float> coefficients;
    Buffer<float> points;
    Buffer<float> transforms;
};

class BodyProgram final : public DeviceProgram {
public:
    BodyProgram(Machine& machine, const BodyPlan& plan)
        : machine_(machine),
          num_controls_(plan.num_controls),
          num_vertices_(plan.num_vertices),
          num_sets_(static_cast<std::int64_t>(plan.joints.size())),
          num_inputs_(static_cast<std::int64_t>(plan.columns.size())),
          hidden1_(machine, plan.hidden1),
          hidden2_(machine, plan.hidden2),
          coefficients_(machine, plan.coefficients),
          points_(machine, plan.points) {
        machine.upload(plan.parents, parents_);
        machine.upload(plan.joints, joints_);
        machine.upload(plan.columns, columns_);
        machine.upload(plan.offset, offset_);
        machine.upload(plan.point, point_);
        machine.upload(plan.transform, transform_);
        machine.upload(plan.weight, weight_);
        machine.synchronize();
    }

    std::int64_t floats_per_frame() const override {
        return num_inputs_ + hidden1_.output_width() + hidden2_.output_width() + coefficients_.output_width() +
               points_.output_width() + 12 * num_sets_;
    }
    std::int64_t floats_per_tangent() const override { return floats_per_frame(); }

    void prepare(const FrameBatch& batch) override { reserve(batch.count, values_); }

    void evaluate(const FrameBatch& batch) override {
        queue_values(batch);
        machine_.for_each(
            batch.count, num_vertices_,
            Blend{values_.points.data(), points_.output_width() / 3, values_.transforms.data(), num_sets_,
                  offset_.data(), point_.data(), transform_.data(), weight_.data(), num_vertices_, batch.vertices});
    }

    void linearize(const FrameBatch& batch) override {
        prepare(batch);
        queue_values(batch);
        at_ = batch.poses;
    }

    void push_forward(const TangentBatch& batch) override {
        const std::int64_t count = batch.count;
        reserve(count, tangents_);
        machine_.for_each(count, num_inputs_,
                          Gather{batch.tangents, num_controls_, columns_.data(), num_inputs_, tangents_.inputs.data()});
        const BodyValues& x = values_;
        const BodyValues& dx = tangents_;
        hidden1_.run_tangents(machine_, count, dx.inputs.data(), num_inputs_, x.hidden1.data(), batch.frames,
                              dx.hidden1.data());
        hidden2_.run_tangents(machine_, count, dx.hidden1.data(), hidden1_.output_width(), x.hidden2.data(),
                              batch.frames, dx.hidden2.data());
        coefficients_.run_tangents(machine_, count, dx.hidden2.data(), hidden2_.output_width(), x.coefficients.data(),
                                   batch.frames, dx.coefficients.data());
        points_.run_tangents(machine_, count, dx.coefficients.data(), coefficients_.output_width(), x.points.data(),
                             batch.frames, dx.points.data());
        machine_.for_each(count, num_sets_,
                          GlobalTransformTangents{at_, num_controls_, parents_.data(), joints_.data(), num_sets_,
                                                  batch.tangents, batch.frames, dx.transforms.data()});
        machine_.for_each(
            count, num_vertices_,
            BlendTangents{x.points.data(), dx.points.data(), points_.output_width() / 3, x.transforms.data(),
                          dx.transforms.data(), num_sets_, batch.frames, offset_.data(), point_.data(),
                          transform_.data(), weight_.data(), num_vertices_, batch.derivatives});
    }

private:
    void reserve(std::int64_t count, BodyValues& values) const {
        values.inputs.reserve(count * num_inputs_);
        values.hidden1.reserve(count * hidden1_.output_width());
        values.hidden2.reserve(count * hidden2_.output_width());
        values.coefficients.reserve(count * coefficients_.output_width());
        values.points.reserve(count * points_.output_width());
        values.transforms.reserve(count * 12 * num_sets_);
    }

    /// Queues the points in the frames of their bones, and the transforms of the bones.
    void queue_values(const FrameBatch& batch) {
        const std::int64_t count = batch.count;
        const BodyValues& x = values_;
        machine_.for_each(count, num_inputs_,
                          Gather{batch.poses, num_controls_, columns_.data(), num_inputs_, x.inputs.data()});
        hidden1_.run(machine_, count, x.inputs.data(), num_inputs_, x.hidden1.data());
        hidden2_.run(machine_, count, x.hidden1.data(), hidden1_.output_width(), x.hidden2.data());
        coefficients_.run(machine_, count, x.hidden2.data(), hidden2_.output_width(), x.coefficients.data());
        points_.run(machine_, count, x.coefficients.data(), coefficients_.output_width(), x.points.data());
        machine_.for_each(count, num_sets_,
                          GlobalTransforms{batch.poses, num_controls_, parents_.data(), joints_.data(), num_sets_,
                                           x.transforms.data()});
    }

    Machine& machine_;
    std::int64_t num_controls_;
    std::int64_t num_vertices_;
    std::int64_t num_sets_;
    std::int64_t num_inputs_;
    ResidentProduct hidden1_;
    ResidentProduct hidden2_;
    ResidentProduct coefficients_;
    ResidentProduct points_;
    Buffer<std::int32_t> parents_;
    Buffer<std::int32_t> joints_;
    Buffer<std::int32_t> columns_;
    Buffer<std::int32_t> offset_;
    Buffer<std::int32_t> point_;
    Buffer<std::int32_t> transform_;
    Buffer<float> weight_;
    BodyValues values_;          // of the last evaluate or linearize
    BodyValues tangents_;        // of the last push_forward
    const float* at_ = nullptr;  // the poses of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_body_program(Machine& machine, const BodyPlan& plan) {
    return std::make_unique<BodyProgram>(machine, plan);
}

}  // namespace rigcast::cuda
