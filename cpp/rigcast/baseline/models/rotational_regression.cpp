#include "rigcast/baseline/models/rotational_regression.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rigcast/baseline/models/matrix3.h"
#include "rigcast/baseline/models/rotation_vector.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/restricted.h"

namespace rigcast::baseline {
namespace {

constexpr std::int64_t frames_per_batch = 16;                   // 48 right-hand sides; chosen, not tuned
constexpr int place[3][3] = {{3, 4, 5}, {4, 6, 7}, {5, 7, 8}};  // of S in y

void check_indices(const char* name, View<const std::int32_t, 1> values, std::int64_t least, std::int64_t limit) {
    for (const std::int32_t value : values) {
        if (value < least || value >= limit) {
            throw bad_argument("load", name, "holding " + std::to_string(value),
                               "indices from " + std::to_string(least) + " to below " + std::to_string(limit));
        }
    }
}

template <int Rank>
View<const std::int32_t, 1> flat(View<const std::int32_t, Rank> values) {
    return {values.data(), {static_cast<std::int64_t>(values.size())}};
}

/// Runs body(t, column) for the frames of a batch in parallel, `column` a frame's first right-hand side in zeros
/// (S, 3 frames), then solves, then calls then(t, column) in the same way.
template <class Body, class Then>
void for_solved_batches(const GradientSolve& solve, std::int64_t num_frames, int threads, const Body& body,
                        const Then& then) {
    for (std::int64_t first = 0; first < num_frames; first += frames_per_batch) {
        const std::int64_t frames = std::min(frames_per_batch, num_frames - first);
        const std::int64_t stride = 3 * frames;
        const Scratch::Lease<double> rhs(static_cast<std::size_t>(solve.num_vertices() * stride));
        std::fill_n(rhs.data(), solve.num_vertices() * stride, 0.0);
        const auto each = [&](const auto& work) {
            parallel_for(frames, 1, threads, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t t = begin; t < end; ++t) work(first + t, rhs.data() + 3 * t, stride);
            });
        };
        each(body);
        solve.solve({rhs.data(), {solve.num_vertices(), stride}}, threads);
        each(then);
    }
}

}  // namespace

/// The arrays of one pose.
struct RotationalRegression::Memory {
    Memory(float* memory, const RotationalRegression& model) {
        const std::size_t joints = model.character().skeleton.num_joints();
        network::SplitMemory split(memory);
        globals = split.take(12 * joints);
        skinning = split.take(12 * joints);
        theta = split.take(3 * joints);
        globals_change = split.take(12 * joints);
        skinning_change = split.take(12 * joints);
        theta_change = split.take(3 * joints);
        anchors = split.take(model.anchor_rest_.size());
        size = split.used();
    }
    float* globals;          // (J, 3, 4)
    float* skinning;         // (J, 3, 4)
    float* theta;            // (J, 3)
    float* globals_change;   // derivative
    float* skinning_change;  // derivative or gradient
    float* theta_change;     // derivative or gradient
    float* anchors;          // (A, 3) gradient
    std::size_t size;
};

/// D = A Q S of a triangle and its parts.
struct RotationalRegression::Local {
    double y[9];
    double bone[9];      // A
    double rotation[9];  // Q = exp([r]x)
    double stretch[9];   // S
    double local[9];     // Q S
};

