#pragma once
#include <memory>
#include <vector>

#include "rigcast/ik/goals/goal.h"
#include "rigcast/ik/goals/unknowns.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/optimize/box/box_least_squares.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/derivatives/linearizer.h"

namespace rigcast::ik {

/// The residuals of a frame's goals:
///
///   point        p(x) - target                                        (3)
///   ray          (p(x) - origin) along two directions across the ray  (2)
///   orientation  lever * rotation vector of R_target^T R(x)           (3)
///   distance     |p(x) - q(x)| - length                               (1)
///
/// each times sqrt(weight). R(x) is the rotation of the joint's global transform nearest to it. A hard goal's residual
/// is sqrt(penalty) (c + shift), with c as above and the penalty and shifts of its augmented Lagrangian.
/// Not thread-safe: one per thread.
class GoalResiduals final : public optimize::Residuals {
public:
    /// All must outlive this object. `lever` is the length that a radian counts as.
    GoalResiduals(const rig::Deformer& model, const rig::Linearizer& linearizer, const Unknowns& unknowns,
                  View<const Goal, 1> goals, double lever);

    /// Begins a frame: its values (M, values_per_goal) and reference pose (C). Shifts are 0.
    void start(const double* values, const float* reference);
    /// The factor of the squared hard residuals.
    void set_penalty(double penalty) { penalty_ = penalty; }
    /// Adds the hard goals' residuals at the last point to their shifts. Requires: the penalty stays.
    void shift();
    /// Multiplies the shifts: needed when the penalty changes.
    void scale_shifts(double factor);
    /// The largest error of a hard goal at the last point, as a length.
    double hard_error() const;
    bool has_hard() const;
    /// Writes the errors (M) at the last point: lengths, and radians of orientations.
    void errors(double* out) const;

    std::int64_t num_rows() const override { return num_rows_; }
    void evaluate(const double* x, double* residuals) override;
    void linearize(const double* x, std::vector<double>* jacobian) override;

private:
    linalg::Vec3 position(const SkinPoint& point) const;
    void move_to(const double* x);
    void residual(std::int64_t goal, double* c) const;
    double factor(const Goal& goal) const;
    void add_point_rows(const SkinPoint& point, const double* directions, int count, double factor, double* rows) const;
    void add_orientation_rows(const Goal& goal, const double* target, double factor, double* rows) const;

    const rig::Deformer& model_;
    const Unknowns& unknowns_;
    View<const Goal, 1> goals_;
    double lever_;
    std::int64_t num_rows_ = 0;
    double penalty_ = 1.0;
    const double* values_ = nullptr;
    const float* reference_ = nullptr;
    std::unique_ptr<rig::Linearization> skin_;
    std::vector<double> point_;  // (N) the last one; empty: none
    std::vector<float> pose_;    // (C) at it
    rig::PoseDirections directions_;
    std::vector<float> vertices_;        // (V, 3) at the last point
    std::vector<float> globals_;         // (J, 12)
    std::vector<double> constraint_;     // (R) c at the last point
    std::vector<double> shifts_;         // (R)
    std::vector<double> skin_jacobian_;  // (3 V, N)
    bool needs_skin_ = false;
    bool needs_globals_ = false;
};

}  // namespace rigcast::ik
