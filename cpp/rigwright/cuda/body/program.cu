#include "rigwright/cuda/body/program.h"
#include "rigwright/cuda/products/kernels.h"
#include "rigwright/cuda/products/resident_product.h"
#include "rigwright/cuda/products/tangent_kernels.h"

namespace rigwright::cuda {
namespace {

/// Rows of what lies between the kernels, of poses or of their tangents.
struct BodyRows {
    Buffer<float> inputs, hidden1, hidden2, coefficients, points, transforms;
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

    std::int64_t floats_per_pose() const override {
        return num_inputs_ + hidden1_.output_width() + hidden2_.output_width() + coefficients_.output_width() +
               points_.output_width() + 12 * num_sets_;
    }
    std::int64_t floats_per_tangent() const override { return floats_per_pose(); }

    void prepare(const PoseBatch& batch) override { reserve(batch.count, poses_); }

    void evaluate(const PoseBatch& batch) override {
        queue_values(batch);
        machine_.for_each(
            batch.count, num_vertices_,
            Blend{poses_.points.data(), points_.output_width() / 3, poses_.transforms.data(), num_sets_, offset_.data(),
                  point_.data(), transform_.data(), weight_.data(), num_vertices_, batch.vertices});
    }

    void linearize(const PoseBatch& batch) override {
        prepare(batch);
        queue_values(batch);
        at_ = batch.poses;
    }

    void push_forward(const TangentBatch& batch) override {
        const std::int64_t count = batch.count;
        reserve(count, tangents_);
        machine_.for_each(count, num_inputs_,
                          Gather{batch.tangents, num_controls_, columns_.data(), num_inputs_, tangents_.inputs.data()});
        const BodyRows &x = poses_, &dx = tangents_;
        hidden1_.run_tangents(machine_, count, dx.inputs.data(), num_inputs_, x.hidden1.data(), batch.rows,
                              dx.hidden1.data());
        hidden2_.run_tangents(machine_, count, dx.hidden1.data(), hidden1_.output_width(), x.hidden2.data(), batch.rows,
                              dx.hidden2.data());
        coefficients_.run_tangents(machine_, count, dx.hidden2.data(), hidden2_.output_width(), x.coefficients.data(),
                                   batch.rows, dx.coefficients.data());
        points_.run_tangents(machine_, count, dx.coefficients.data(), coefficients_.output_width(), x.points.data(),
                             batch.rows, dx.points.data());
        machine_.for_each(count, num_sets_,
                          GlobalTransformTangents{at_, num_controls_, parents_.data(), joints_.data(), num_sets_,
                                                  batch.tangents, batch.rows, dx.transforms.data()});
        machine_.for_each(
            count, num_vertices_,
            BlendTangents{x.points.data(), dx.points.data(), points_.output_width() / 3, x.transforms.data(),
                          dx.transforms.data(), num_sets_, batch.rows, offset_.data(), point_.data(), transform_.data(),
                          weight_.data(), num_vertices_, batch.derivatives});
    }

private:
    void reserve(std::int64_t count, BodyRows& rows) const {
        rows.inputs.reserve(count * num_inputs_);
        rows.hidden1.reserve(count * hidden1_.output_width());
        rows.hidden2.reserve(count * hidden2_.output_width());
        rows.coefficients.reserve(count * coefficients_.output_width());
        rows.points.reserve(count * points_.output_width());
        rows.transforms.reserve(count * 12 * num_sets_);
    }

    /// Points in the frames of their bones, and the bones.
    void queue_values(const PoseBatch& batch) {
        const std::int64_t count = batch.count;
        const BodyRows& x = poses_;
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
    std::int64_t num_controls_, num_vertices_, num_sets_, num_inputs_;
    ResidentProduct hidden1_, hidden2_, coefficients_, points_;
    Buffer<std::int32_t> parents_, joints_, columns_, offset_, point_, transform_;
    Buffer<float> weight_;
    BodyRows poses_, tangents_;
    const float* at_ = nullptr;  // the poses of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_body_program(Machine& machine, const BodyPlan& plan) {
    return std::make_unique<BodyProgram>(machine, plan);
}

}  // namespace rigwright::cuda
