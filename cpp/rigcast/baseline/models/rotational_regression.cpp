#include "rigcast/baseline/models/rotational_regression.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/overflow.h"
#include "rigcast/rig/skinning/quaternion.h"

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

// Matrices (3, 3), row-major, and vectors (3) in double precision; outputs must not overlap inputs.

/// c = a b, with a transposed if asked for; (3, 3) each.
template <bool TransposeA = false>
void multiply(const double* a, const double* b, double* c) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += a[TransposeA ? 3 * k + i : 3 * i + k] * b[3 * k + j];
            c[3 * i + j] = sum;
        }
    }
}

/// The linear part of a transform (3, 4).
void linear_part(const float* transform, double* out) {
    for (int e = 0; e < 9; ++e) out[e] = transform[4 * (e / 3) + e % 3];
}

/// The rotation vector r (axis times angle, at most pi) of a rotation matrix R (3, 3). Jumps at half turns.
void rotation_vector(const double* rotation, double* r) {
    rig::Quaternion<double> q = rig::from_rotation(rotation);
    if (q.w < 0.0) q = -1.0 * q;
    const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double scale = sine > 1e-12 ? 2.0 * std::atan2(sine, q.w) / sine : 2.0;
    r[0] = scale * q.x;
    r[1] = scale * q.y;
    r[2] = scale * q.z;
}

/// R = exp([r]x) (Rodrigues).
void rotation_matrix(const double* r, double* rotation) {
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double angle = std::sqrt(square);
    const bool small = angle < 1e-4;
    const double a = small ? 1.0 - square / 6.0 : std::sin(angle) / angle;
    const double b = small ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
    const double cross[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double squared = r[i] * r[j] - (i == j ? square : 0.0);  // [r]x [r]x
            rotation[3 * i + j] = (i == j ? 1.0 : 0.0) + a * cross[3 * i + j] + b * squared;
        }
    }
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
        size = split.used();
    }
    float* globals;   // (J, 3, 4)
    float* skinning;  // (J, 3, 4)
    float* theta;     // (J, 3)
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

RotationalRegression::RotationalRegression(std::shared_ptr<const TensorFile> tensors)
    : ForwardOnly(std::move(tensors)) {
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
void RotationalRegression::prepare(std::int64_t frame, const float* pose, const Memory& memory) const {
    const int joints = character().skeleton.num_joints();
    rig::skinning_transforms(character().skeleton, pose, memory.globals, memory.skinning);
    rig::check_overflow("evaluate", frame, memory.skinning, 12 * joints);
    for (int j = 0; j < joints; ++j) {
        double matrix[9], relative[9], theta[3];
        linear_part(pose + 12 * j, matrix);
        const linalg::Polar polar = linalg::polar_decomposition(matrix);
        multiply<true>(rest_rotation_.data() + 9 * j, polar.rotation, relative);
        rotation_vector(relative, theta);
        for (int e = 0; e < 3; ++e) memory.theta[3 * j + e] = static_cast<float>(theta[e]);
    }
    rig::check_overflow("evaluate", frame, memory.theta, 3 * joints);
}

/// y = b + sum_i W_i theta_i.
void RotationalRegression::regress(std::int64_t f, const float* theta, double* y) const {
    for (int row = 0; row < 9; ++row) y[row] = bias_(f, row);
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
    regress(f, memory.theta, result.y);
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

void RotationalRegression::add_anchors(std::int64_t frame, const float* transforms, double* rhs,
                                       std::int64_t stride) const {
    for (std::int64_t a = 0; a < anchor_.extent(0); ++a) {
        float point[3];
        skin_->blend_point(transforms, a, anchor_rest_.data() + 3 * a, point);
        rig::check_overflow("evaluate", frame, point, 3);
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
            prepare(t, poses.row(t), memory);
            add_gradients(memory, rhs, stride);
            add_anchors(t, memory.skinning, rhs, stride);
        },
        [&](std::int64_t t, const double* solution, std::int64_t stride) {
            store(solution, stride, vertices.row(t));
            rig::check_overflow("evaluate", t, vertices.row(t), 3 * vertices.extent(1));
        });
}

}  // namespace rigcast::baseline
