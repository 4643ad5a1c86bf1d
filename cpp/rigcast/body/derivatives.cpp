#include <algorithm>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/core/aligned.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/network/frame_batches.h"

namespace rigcast::body {
namespace {

/// More frames reuse the weights more often, fewer keep the rows of a set cached. Chosen, not tuned.
constexpr int frames_per_task = 8;

/// Working memory of a set's network and its derivative: `num_frames` rows each.
struct TangentTrace {
    static constexpr int num_rows = 8;

    TangentTrace(float* memory, std::int64_t width, int num_frames)
        : x(memory, width),
          hidden1(x.row(num_frames), width),
          hidden2(hidden1.row(num_frames), width),
          coefficients(hidden2.row(num_frames), width),
          x_tangents(coefficients.row(num_frames), width),
          hidden1_tangents(x_tangents.row(num_frames), width),
          hidden2_tangents(hidden1_tangents.row(num_frames), width),
          coefficient_tangents(hidden2_tangents.row(num_frames), width) {}

    Rows<float> x;
    Rows<float> hidden1;
    Rows<float> hidden2;
    Rows<float> coefficients;
    Rows<float> x_tangents;
    Rows<float> hidden1_tangents;
    Rows<float> hidden2_tangents;
    Rows<float> coefficient_tangents;
};

/// More frames reuse the weights more often, fewer keep the rows of a set cached. Chosen, not tuned.
constexpr int frames_per_batch = 8;

/// Working memory of a set's network and its backward pass: `num_frames` rows each.
struct Trace {
    Trace(float* memory, std::int64_t width, int num_frames)
        : x(memory, width),
          hidden1(x.row(num_frames), width),
          hidden2(hidden1.row(num_frames), width),
          coefficients(hidden2.row(num_frames), width),
          coefficient_gradients(coefficients.row(num_frames), width),
          hidden2_gradients(coefficient_gradients.row(num_frames), width),
          hidden1_gradients(hidden2_gradients.row(num_frames), width),
          work(hidden1_gradients.row(num_frames)) {}

    /// Floats of `memory`.
    static std::int64_t size(std::int64_t width, int num_frames) {
        return (7 * num_frames + Patch::vertices_per_tile) * width;
    }

    Rows<float> x;
    Rows<float> hidden1;
    Rows<float> hidden2;
    Rows<float> coefficients;
    Rows<float> coefficient_gradients;
    Rows<float> hidden2_gradients;
    Rows<float> hidden1_gradients;
    float* work;
};

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

void BodyModel::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    parallel_for(poses.extent(0), frames_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        jvp_batch({poses.row(begin), poses.extent(1)}, {tangents.row(begin), tangents.extent(1)},
                  {derivatives.row(begin), 3 * derivatives.extent(1)}, static_cast<int>(end - begin));
    });
}

void BodyModel::jvp_batch(Rows<const float> poses, Rows<const float> tangents, Rows<float> derivatives,
                          int num_frames) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t added_size = Scratch::padded(3 * static_cast<std::size_t>(num_added_));
    const Scratch::Lease<float> memory(num_frames *
                                       (2 * transforms_size + added_size + TangentTrace::num_rows * width_));
    const Rows<float> transforms{memory.data(), transforms_size};
    const Rows<float> transform_tangents{transforms.row(num_frames), transforms_size};
    const Rows<float> added{transform_tangents.row(num_frames), added_size};
    const TangentTrace trace(added.row(num_frames), width_, num_frames);
    const network::DenseKernels& network = network::dense_kernels();

    for (int p = 0; p < num_frames; ++p) {
        skeleton.globals(poses.row(p), transforms.row(p));
        skeleton.globals_jvp(poses.row(p), transforms.row(p), tangents.row(p), transform_tangents.row(p));
    }
    for (const VertexSet& set : sets_) {
        if (set.has_network()) {
            set.gather(poses, trace.x, num_frames);
            set.gather(tangents, trace.x_tangents, num_frames);
            network.dense(set.layer[0], packed_, trace.x, trace.hidden1, num_frames);
            network.dense(set.layer[1], packed_, trace.hidden1, trace.hidden2, num_frames);
            network.dense(set.layer[2], packed_, trace.hidden2, trace.coefficients, num_frames);
            network.dense_jvp(set.layer[0], packed_, trace.hidden1, trace.x_tangents, trace.hidden1_tangents,
                              num_frames);
            network.dense_jvp(set.layer[1], packed_, trace.hidden2, trace.hidden1_tangents, trace.hidden2_tangents,
                              num_frames);
            network.dense_jvp(set.layer[2], packed_, trace.coefficients, trace.hidden2_tangents,
                              trace.coefficient_tangents, num_frames);
        }
        patch_kernels().jvp(set.patch, packed_, trace.coefficients, transforms.from(0, 12 * set.joint),
                            trace.coefficient_tangents, transform_tangents.from(0, 12 * set.joint), derivatives, added,
                            num_frames);
    }
    for (const VertexSet& set : sets_) add_contributions(set.patch, added, derivatives, num_frames);
}

