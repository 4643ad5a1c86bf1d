#include <algorithm>
#include <mutex>
#include <string>

#include "core/error.h"
#include "cuda/body_evaluator.h"
#include "cuda/kernels.h"
#include "cuda/machine.h"
#include "cuda/resident_product.h"

namespace rigwright::cuda {

/// The weights, and the workspace of the call that holds the lock.
struct BodyEvaluator::Resident {
    static constexpr std::int64_t most_poses = 65535;  // rows of a grid

    Resident(const BodyPlan& plan, std::int64_t workspace)
        : num_controls(plan.num_controls),
          num_vertices(plan.num_vertices),
          num_joints(plan.joints.size()),
          num_inputs(plan.columns.size()),
          hidden1(machine, plan.hidden1),
          hidden2(machine, plan.hidden2),
          coefficients(machine, plan.coefficients),
          points(machine, plan.points),
          chunk(std::clamp<std::int64_t>(workspace / (4 * floats_a_pose()), 1, most_poses)) {
        upload(plan.parents, parents);
        upload(plan.joints, joints);
        upload(plan.columns, columns);
        upload(plan.offset, offset);
        upload(plan.point, point);
        upload(plan.transform, transform);
        upload(plan.weight, weight);
        machine.synchronize();
    }

    std::int64_t floats_a_pose() const {
        return num_controls + num_inputs + hidden1.output_width() + hidden2.output_width() +
               coefficients.output_width() + points.output_width() + 12 * num_joints + 3 * num_vertices;
    }

    void reserve(std::int64_t poses) {
        pose_rows.reserve(poses * num_controls);
        input_rows.reserve(poses * num_inputs);
        hidden1_rows.reserve(poses * hidden1.output_width());
        hidden2_rows.reserve(poses * hidden2.output_width());
        coefficient_rows.reserve(poses * coefficients.output_width());
        point_rows.reserve(poses * points.output_width());
        transform_rows.reserve(poses * 12 * num_joints);
        vertex_rows.reserve(poses * 3 * num_vertices);
    }

    /// Queues the kernels for `count` poses on the device, from pose_rows to vertex_rows.
    void run(std::int64_t count, const float* poses) {
        machine.for_each(count, num_inputs, Gather{poses, num_controls, columns.data(), num_inputs, input_rows.data()});
        hidden1.run(machine, count, input_rows.data(), num_inputs, hidden1_rows.data());
        hidden2.run(machine, count, hidden1_rows.data(), hidden1.output_width(), hidden2_rows.data());
        coefficients.run(machine, count, hidden2_rows.data(), hidden2.output_width(), coefficient_rows.data());
        points.run(machine, count, coefficient_rows.data(), coefficients.output_width(), point_rows.data());
        machine.for_each(
            count, num_joints,
            GlobalTransforms{poses, num_controls, parents.data(), joints.data(), num_joints, transform_rows.data()});
        machine.for_each(
            count, num_vertices,
            Blend{point_rows.data(), points.output_width() / 3, transform_rows.data(), num_joints, offset.data(),
                  point.data(), transform.data(), weight.data(), num_vertices, vertex_rows.data()});
    }

    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& target) {
        machine.upload(source.data(), static_cast<std::int64_t>(source.size()), target);
    }

    std::mutex turn;
    Machine machine;
    std::int64_t num_controls, num_vertices, num_joints, num_inputs;
    ResidentProduct hidden1, hidden2, coefficients, points;
    std::int64_t chunk;  // poses at a time
    Buffer<std::int32_t> parents, joints, columns, offset, point, transform;
    Buffer<float> weight;
    Buffer<float> pose_rows, input_rows, hidden1_rows, hidden2_rows, coefficient_rows, point_rows, transform_rows,
        vertex_rows;
};

BodyEvaluator::BodyEvaluator(const BodyPlan& plan, std::int64_t workspace) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>(plan, workspace);
}

BodyEvaluator::~BodyEvaluator() = default;

std::int64_t BodyEvaluator::num_controls() const {
    return resident_->num_controls;
}
std::int64_t BodyEvaluator::num_vertices() const {
    return resident_->num_vertices;
}

void BodyEvaluator::evaluate(View<const float, 2> poses, View<float, 3> vertices) {
    Resident& r = *resident_;
    const std::int64_t frames = poses.extent(0);
    if (poses.extent(1) != r.num_controls) {
        throw bad_argument("evaluate", "poses", std::to_string(poses.extent(1)) + " wide",
                           std::to_string(r.num_controls) + " wide");
    }
    if (vertices.extents() != View<float, 3>::Extents{frames, r.num_vertices, 3}) {
        throw bad_argument("evaluate", "out", "of another shape",
                           "(" + std::to_string(frames) + ", " + std::to_string(r.num_vertices) + ", 3)");
    }
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    r.reserve(std::min(frames, r.chunk));
    for (std::int64_t first = 0; first < frames; first += r.chunk) {
        const std::int64_t count = std::min(r.chunk, frames - first);
        r.machine.upload(poses.row(first), count * r.num_controls, r.pose_rows);
        r.run(count, r.pose_rows.data());
        r.machine.download(r.vertex_rows, count * 3 * r.num_vertices, vertices.row(first));
    }
    r.machine.synchronize();
}

std::vector<double> BodyEvaluator::milliseconds(View<const float, 2> poses, std::int64_t batch, int repeats) {
    Resident& r = *resident_;
    if (poses.extent(1) != r.num_controls || batch < 1 || batch > poses.extent(0)) {
        throw bad_argument("milliseconds", "poses", "of another shape",
                           "(T, " + std::to_string(r.num_controls) + "), T at least the batch");
    }
    if (batch > r.chunk) {
        throw bad_argument("milliseconds", "batch", std::to_string(batch),
                           "at most " + std::to_string(r.chunk) + ", what the workspace holds");
    }
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    Buffer<float> all;
    r.machine.upload(poses.data(), poses.size(), all);
    r.reserve(batch);
    const std::int64_t batches = poses.extent(0) / batch;
    std::vector<double> times;
    constexpr int warm_up = 3;
    for (int i = 0; i < repeats + warm_up; ++i) {
        const float* rows = all.data() + i % batches * batch * r.num_controls;
        const double time = r.machine.milliseconds([&] { r.run(batch, rows); });
        if (i >= warm_up) times.push_back(time);
    }
    return times;
}

}  // namespace rigwright::cuda