RotationalRegression::RotationalRegression(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {
    const TensorFile& file = *character().tensors;
    const rig::Skeleton& skeleton = character().skeleton;
    const auto rest = file.get<float, 2>("rotation.rest", {-1, 3});
    output_ = file.get<std::int32_t, 1>("rotation.output", {character().num_vertices()});
    faces_ = file.get<std::int32_t, 2>("rotation.faces", {-1, 3});
    bone_ = file.get<std::int32_t, 1>("rotation.bone", {faces_.extent(0)});
    joint_ = file.get<std::int32_t, 2>("rotation.joint", {faces_.extent(0), -1});
    weight_ = file.get<float, 3>("rotation.weight", {faces_.extent(0), joint_.extent(1), 27});
    bias_ = file.get<float, 2>("rotation.bias", {faces_.extent(0), 9});
    anchor_ = file.get<std::int32_t, 1>("rotation.anchor");
    check_indices("rotation.output", output_, 0, rest.extent(0));
    check_indices("rotation.faces", flat(faces_), 0, rest.extent(0));
    check_indices("rotation.bone", bone_, 0, skeleton.num_joints());
    check_indices("rotation.joint", flat(joint_), -1, skeleton.num_joints());
    check_indices("rotation.anchor", anchor_, 0, rest.extent(0));
    skin_.emplace(file, anchor_.extent(0), skeleton.num_joints());
    for (const std::int32_t a : anchor_) anchor_rest_.insert(anchor_rest_.end(), rest.row(a), rest.row(a + 1));
    solve_.emplace(rest, faces_, anchor_, "load", "rotation.anchor");
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        double matrix[9];
        linear_part(skeleton.rest().row(j), matrix);
        const linalg::Polar polar = linalg::polar_decomposition(matrix);
        rest_rotation_.insert(rest_rotation_.end(), polar.rotation, polar.rotation + 9);
    }
}

std::size_t RotationalRegression::memory_size() const {
    return Memory(nullptr, *this).size;
}

/// Computes transforms and rotation vectors of the joints.
void RotationalRegression::prepare(const char* function, std::int64_t frame, const float* pose,
                                   const Memory& memory) const {
    const int joints = character().skeleton.num_joints();
    rig::skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    rig::check_overflow(function, frame, memory.skinning, 12 * joints);
    for (int j = 0; j < joints; ++j) {
        double matrix[9], relative[9], theta[3];
        linear_part(pose + 12 * j, matrix);
        const linalg::Polar polar = linalg::polar_decomposition(matrix);
        multiply<true>(rest_rotation_.data() + 9 * j, polar.rotation, relative);
        rotation_vector(relative, theta);
        for (int e = 0; e < 3; ++e) memory.theta[3 * j + e] = static_cast<float>(theta[e]);
    }
    rig::check_overflow(function, frame, memory.theta, 3 * joints);
}

/// y = b + sum_i W_i theta_i; without a bias if that is null: the derivative.
void RotationalRegression::regress(std::int64_t f, const float* theta, const float* bias, double* y) const {
    for (int row = 0; row < 9; ++row) y[row] = bias == nullptr ? 0.0 : bias[row];
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        if (joint_(f, i) < 0) continue;
        const float* t = theta + 3 * joint_(f, i);
        const float* w = &weight_(f, i, 0);
        for (int row = 0; row < 9; ++row) {
            for (int e = 0; e < 3; ++e) y[row] += static_cast<double>(w[3 * row + e]) * t[e];
        }
    }
}

RotationalRegression::Local RotationalRegression::local(std::int64_t f, const Memory& memory) const {
    Local result;
    regress(f, memory.theta, bias_.row(f), result.y);
    linear_part(memory.skinning + 12 * bone_(f), result.bone);
    rotation_matrix(result.y, result.rotation);
    for (int e = 0; e < 9; ++e) result.stretch[e] = result.y[place[e / 3][e % 3]];
    multiply(result.rotation, result.stretch, result.local);
    return result;
}

void RotationalRegression::add_gradients(const Memory& memory, double* rhs, std::int64_t stride) const {
    for (std::int64_t f = 0; f < faces_.extent(0); ++f) {
        const Local state = local(f, memory);
        double gradient[9];
        multiply(state.bone, state.local, gradient);
        solve_->add(f, gradient, rhs, stride);
    }
}

void RotationalRegression::add_anchors(const char* function, std::int64_t frame, const float* transforms, double* rhs,
                                       std::int64_t stride) const {
    for (std::int64_t a = 0; a < anchor_.extent(0); ++a) {
        float point[3];
        skin_->blend_point(transforms, a, anchor_rest_.data() + 3 * a, point);
        rig::check_overflow(function, frame, point, 3);
        for (int e = 0; e < 3; ++e) rhs[stride * anchor_(a) + e] += point[e];
    }
}

void RotationalRegression::store(const double* solution, std::int64_t stride, float* vertices) const {
    for (std::int64_t k = 0; k < output_.extent(0); ++k) {
        const double* v = solution + stride * output_(k);
        for (int e = 0; e < 3; ++e) vertices[3 * k + e] = static_cast<float>(v[e]);
    }
}