void BodyModel::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                       int threads) const {
    network::for_frame_batches(
        poses.extent(0), frames_per_batch, threads, [&](std::int64_t begin, int count, int inner) {
            vjp_batch({poses.row(begin), poses.extent(1)}, {cotangents.row(begin), 3 * cotangents.extent(1)},
                      {gradients.row(begin), gradients.extent(1)}, count, inner);
        });
}

void BodyModel::vjp_set(const VertexSet& set, Rows<const float> poses, Rows<const float> transforms,
                        Rows<const float> cotangents, Rows<float> results, float* memory, int num_frames) const {
    const Trace trace(memory, width_, num_frames);
    const network::DenseKernels& network = network::dense_kernels();
    if (set.has_network()) {
        set.gather(poses, trace.x, num_frames);
        network.dense(set.layer[0], packed_, trace.x, trace.hidden1, num_frames);
        network.dense(set.layer[1], packed_, trace.hidden1, trace.hidden2, num_frames);
        network.dense(set.layer[2], packed_, trace.hidden2, trace.coefficients, num_frames);
    }
    patch_kernels().vjp(set.patch, packed_, trace.coefficients, transforms.from(0, 12 * set.joint), cotangents,
                        trace.coefficient_gradients, results, trace.work, num_frames);
    if (set.has_network()) {
        network.dense_vjp(set.layer[2], packed_, trace.coefficients, trace.coefficient_gradients,
                          trace.hidden2_gradients, num_frames);
        network.dense_vjp(set.layer[1], packed_, trace.hidden2, trace.hidden2_gradients, trace.hidden1_gradients,
                          num_frames);
        network.dense_vjp(set.layer[0], packed_, trace.hidden1, trace.hidden1_gradients,
                          results.from(0, VertexSet::transform_size), num_frames);
    }
}

void BodyModel::vjp_batch(Rows<const float> poses, Rows<const float> cotangents, Rows<float> gradients, int num_frames,
                          int threads) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t num_sets = static_cast<std::int64_t>(sets_.size());
    const std::int64_t trace_size = Trace::size(width_, num_frames);
    const Scratch::Lease<float> memory(num_frames * (2 * transforms_size + num_results_) +
                                       trace_size * (threads > 1 ? num_sets : 1));
    const Rows<float> transforms{memory.data(), transforms_size};
    const Rows<float> transform_gradients{transforms.row(num_frames), transforms_size};
    const Rows<float> results{transform_gradients.row(num_frames), num_results_};
    float* traces = results.row(num_frames);

    for (int p = 0; p < num_frames; ++p) skeleton.globals(poses.row(p), transforms.row(p));
    parallel_for(num_sets, 1, threads, [&](std::int64_t i, std::int64_t) {
        vjp_set(sets_[i], poses, transforms, cotangents, results.from(0, sets_[i].results_begin),
                traces + (threads > 1 ? i * trace_size : 0), num_frames);
    });
    for (int p = 0; p < num_frames; ++p) {
        std::fill_n(gradients.row(p), character().num_controls(), 0.0f);
        std::fill_n(transform_gradients.row(p), transforms_size, 0.0f);
        for (const VertexSet& set : sets_) {
            const float* result = results.row(p) + set.results_begin;
            for (int e = 0; e < 12; ++e) transform_gradients.row(p)[12 * set.joint + e] += result[e];
            result += VertexSet::transform_size;
            for (const std::int32_t column : set.column) gradients.row(p)[column] += *result++;
        }
        skeleton.globals_vjp(poses.row(p), transforms.row(p), transform_gradients.row(p), gradients.row(p));
    }
}

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
