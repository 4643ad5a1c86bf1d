#include "rigcast/ik/goals/goal_residuals.h"

#include <algorithm>
#include <cmath>

#include "rigcast/linalg/gram_kernels.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/rig/rotations/rotation_vector.h"

namespace rigcast::ik {

using linalg::Vec3;

namespace {

/// The rotation nearest to the 3x3 part of a transform.
linalg::Polar rotation_part(const float* transform) {
    double linear[9];
    for (int i = 0; i < 9; ++i) linear[i] = transform[i / 3 * 4 + i % 3];
    return linalg::polar_decomposition(linear);
}

/// Two unit vectors across a direction and across each other, (2, 3).
void across(const Vec3& direction, double* out) {
    int least = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (std::abs(direction[axis]) < std::abs(direction[least])) least = axis;
    }
    Vec3 helper{0.0, 0.0, 0.0};
    helper[least] = 1.0;
    const Vec3 first = cross(direction, helper);
    const Vec3 second = cross(direction, first);
    ((1.0 / length(first)) * first).write(out);
    ((1.0 / length(second)) * second).write(out + 3);
}

/// R_target^T R as a rotation vector.
Vec3 turned(const double* target, const double* rotation) {
    double relative[9];
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += target[3 * k + row] * rotation[3 * k + column];
            relative[3 * row + column] = sum;
        }
    }
    return rig::rotation_vector(relative);
}

/// out = P d L for the 3x3 parts of float transforms P (null: identity) and change d (3, 4), and a matrix L (3, 3).
void conjugate(const float* parent, const double* change, const double* local, double* out) {
    double inner[9];
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += change[4 * row + k] * local[3 * k + column];
            inner[3 * row + column] = sum;
        }
    }
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += (parent ? parent[4 * row + k] : row == k) * inner[3 * k + column];
            out[3 * row + column] = sum;
        }
    }
}

constexpr double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

}  // namespace

GoalResiduals::GoalResiduals(const rig::Deformer& model, const rig::Linearizer& linearizer, const Unknowns& unknowns,
                             View<const Goal, 1> goals, double lever)
    : model_(model), unknowns_(unknowns), goals_(goals), lever_(lever), skin_(linearizer.start()) {
    const rig::Character& character = model.character();
    for (const Goal& goal : goals) {
        num_rows_ += goal.num_rows();
        (goal.kind == GoalKind::orientation ? needs_globals_ : needs_skin_) = true;
    }
    pose_.resize(static_cast<std::size_t>(character.num_controls()));
    vertices_.resize(static_cast<std::size_t>(3 * character.num_vertices()));
    skin_jacobian_.resize(vertices_.size() * static_cast<std::size_t>(unknowns.size()));
    globals_.resize(static_cast<std::size_t>(12 * character.skeleton.num_joints()));
    constraint_.resize(static_cast<std::size_t>(num_rows_));
    shifts_.resize(constraint_.size());
}

void GoalResiduals::start(const double* values, const float* reference) {
    values_ = values;
    reference_ = reference;
    point_.clear();
    std::fill(shifts_.begin(), shifts_.end(), 0.0);
}

bool GoalResiduals::has_hard() const {
    return std::any_of(goals_.begin(), goals_.end(), [](const Goal& goal) { return goal.hard && goal.weight > 0.0; });
}

Vec3 GoalResiduals::position(const SkinPoint& point) const {
    Vec3 sum{0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) sum = sum + point.weights[i] * Vec3::at(vertices_.data(), point.vertices[i]);
    return sum;
}

double GoalResiduals::factor(const Goal& goal) const {
    return std::sqrt(goal.weight * (goal.hard ? penalty_ : 1.0));
}

void GoalResiduals::residual(std::int64_t i, double* c) const {
    const Goal& goal = goals_(i);
    const double* values = values_ + i * values_per_goal;
    switch (goal.kind) {
        case GoalKind::point:
            (position(goal.points[0]) - Vec3::at(values)).write(c);
            return;
        case GoalKind::ray: {
            double directions[6];
            across(Vec3::at(values, 1), directions);
            const Vec3 offset = position(goal.points[0]) - Vec3::at(values);
            for (int row = 0; row < 2; ++row) c[row] = dot(offset, Vec3::at(directions, row));
            return;
        }
        case GoalKind::distance:
            c[0] = length(position(goal.points[0]) - position(goal.points[1])) - values[0];
            return;
        case GoalKind::orientation:
            (lever_ * turned(values, rotation_part(globals_.data() + 12 * goal.joint).rotation)).write(c);
            return;
    }
}

/// Evaluates the model, unless it stands there.
void GoalResiduals::move_to(const double* x) {
    if (!point_.empty() && std::equal(point_.begin(), point_.end(), x)) return;
    point_.clear();
    unknowns_.pose(x, reference_, pose_.data());
    if (needs_skin_) skin_->evaluate(pose_.data(), vertices_.data());
    if (needs_globals_) model_.character().skeleton.globals(pose_.data(), globals_.data());
    point_.assign(x, x + unknowns_.size());
}

