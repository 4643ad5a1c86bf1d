#include <algorithm>

#include "bindings/c/calls.h"
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

/// The arrays of one solve.
class Drag {
public:
    Drag(const rigcast_drag& drag, const rigcast_drag_task& task)
        : drag_(drag),
          goals_(drag.goals),
          columns_(drag.solver.model().character().num_controls()),
          values_(static_cast<std::size_t>(ik::values_per_goal) * goals_.size()),
          reference_(pose("start", task.start, drag.rest_pose)),
          start_(c::is_given(task.start) ? unknowns(reference_) : drag.rest_unknowns),
          preferred_(c::is_given(task.preferred) ? unknowns(pose("preferred", task.preferred, {})) : start_) {
        const auto count = static_cast<std::int64_t>(goals_.size());
        const auto targets = c::needed_array<2>("solve", "targets", task.targets, {count, 3});
        const auto weights = c::given_array<1>("solve", "weights", task.weights, {count});
        for (std::int64_t i = 0; i < count; ++i) {
            std::copy_n(targets.row(i), 3, values_.data() + ik::values_per_goal * i);
            if (weights.size() > 0) goals_[static_cast<std::size_t>(i)].weight = weights(i);
        }
        task_.preference = c::setting("solve", "preference", task.preference, task_.preference);
        task_.tolerance = c::setting("solve", "tolerance", task.tolerance, task_.tolerance);
        task_.max_iterations =
            c::setting<std::int64_t>("solve", "max_iterations", task.max_iterations, task_.max_iterations);
    }

    void solve(rigcast_drag_result* result) {
        const rigcast_drag_result out =
            c::structure("solve", "result", static_cast<const rigcast_drag_result*>(result));
        const auto count = static_cast<std::int64_t>(goals_.size()), n = drag_.solver.unknowns().size();
        const std::int64_t num_channels = drag_.solver.unknowns().are_channels() ? n : 0;
        const auto written_pose = c::given_array<1>("solve", "pose", out.pose, {columns_});
        const auto written_channels = c::given_array<1>("solve", "channels", out.channels, {num_channels});
        const auto written_errors = c::given_array<1>("solve", "errors", out.errors, {count});
        std::vector<float> pose(static_cast<std::size_t>(columns_));
        std::vector<double> found(static_cast<std::size_t>(n)), errors(goals_.size());
        std::vector<std::int8_t> at_bound(static_cast<std::size_t>(n));
        double objective = 0.0;
        std::int64_t iterations = 0;
        bool converged = false;
        task_.goals = {goals_.data(), {count}};
        task_.values = {values_.data(), {1, count, ik::values_per_goal}};
        task_.references = {reference_.data(), {1, columns_}};
        task_.starts = {start_.data(), {1, n}};
        task_.preferred = {preferred_.data(), {1, n}};
        task_.bounds = {nullptr, {0, 2}};
        drag_.solver.solve(task_,
                           {{pose.data(), {1, columns_}},
                            {found.data(), {1, n}},
                            {errors.data(), {1, count}},
                            {&objective, {1}},
                            {&iterations, {1}},
                            {&converged, {1}},
                            {at_bound.data(), {1, n}}},
                           1);
        c::write_given(written_pose, pose);
        c::write_given(written_channels, found);
        c::write_given(written_errors, errors);
        result->iterations = static_cast<std::int32_t>(iterations);
        result->converged = converged;
    }

private:
    std::vector<float> pose(const char* argument, const rigcast_floats& given,
                            const std::vector<float>& otherwise) const {
        const auto row = c::given_array<1>("solve", argument, given, {columns_});
        if (row.size() == 0) return otherwise;
        drag_.solver.model().check_poses("solve", {row.data(), {1, columns_}}, argument);
        return {row.begin(), row.end()};
    }

    std::vector<double> unknowns(const std::vector<float>& pose) const {
        const std::int64_t n = drag_.solver.unknowns().size();
        std::vector<double> found(static_cast<std::size_t>(n));
        drag_.solver.unknowns().from_poses({pose.data(), {1, columns_}}, {reference_.data(), {1, columns_}},
                                           {found.data(), {1, n}});
        return found;
    }

    const rigcast_drag& drag_;
    std::vector<ik::Goal> goals_;
    std::int64_t columns_;
    std::vector<double> values_;
    std::vector<float> reference_;
    std::vector<double> start_, preferred_;
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
        Drag(with, c::structure("solve", "task", task)).solve(result);
    });
}

void rigcast_drag_free(rigcast_drag* drag) {
    c::free_object(drag);
}