void RotationalRegression::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    for_solved_batches(
        *solve_, poses.extent(0), threads,
        [&](std::int64_t t, double* rhs, std::int64_t stride) {
            const Scratch::Lease<float> lease(memory_size());
            const Memory memory(lease.data(), *this);
            prepare("evaluate", t, poses.row(t), memory);
            add_gradients(memory, rhs, stride);
            add_anchors("evaluate", t, memory.skinning, rhs, stride);
        },
        [&](std::int64_t t, const double* solution, std::int64_t stride) {
            store(solution, stride, vertices.row(t));
            rig::check_overflow("evaluate", t, vertices.row(t), 3 * vertices.extent(1));
        });
}

/// Computes the derivatives of transforms and rotation vectors.
void RotationalRegression::joint_tangents(const float* pose, const float* tangent, const Memory& memory) const {
    rig::skinning_jvp(character().skeleton, pose, memory.globals, tangent, memory.globals_change,
                      memory.skinning_change);
    for (int j = 0; j < character().skeleton.num_joints(); ++j) {
        double matrix[9], change[9], stretch[9], omega[3], jacobian[9], result[3];
        linear_part(pose + 12 * j, matrix);
        linear_part(tangent + 12 * j, change);
        linalg::polar_jvp(linalg::polar_decomposition(matrix), change, stretch, omega);
        const double theta[3] = {memory.theta[3 * j], memory.theta[3 * j + 1], memory.theta[3 * j + 2]};
        logarithm_jacobian(theta, jacobian);
        apply(jacobian, omega, result);
        for (int e = 0; e < 3; ++e) memory.theta_change[3 * j + e] = static_cast<float>(result[e]);
    }
}

/// dD = dA Q S + A Q ([w]x S + dS), dQ = Q [w]x.
void RotationalRegression::add_gradient_changes(const Memory& memory, double* rhs, std::int64_t stride) const {
    for (std::int64_t f = 0; f < faces_.extent(0); ++f) {
        const Local state = local(f, memory);
        double change[9], jacobian[9], omega[3], cross[9], inner[9], outer[9], first[9], bone[9], second[9];
        regress(f, memory.theta_change, nullptr, change);
        exponential_jacobian(state.y, jacobian);
        apply(jacobian, change, omega);
        cross_matrix(omega, cross);
        multiply(cross, state.stretch, inner);
        for (int e = 0; e < 9; ++e) inner[e] += change[place[e / 3][e % 3]];
        multiply(state.rotation, inner, outer);
        multiply(state.bone, outer, first);
        linear_part(memory.skinning_change + 12 * bone_(f), bone);
        multiply(bone, state.local, second);
        for (int e = 0; e < 9; ++e) first[e] += second[e];
        solve_->add(f, first, rhs, stride);
    }
}

void RotationalRegression::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                                  int threads) const {
    for_solved_batches(
        *solve_, poses.extent(0), threads,
        [&](std::int64_t t, double* rhs, std::int64_t stride) {
            const Scratch::Lease<float> lease(memory_size());
            const Memory memory(lease.data(), *this);
            prepare("jvp", t, poses.row(t), memory);
            joint_tangents(poses.row(t), tangents.row(t), memory);
            rig::check_overflow("jvp", t, memory.skinning_change, 12 * character().skeleton.num_joints());
            rig::check_overflow("jvp", t, memory.theta_change, 3 * character().skeleton.num_joints());
            add_gradient_changes(memory, rhs, stride);
            add_anchors("jvp", t, memory.skinning_change, rhs, stride);
        },
        [&](std::int64_t t, const double* solution, std::int64_t stride) {
            store(solution, stride, derivatives.row(t));
        });
}

