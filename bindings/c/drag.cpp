#include <algorithm>
#include <memory>
#include <numeric>

#include "bindings/c/calls.h"
#include "bindings/c/reports.h"
#include "rigcast/ik/goals/pose_solver.h"

namespace c = rigcast::c;
using rigcast::View;
namespace ik = rigcast::ik;

namespace {

std::vector<std::int32_t> ascending_once(View<const std::int32_t, 1> vertices) {
    std::vector<std::int32_t> found(vertices.begin(), vertices.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::shared_ptr<const rigcast::rig::Deformer> restricted(const rigcast::rig::Deformer& model,
                                                         const std::vector<std::int32_t>& vertices) {
    return model.restricted({vertices.data(), {std::ssize(vertices)}});
}

}  // namespace

/// The solver of the vertices' own model, made once.
struct rigcast_drag {
    rigcast_drag(const rigcast::rig::Deformer& model, View<const std::int32_t, 1> vertices)
        : chosen(ascending_once(vertices)), solver(restricted(model, chosen), ik::character_size(model.character())) {
        for (const std::int32_t vertex : vertices) {
            const auto place = std::lower_bound(chosen.begin(), chosen.end(), vertex) - chosen.begin();
            ik::Goal goal;
            goal.points[0].vertices.fill(static_cast<std::int32_t>(place));
            goals.push_back(goal);
        }
        solver.rest(rest_pose, rest_unknowns);
    }

    std::vector<std::int32_t> chosen;
    ik::PoseSolver solver;
    std::vector<ik::Goal> goals;
    std::vector<float> rest_pose;
    std::vector<double> rest_unknowns;
};

namespace {

constexpr std::int64_t frames_per_report = 64;

/// Rows of an array that is one row for all frames, or one per frame.
template <class T>
View<const T, 2> rows_of(const std::vector<T>& array, std::int64_t width, std::int64_t first, std::int64_t count) {
    const std::int64_t rows = width == 0 ? 1 : std::ssize(array) / width;
    return rows == 1 ? View<const T, 2>(array.data(), {1, width})
                     : View<const T, 2>(array.data() + first * width, {count, width});
}

/// The arrays of one solve.
class Drag {
public:
    Drag(const rigcast_drag& drag, const rigcast_drag_task& task)
        : drag_(drag),
          goals_(drag.goals),
          frames_(c::setting<std::int64_t>("solve", "frames", task.frames, 1)),
          columns_(drag.solver.model().character().num_controls()),
          n_(drag.solver.unknowns().size()),
          references_(poses("start", task.start, drag.rest_pose)),
          starts_(c::is_given(task.start) ? unknowns(references_) : drag.rest_unknowns),
          preferred_(c::is_given(task.preferred) ? unknowns(poses("preferred", task.preferred, {})) : starts_) {
        const auto count = static_cast<std::int64_t>(goals_.size());
        const auto targets = c::needed_array<3>("solve", "targets", task.targets, {frames_, count, 3});
        const auto weights = c::given_array<1>("solve", "weights", task.weights, {count});
        values_.resize(static_cast<std::size_t>(ik::values_per_goal * frames_ * count));
        for (std::int64_t i = 0; i < frames_ * count; ++i) {
            std::copy_n(targets.data() + 3 * i, 3, values_.data() + ik::values_per_goal * i);
        }
        for (std::int64_t i = 0; i < weights.size(); ++i) goals_[static_cast<std::size_t>(i)].weight = weights(i);
        task_.goals = {goals_.data(), {count}};
        task_.bounds = {nullptr, {0, 2}};
        task_.preference = c::setting("solve", "preference", task.preference, task_.preference);
        task_.tolerance = c::setting("solve", "tolerance", task.tolerance, task_.tolerance);
        task_.max_iterations =
            c::setting<std::int64_t>("solve", "max_iterations", task.max_iterations, task_.max_iterations);
    }

    void solve(rigcast_drag_result* result, c::Reports& reports) {
        const rigcast_drag_result out =
            c::structure("solve", "result", static_cast<const rigcast_drag_result*>(result));
        const std::int64_t count = std::ssize(goals_), channels = drag_.solver.unknowns().are_channels() ? n_ : 0;
        const auto to_pose = c::given_array<2>("solve", "pose", out.pose, {frames_, columns_});
        const auto to_channels = c::given_array<2>("solve", "channels", out.channels, {frames_, channels});
        const auto to_errors = c::given_array<2>("solve", "errors", out.errors, {frames_, count});
        const auto to_iterations = c::given_array<1>("solve", "frame_iterations", out.frame_iterations, {frames_});
        const auto to_converged = c::given_array<1>("solve", "frame_converged", out.frame_converged, {frames_});
        const auto frames = static_cast<std::size_t>(frames_);
        std::vector<float> pose(frames * static_cast<std::size_t>(columns_));
        std::vector<double> found(frames * static_cast<std::size_t>(n_)), errors(frames * goals_.size());
        std::vector<std::int64_t> iterations(frames);
        const auto converged = std::make_unique<bool[]>(frames);
        for (std::int64_t first = 0; first < frames_; first += frames_per_report) {
            const std::int64_t rows = std::min(frames_per_report, frames_ - first);
            solve_rows(first, rows,
                       {{pose.data() + first * columns_, {rows, columns_}},
                        {found.data() + first * n_, {rows, n_}},
                        {errors.data() + first * count, {rows, count}},
                        {},
                        {iterations.data() + first, {rows}},
                        {converged.get() + first, {rows}},
                        {}});
            reports.advance(first + rows);
        }
        c::write_given(to_pose, pose);
        c::write_given(to_channels, found);
        c::write_given(to_errors, errors);
        c::write_given(to_iterations, iterations);
        c::write_given(to_converged, std::vector<bool>(converged.get(), converged.get() + frames));
        result->iterations = static_cast<std::int32_t>(std::accumulate(iterations.begin(), iterations.end(), 0LL));
        result->converged = std::all_of(converged.get(), converged.get() + frames, [](bool one) { return one; });
    }

private:
    /// Solves some frames. With one start, the next ones start from the last of them.
    void solve_rows(std::int64_t first, std::int64_t rows, ik::PoseResult result) {
        const std::int64_t count = std::ssize(goals_);
        std::vector<double> objective(static_cast<std::size_t>(rows));
        std::vector<std::int8_t> at_bound(static_cast<std::size_t>(rows * n_));
        result.objective = {objective.data(), {rows}};
        result.at_bound = {at_bound.data(), {rows, n_}};
        task_.values = {values_.data() + first * count * ik::values_per_goal, {rows, count, ik::values_per_goal}};
        task_.references = rows_of(references_, columns_, first, rows);
        task_.starts = rows_of(starts_, n_, first, rows);
        task_.preferred = rows_of(preferred_, n_, first, rows);
        drag_.solver.solve(task_, result, 0);
        if (std::ssize(starts_) == n_)
            starts_.assign(result.unknowns.row(rows - 1), result.unknowns.row(rows - 1) + n_);
    }

    /// Poses, one or one per frame.
    std::vector<float> poses(const char* argument, const rigcast_floats& given,
                             const std::vector<float>& otherwise) const {
        if (!c::is_given(given)) return otherwise;
        const std::int64_t rows = given.count == columns_ ? 1 : frames_;
        const auto found = c::needed_array<2>("solve", argument, given, {rows, columns_});
        drag_.solver.model().check_poses("solve", found, argument);
        return {found.begin(), found.end()};
    }

    /// Unknowns of poses, relative to the start of each frame.
    std::vector<double> unknowns(std::vector<float> given) const {
        if (given.size() < references_.size()) {
            const std::vector<float> one = given;
            while (given.size() < references_.size()) given.insert(given.end(), one.begin(), one.end());
        }
        const std::int64_t rows = std::ssize(given) / columns_;
        std::vector<double> found(static_cast<std::size_t>(rows * n_));
        drag_.solver.unknowns().from_poses({given.data(), {rows, columns_}}, rows_of(references_, columns_, 0, rows),
                                           {found.data(), {rows, n_}});
        return found;
    }

    const rigcast_drag& drag_;
    std::vector<ik::Goal> goals_;
    std::int64_t frames_, columns_, n_;
    std::vector<double> values_;
    std::vector<float> references_;
    std::vector<double> starts_, preferred_;
    ik::PoseTask task_;
};

}  // namespace

rigcast_status rigcast_drag_new(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                rigcast_drag** drag) {
    return c::guarded([&] {
        rigcast_drag*& out = c::place("drag", drag);
        const auto& whole = *c::object("model", model).model;
        const auto chosen = c::array<const int32_t, 1>("solve", "vertices", vertices, count, {count});
        out = c::handed_out(std::make_unique<rigcast_drag>(whole, chosen));
    });
}

rigcast_status rigcast_drag_solve(const rigcast_drag* drag, const rigcast_drag_task* task,
                                  rigcast_drag_result* result) {
    return c::guarded([&] {
        const rigcast_drag& with = c::object("drag", drag);
        const rigcast_drag_task given = c::structure("solve", "task", task);
        c::Reports reports(given.progress, given.user, given.frames == 0 ? 1 : given.frames);
        Drag(with, given).solve(result, reports);
    });
}

void rigcast_drag_free(rigcast_drag* drag) {
    c::free_object(drag);
}
