#pragma once
#include <memory>
#include <vector>

#include "rigcast/ik/goals/goal.h"
#include "rigcast/ik/goals/unknowns.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/derivatives/linearizer.h"

namespace rigcast::ik {

/// T frames to solve. Rows marked (S, ...) are one for all frames (S = 1) or one per frame (S = T).
struct PoseTask {
    View<const Goal, 1> goals;          // (M)
    View<const double, 3> values;       // (T, M, values_per_goal)
    View<const float, 2> references;    // (1, C) or (S, C) poses that unknowns are relative to
    View<const double, 2> starts;       // (S, N)
    View<const double, 2> preferred;    // (S, N)
    View<const double, 2> bounds;       // (N, 2); (0, 2): the model's own, widened up to the start
    double preference = 1e-3;           // see PoseSolver::solve
    double tolerance = 1e-6;            // of the objective's square root, relative to the character's size
    std::int64_t max_iterations = 100;  // per frame
};

struct PoseResult {
    View<float, 2> poses;              // (T, C)
    View<double, 2> unknowns;          // (T, N)
    View<double, 2> errors;            // (T, M) lengths; radians of orientations
    View<double, 1> objective;         // (T)
    View<std::int64_t, 1> iterations;  // (T)
    View<bool, 1> converged;           // (T)
    View<std::int8_t, 2> at_bound;     // (T, N) -1 at the lowest value, 1 at the highest, else 0
};

/// Inverse kinematics by damped least squares: unknowns of any forward model from targets for its skin and joints.
/// Immutable and thread-safe.
///
/// Example: vertex 7 at a place, in one frame, from the pose `rest` (C).
/// ```cpp
/// const auto model = make_model(std::make_shared<const TensorFile>(TensorFile::read("hero.safetensors")));
/// const ik::PoseSolver solver(model, ik::character_size(model->character()));
/// const std::int64_t columns = model->character().num_controls(), n = solver.unknowns().size();
/// const ik::Goal goal{.points = {{{.vertices = {7, 7, 7}}}}};
/// const std::vector<double> place{0.1, 1.2, 0.3, 0, 0, 0, 0, 0, 0};
/// std::vector<float> rest(columns), pose(columns);
/// std::vector<double> start(n), found(n), error(1), objective(1);
/// solver.unknowns().from_poses({rest.data(), {1, columns}}, {rest.data(), {1, columns}}, {start.data(), {1, n}});
/// std::vector<std::int8_t> at_bound(n);
/// std::int64_t iterations = 0;
/// bool converged = false;
/// const View<const double, 2> from{start.data(), {1, n}};
/// solver.solve({{&goal, {1}}, {place.data(), {1, 1, 9}}, {rest.data(), {1, columns}}, from, from, {nullptr, {0, 2}}},
///              {{pose.data(), {1, columns}}, {found.data(), {1, n}}, {error.data(), {1, 1}}, {objective.data(), {1}},
///               {&iterations, {1}}, {&converged, {1}}, {at_bound.data(), {1, n}}},
///              0);
/// ```
class PoseSolver {
public:
    /// What a radian of an orientation counts as, relative to the character's size.
    static constexpr double lever = 0.1;

    /// `model` contains the vertices that targets refer to, `size` is the size of the whole character.
    PoseSolver(std::shared_ptr<const rig::Deformer> model, double size);

    const rig::Deformer& model() const { return *model_; }
    const rig::Linearizer& linearizer() const { return *linearizer_; }
    const Unknowns& unknowns() const { return *unknowns_; }
    double size() const { return size_; }
    /// Writes a pose (C) at rest and its unknowns (N), relative to itself: of channels, those at rest and the pose that
    /// they make, else Character::rest_pose.
    void rest(std::vector<float>& pose, std::vector<double>& unknowns) const;

    /// Minimizes in each frame
    ///
    ///     sum_i weight_i |c_i(x)|^2 + (preference size)^2 sum_k ((x_k - preferred_k) / scale_k)^2,  low <= x <= high,
    ///
    /// with the residuals c of GoalResiduals, and c_i(x) = 0 for hard goals.
    /// Method: Levenberg-Marquardt with an active set of bounds (BoxLeastSquares); hard goals by augmented Lagrangians
    /// (Nocedal and Wright 2006, section 17.3). With one start, each frame starts from the solution of the frame
    /// before, and frames are solved in order; otherwise frames are independent.
    /// Converged: the model of the objective predicts a decrease below (tolerance size)^2 or below its rounding, and
    /// hard goals are met within 10 tolerance size.
    /// Guarantee: the same bytes for any number of threads.
    /// Throws ArgumentError if a shape is wrong, a goal is (see check_goals), or a start is out of the given bounds.
    void solve(const PoseTask& task, const PoseResult& result, int threads) const;

private:
    class Frame;

    void check(const PoseTask& task) const;

    std::shared_ptr<const rig::Deformer> model_;
    std::unique_ptr<rig::Linearizer> linearizer_;
    std::unique_ptr<Unknowns> unknowns_;
    double size_;
};

}  // namespace rigcast::ik