/// Adds the gradients with respect to transforms and rotation vectors, given that with respect to D of a triangle.
void RotationalRegression::pull_back(std::int64_t f, const Memory& memory, const double* gradient) const {
    const Local state = local(f, memory);
    double bone[9], local[9], stretch[9], rotation[9], turned[9], jacobian[9], y[9] = {};
    multiply<false, true>(gradient, state.local, bone);
    float* transform = memory.skinning_change + 12 * bone_(f);
    for (int e = 0; e < 9; ++e) transform[4 * (e / 3) + e % 3] += static_cast<float>(bone[e]);
    multiply<true>(state.bone, gradient, local);
    multiply<true>(state.rotation, local, stretch);
    for (int e = 0; e < 9; ++e) y[place[e / 3][e % 3]] += stretch[e];
    multiply(local, state.stretch, rotation);  // S is symmetric
    multiply<true>(state.rotation, rotation, turned);
    const double omega[3] = {turned[7] - turned[5], turned[2] - turned[6], turned[3] - turned[1]};
    exponential_jacobian(state.y, jacobian);
    apply_transposed(jacobian, omega, y);
    for (std::int64_t i = 0; i < joint_.extent(1); ++i) {
        if (joint_(f, i) < 0) continue;
        const float* w = &weight_(f, i, 0);
        for (int e = 0; e < 3; ++e) {
            double sum = 0.0;
            for (int row = 0; row < 9; ++row) sum += w[3 * row + e] * y[row];
            memory.theta_change[3 * joint_(f, i) + e] += static_cast<float>(sum);
        }
    }
}

/// From the gradients with respect to transforms and rotation vectors to that of the pose.
void RotationalRegression::joint_gradients(const float* pose, const Memory& memory, float* pose_gradient) const {
    rig::skinning_vjp(character().skeleton, pose, memory.globals, memory.skinning_change, character().num_controls(),
                      pose_gradient);
    for (int j = 0; j < character().skeleton.num_joints(); ++j) {
        double matrix[9], jacobian[9], omega[3], zeros[9] = {}, result[9] = {};
        linear_part(pose + 12 * j, matrix);
        const double theta[3] = {memory.theta[3 * j], memory.theta[3 * j + 1], memory.theta[3 * j + 2]};
        const double gradient[3] = {memory.theta_change[3 * j], memory.theta_change[3 * j + 1],
                                    memory.theta_change[3 * j + 2]};
        logarithm_jacobian(theta, jacobian);
        apply_transposed(jacobian, gradient, omega);
        linalg::polar_vjp(linalg::polar_decomposition(matrix), zeros, omega, result);
        for (int e = 0; e < 9; ++e) pose_gradient[12 * j + 4 * (e / 3) + e % 3] += static_cast<float>(result[e]);
    }
}

void RotationalRegression::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                                  int threads) const {
    for_solved_batches(
        *solve_, poses.extent(0), threads,
        [&](std::int64_t t, double* rhs, std::int64_t stride) {
            for (std::int64_t k = 0; k < output_.extent(0); ++k) {
                for (int e = 0; e < 3; ++e) rhs[stride * output_(k) + e] += cotangents(t, k, e);
            }
        },
        [&](std::int64_t t, const double* solution, std::int64_t stride) {
            const Scratch::Lease<float> lease(memory_size());
            const Memory memory(lease.data(), *this);
            const std::int64_t joints = character().skeleton.num_joints();
            prepare("vjp", t, poses.row(t), memory);
            std::fill_n(memory.skinning_change, 12 * joints, 0.0f);
            std::fill_n(memory.theta_change, 3 * joints, 0.0f);
            for (std::int64_t f = 0; f < faces_.extent(0); ++f) {
                double gradient[9];
                solve_->gather(f, solution, stride, gradient);
                pull_back(f, memory, gradient);
            }
            for (std::int64_t a = 0; a < anchor_.extent(0); ++a) {
                const double* v = solution + stride * anchor_(a);
                for (int e = 0; e < 3; ++e) memory.anchors[3 * a + e] = static_cast<float>(v[e]);
            }
            skin_->blend_vjp(anchor_rest_.data(), memory.anchors, memory.skinning_change);
            joint_gradients(poses.row(t), memory, gradients.row(t));
        });
}

std::shared_ptr<rig::Deformer> RotationalRegression::do_restricted(View<const std::int32_t, 1> vertices) const {
    auto tensors = std::make_shared<TensorFile>(rig::restricted_tensors(character(), vertices, {"rotation.output"}));
    std::vector<std::int32_t> output;
    for (const std::int32_t v : vertices) output.push_back(output_(v));
    tensors->add("rotation.output", {vertices.extent(0)}, output.data());
    return std::make_shared<RotationalRegression>(std::move(tensors));
}

}  // namespace rigcast::baseline
