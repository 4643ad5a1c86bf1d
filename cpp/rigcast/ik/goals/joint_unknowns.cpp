#include "rigcast/ik/goals/joint_unknowns.h"

#include <algorithm>

#include "rigcast/linalg/polar.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/rotations/rotation_vector.h"

namespace rigcast::ik {

using linalg::Vec3;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr char axis_names[] = "xyz";
/// Entries of rotations that vary by less are constant, and translations by less than this share of the character's
/// size: hosts compose transforms in float32.
constexpr double rotation_noise = 1e-4;
constexpr double translation_noise = 1e-5;

/// out = R X of a 3x3 matrix R and a 3x4 transform X, whose translation is copied.
void turn_joint(const double* r, const float* x, float* out) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += r[3 * row + k] * x[4 * k + column];
            out[4 * row + column] = static_cast<float>(sum);
        }
        out[4 * row + 3] = x[4 * row + 3];
    }
}

/// The rotation vector of the rotation nearest to Y X^-1, for the 3x3 parts of transforms X and Y.
Vec3 turn_between(const float* x, const float* y) {
    float inverse[12];
    rig::invert(x, inverse);
    double relative[9] = {};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            for (int k = 0; k < 3; ++k) relative[3 * row + column] += double{y[4 * row + k]} * inverse[4 * k + column];
        }
    }
    return rig::rotation_vector(linalg::polar_decomposition(relative).rotation);
}

}  // namespace

JointUnknowns::JointUnknowns(const rig::Character& character) : character_(character) {
    const bool trained = character.tensors->metadata().contains("data_hash");
    const int joints = character.skeleton.num_joints();
    const double noise = translation_noise * character_size(character);
    for (int j = 0; j < joints; ++j) add_joint(j, trained);
    for (std::int64_t column = 0; column < character.num_controls(); ++column) {
        const bool translation = column < 12 * joints && column % 4 == 3;
        if (column < 12 * joints && !(translation && trained && varies(column, noise))) continue;
        const std::int64_t joint = column / 12;
        const double low = character.control_ranges(column, 0);
        const double high = character.control_ranges(column, 1);
        const std::string name =
            !translation ? character.control_names[column]
                         : character.skeleton.names()[joint] + ".translation_" + axis_names[column % 12 / 4];
        list_.push_back({name, std::min(low, high), std::max(low, high), high > low ? high - low : 1.0});
        copied_.push_back(static_cast<std::int32_t>(column));
    }
}

bool JointUnknowns::varies(std::int64_t column, double noise) const {
    return character_.control_ranges(column, 1) - character_.control_ranges(column, 0) > noise;
}

void JointUnknowns::add_joint(int joint, bool trained) {
    bool turns = !trained;
    for (int i = 0; i < 12; ++i) turns = turns || (i % 4 != 3 && varies(12 * joint + i, rotation_noise));
    if (!turns) return;
    turned_.push_back(joint);
    for (int axis = 0; axis < 3; ++axis) {
        list_.push_back({character_.skeleton.names()[joint] + ".rotation_" + axis_names[axis], -pi, pi, pi});
    }
}

void JointUnknowns::from_poses(View<const float, 2> poses, View<const float, 2> references,
                               View<double, 2> values) const {
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const float* reference = references.row(references.extent(0) == 1 ? 0 : t);
        double* out = values.row(t);
        for (const std::int32_t joint : turned_) {
            turn_between(reference + 12 * joint, poses.row(t) + 12 * joint).write(out);
            out += 3;
        }
        for (const std::int32_t column : copied_) *out++ = poses(t, column);
    }
}

void JointUnknowns::pose(const double* values, const float* reference, float* pose) const {
    std::copy_n(reference, character_.num_controls(), pose);
    for (std::size_t i = 0; i < turned_.size(); ++i) {
        double rotation[9];
        rig::rotation_of(Vec3::at(values, static_cast<std::int64_t>(i)), rotation);
        turn_joint(rotation, reference + 12 * turned_[i], pose + 12 * turned_[i]);
    }
    for (std::size_t i = 0; i < copied_.size(); ++i) {
        pose[copied_[i]] = static_cast<float>(values[3 * turned_.size() + i]);
    }
}

/// d exp([w]x) X / dw_k = [J(w) e_k]x exp([w]x) X.
void JointUnknowns::linearize(const double* values, const float* pose, rig::PoseDirections* out) const {
    out->joints.clear();
    out->dials.clear();
    std::int32_t unknown = 0;
    for (const std::int32_t joint : turned_) {
        const float* x = pose + 12 * joint;
        double jacobian[9];
        rig::left_jacobian(Vec3::at(values, unknown / 3), jacobian);
        for (int k = 0; k < 3; ++k, ++unknown) {
            const Vec3 axis{jacobian[k], jacobian[3 + k], jacobian[6 + k]};
            rig::JointChange& change = out->joints.emplace_back(rig::JointChange{unknown, joint, {}});
            for (int column = 0; column < 3; ++column) {
                const Vec3 moved = cross(axis, Vec3{x[column], x[4 + column], x[8 + column]});
                for (int row = 0; row < 3; ++row) change.change[4 * row + column] = moved[row];
            }
        }
    }
    const std::int32_t numeric = 12 * character_.skeleton.num_joints();
    for (const std::int32_t column : copied_) {
        if (column >= numeric) {
            out->dials.push_back({unknown++, column});
            continue;
        }
        rig::JointChange& change = out->joints.emplace_back(rig::JointChange{unknown++, column / 12, {}});
        change.change[column % 12] = 1.0;
    }
}

}  // namespace rigcast::ik