void GoalResiduals::evaluate(const double* x, double* residuals) {
    move_to(x);
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < goals_.extent(0); ++i) {
        residual(i, constraint_.data() + row);
        for (const std::int64_t end = row + goals_(i).num_rows(); row < end; ++row) {
            residuals[row] = factor(goals_(i)) * (constraint_[row] + shifts_[row]);
        }
    }
}

void GoalResiduals::linearize(const double* x, std::vector<double>* jacobian) {
    const std::int64_t n = unknowns_.size();
    unknowns_.linearize(x, pose_.data(), &directions_);
    if (needs_skin_) skin_->differentiate(directions_, n, skin_jacobian_.data());
    jacobian->assign(static_cast<std::size_t>(num_rows_ * n), 0.0);
    double* rows = jacobian->data();
    for (std::int64_t i = 0; i < goals_.extent(0); ++i) {
        const Goal& goal = goals_(i);
        const double* values = values_ + i * values_per_goal;
        double directions[6];
        if (goal.kind == GoalKind::point) {
            add_point_rows(goal.points[0], identity, 3, factor(goal), rows);
        } else if (goal.kind == GoalKind::ray) {
            across(Vec3::at(values, 1), directions);
            add_point_rows(goal.points[0], directions, 2, factor(goal), rows);
        } else if (goal.kind == GoalKind::distance) {
            const Vec3 apart = position(goal.points[0]) - position(goal.points[1]);
            const double size = length(apart);
            ((size > 0.0 ? 1.0 / size : 0.0) * apart).write(directions);
            add_point_rows(goal.points[0], directions, 1, factor(goal), rows);
            add_point_rows(goal.points[1], directions, 1, -factor(goal), rows);
        } else {
            add_orientation_rows(goal, values, factor(goal), rows);
        }
        rows += goal.num_rows() * n;
    }
}

/// Adds factor times the derivative of a skin point along directions (count, 3).
void GoalResiduals::add_point_rows(const SkinPoint& point, const double* directions, int count, double factor,
                                   double* rows) const {
    const std::int64_t n = unknowns_.size();
    for (int row = 0; row < count; ++row) {
        for (int i = 0; i < 3; ++i) {
            if (point.weights[i] == 0.0) continue;
            for (int axis = 0; axis < 3; ++axis) {
                const double scale = factor * point.weights[i] * directions[3 * row + axis];
                if (scale == 0.0) continue;
                linalg::gram_kernels().add_scaled(
                    scale, skin_jacobian_.data() + (3 * std::int64_t{point.vertices[i]} + axis) * n, rows + row * n, n);
            }
        }
    }
}

/// G = P X L, where X is the transform of an ancestor in the pose, P what is above it and L what is below it.
void GoalResiduals::add_orientation_rows(const Goal& goal, const double* target, double factor, double* rows) const {
    const rig::Skeleton& skeleton = model_.character().skeleton;
    const std::int64_t n = unknowns_.size();
    const linalg::Polar polar = rotation_part(globals_.data() + 12 * goal.joint);
    double to_vector[9];
    rig::inverse_right_jacobian(turned(target, polar.rotation), to_vector);
    double local[9];
    std::copy_n(identity, 9, local);
    for (std::int32_t j = goal.joint; j >= 0; j = skeleton.parents()[j]) {
        const float* parent = skeleton.parents()[j] < 0 ? nullptr : globals_.data() + 12 * skeleton.parents()[j];
        for (const rig::JointChange& change : directions_.joints) {
            if (change.joint != j) continue;
            double derivative[9], stretch[9], omega[3];
            conjugate(parent, change.change, local, derivative);
            linalg::polar_jvp(polar, derivative, stretch, omega);
            for (int row = 0; row < 3; ++row) {
                rows[row * n + change.direction] += factor * lever_ * dot(Vec3::at(to_vector, row), Vec3::at(omega));
            }
        }
        double below[9];
        double transform[12];
        std::copy_n(pose_.data() + 12 * j, 12, transform);
        conjugate(nullptr, transform, local, below);
        std::copy_n(below, 9, local);
    }
}

void GoalResiduals::shift() {
    std::int64_t row = 0;
    for (const Goal& goal : goals_) {
        for (const std::int64_t end = row + goal.num_rows(); row < end; ++row) {
            if (goal.hard) shifts_[row] += constraint_[row];
        }
    }
}

void GoalResiduals::scale_shifts(double factor) {
    for (double& shift : shifts_) shift *= factor;
}

double GoalResiduals::hard_error() const {
    double worst = 0.0;
    std::int64_t row = 0;
    for (const Goal& goal : goals_) {
        double squared = 0.0;
        for (const std::int64_t end = row + goal.num_rows(); row < end; ++row)
            squared += constraint_[row] * constraint_[row];
        if (goal.hard && goal.weight > 0.0) worst = std::max(worst, std::sqrt(squared));
    }
    return worst;
}

void GoalResiduals::errors(double* out) const {
    const double* c = constraint_.data();
    for (const Goal& goal : goals_) {
        double squared = 0.0;
        for (int row = 0; row < goal.num_rows(); ++row) squared += c[row] * c[row];
        *out++ = std::sqrt(squared) / (goal.kind == GoalKind::orientation ? lever_ : 1.0);
        c += goal.num_rows();
    }
}

}  // namespace rigcast::ik
