#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/cuda/inverse/lockstep.h"
#include "rigcast/cuda/inverse/measure_frames.h"
#include "rigcast/cuda/inverse/solver.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/inverse/frames/solve_frames.h"

namespace rigcast::cuda {

/// The rig on the device, and the workspace of the call that has the lock.
struct InverseSolver::Resident {
    Resident(InversePlan from, std::int64_t workspace, std::int64_t most_shared)
        : plan(std::move(from)),
          memory(DeviceFrameSolver<Team>::memory(
              make_model(plan, plan), static_cast<std::int64_t>(plan.user_column.size()), shared_of(most_shared))),
          sweep_memory(SweepJobs::memory_of<Team>(make_model(plan, plan), shared_of(most_shared))),
          lockstep(workspace / 4 / Lockstep::bytes_per_slot(plan.num_variables, plan.num_columns)) {
        const std::int64_t bytes_per_frame = sizeof(double) * (plan.num_columns + 7 * plan.num_variables + 8);
        const std::int64_t bytes_per_run = bytes_per_frame * inverse::frames_per_run;
        frames_per_chunk = std::max<std::int64_t>(workspace / bytes_per_run, 1) * inverse::frames_per_run;
        upload(plan.driver_begin, lists.driver_begin);
        upload(plan.drivers, lists.drivers);
        upload(plan.user_begin, lists.user_begin);
        upload(plan.user_column, lists.user_column);
        upload(plan.user_variable, lists.user_variable);
        upload(plan.knot_begin, lists.knot_begin);
        upload(plan.knots, lists.knots);
        upload(plan.knot_variable, lists.knot_variable);
        upload(plan.gram, lists.gram);
        upload(plan.gram_tiles, lists.gram_tiles);
        upload(plan.scale, lists.scale);
        upload(plan.linear_inverse, lists.linear_inverse);
        upload(plan.multistart_fractions, lists.multistart_fractions);
        machine.synchronize();
    }

    static std::int64_t shared_of(std::int64_t most_shared) {
        return most_shared < 0 ? Machine::most_shared : most_shared;
    }
    DeviceProductModel model() const { return make_model(plan, lists); }

    LockstepRig rig() const {
        return {model(),      lists.gram_tiles.data(), lists.scale.data(), plan.curvature, memory,
                sweep_memory, plan.in_lockstep()};
    }

    /// Copies the terms of frames first ... first + count - 1 to the device and makes room for results.
    DeviceFrames load(const optimize::Shot& shot, std::int64_t first, std::int64_t count) {
        machine.upload(shot.projections.row(first), count * plan.num_columns, projection);
        DeviceFrames frames{};
        frames.count = count;
        frames.projection = projection.data();
        frames.linear_step = load_rows(shot.linear, first, count, linear);
        frames.quadratic_step = load_rows(shot.quadratic, first, count, quadratic);
        frames.lower_step = load_rows(shot.lower, first, count, lower);
        frames.upper_step = load_rows(shot.upper, first, count, upper);
        frames.linear = linear.data();
        frames.quadratic = quadratic.data();
        frames.lower = lower.data();
        frames.upper = upper.data();
        objective.reserve(count);
        iterations.reserve(count);
        converged.reserve(count);
        frames.objective = objective.data();
        frames.iterations = iterations.data();
        frames.converged = converged.data();
        return frames;
    }

    /// Copies rows (T, K) of some frames: one if they are alike. Returns the step from a frame's row to the next.
    std::int64_t load_rows(View<const double, 2> rows, std::int64_t first, std::int64_t count, Buffer<double>& to) {
        const std::int64_t width = rows.extent(1);
        const double* begin = rows.data() + first * width;
        // each row is compared with the next: equal bytes, so that no NaN is lost
        const bool alike = count > 1 && std::memcmp(begin, begin + width, sizeof(double) * (count - 1) * width) == 0;
        machine.upload(begin, alike ? width : count * width, to);
        return alike ? 0 : width;
    }

    /// Solves the frames that were loaded, from `start`, into `weights`.
    void solve(const DeviceFrames& frames) {
        weights.reserve(frames.count * plan.num_variables);
        agreeing.reserve(frames.count);
        improved.reserve(frames.count);
        machine.synchronize();  // the lanes of the lockstep have streams of their own
        std::vector<std::int32_t> all(frames.count);
        std::iota(all.begin(), all.end(), 0);
        const JobTask task{frames, weights.data(), agreeing.data(), improved.data(), start.data(), !plan.is_linear, 0};
        lockstep.run(rig(), task, all);
        if (!plan.is_linear) offer(task);
    }

    /// Offers solutions forwards and backwards in turn, inside runs of inverse::frames_per_run frames, as long as one
    /// improves.
    void offer(JobTask task) {
        const std::int64_t count = task.frames.count;
        before.reserve(count * plan.num_variables);
        task.given = before.data();
        // Per direction: the frames that have changed since they were last offered that way.
        std::vector<std::int32_t> changed[2];
        std::vector<std::int32_t> queue;
        std::vector<std::int32_t> found(count);
        for (auto& list : changed) list.assign(count, 1);
        constexpr int max_rounds = 2 * inverse::frames_per_run;  // a solution then reaches its whole run
        for (int round = 0; round < max_rounds; ++round) {
            task.neighbor = round % 2 == 0 ? -1 : 1;
            queue.clear();
            for (std::int64_t t = 0; t < count; ++t) {
                const std::int64_t other = t + task.neighbor;
                const bool is_in_run =
                    other >= 0 && other < count && other / inverse::frames_per_run == t / inverse::frames_per_run;
                if (is_in_run && changed[round % 2][other] != 0) queue.push_back(static_cast<std::int32_t>(t));
            }
            std::fill(changed[round % 2].begin(), changed[round % 2].end(), 0);
            const auto& others = changed[(round + 1) % 2];
            if (queue.empty() && std::count(others.begin(), others.end(), 1) == 0) break;
            if (queue.empty()) continue;
            machine.copy(weights.data(), count * plan.num_variables, before.data());
            machine.synchronize();
            lockstep.run(rig(), task, queue);
            machine.download(improved, count, found.data());
            machine.synchronize();
            for (const std::int32_t t : queue) {
                if (found[t] != 0) changed[0][t] = changed[1][t] = 1;
            }
        }
    }

    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& to) {
        machine.upload(source.data(), static_cast<std::int64_t>(source.size()), to);
    }

    /// See InversePlan.
    struct Lists {
        Buffer<std::int32_t> driver_begin;
        Buffer<optimize::Driver> drivers;
        Buffer<std::int32_t> user_begin;
        Buffer<std::int32_t> user_column;
        Buffer<std::int32_t> user_variable;
        Buffer<std::int32_t> knot_begin;
        Buffer<double> knots;
        Buffer<std::int32_t> knot_variable;
        Buffer<double> gram;
        Buffer<DoubleRowTile> gram_tiles;
        Buffer<double> scale;
        Buffer<double> linear_inverse;
        Buffer<double> multistart_fractions;
    };

    std::mutex turn;
    Machine machine;
    InversePlan plan;
    TeamMemory memory;        // of the team solver
    TeamMemory sweep_memory;  // of SweepJobs
    Lockstep lockstep;
    std::int64_t frames_per_chunk;
    Lists lists;
    // Of a chunk of frames.
    Buffer<double> projection;
    Buffer<double> linear;
    Buffer<double> quadratic;
    Buffer<double> lower;
    Buffer<double> upper;
    Buffer<double> thresholds;
    Buffer<double> start;
    Buffer<double> weights;
    Buffer<double> before;  // the weights before a round of offers
    Buffer<double> objective;
    Buffer<double> right;
    Buffer<double> left;
    Buffer<std::int32_t> iterations;
    Buffer<std::int32_t> converged;
    Buffer<std::int32_t> agreeing;
    Buffer<std::int32_t> improved;
    Buffer<double> global;  // of teams
};

namespace {

void check(const char* function, const InversePlan& plan, const optimize::Shot& shot) {
    const std::int64_t frames = shot.projections.extent(0);
    const std::int64_t variables = plan.num_variables;
    check_shape<const double, 2>(function, "projections", shot.projections, {frames, plan.num_columns});
    check_shape<const double, 2>(function, "linear", shot.linear, {frames, variables});
    check_shape<const double, 2>(function, "quadratic", shot.quadratic, {frames, variables});
    check_shape<const double, 2>(function, "lower", shot.lower, {frames, variables});
    check_shape<const double, 2>(function, "upper", shot.upper, {frames, variables});
}

}  // namespace

InverseSolver::InverseSolver(InversePlan plan, std::int64_t workspace, std::int64_t most_shared) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>(std::move(plan), workspace, most_shared);
}

InverseSolver::~InverseSolver() = default;

std::int64_t InverseSolver::num_variables() const {
    return resident_->plan.num_variables;
}

std::int64_t InverseSolver::num_columns() const {
    return resident_->plan.num_columns;
}

InverseSolver::Effort InverseSolver::effort() const {
    const std::lock_guard<std::mutex> turn(resident_->turn);
    return {resident_->lockstep.num_jobs(), resident_->lockstep.num_rest()};
}

void InverseSolver::solve(const optimize::Shot& shot, const optimize::ShotOptions& options,
                          const optimize::ShotResult& result) {
    Resident& r = *resident_;
    const std::int64_t frames = shot.projections.extent(0);
    const std::int64_t variables = r.plan.num_variables;
    check("solve", r.plan, shot);
    check_shape<double, 2>("solve", "weights", result.weights, {frames, variables});
    check_shape<const double, 1>("solve", "thresholds", options.thresholds, {frames});
    check_shape<std::int64_t, 1>("solve", "iterations", result.iterations, {frames});
    check_shape<bool, 1>("solve", "converged", result.converged, {frames});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    r.lockstep.reset_counts();
    std::vector<std::int32_t> iterations;
    std::vector<std::int32_t> converged;
    for (std::int64_t first = 0; first < frames; first += r.frames_per_chunk) {
        const std::int64_t count = std::min(r.frames_per_chunk, frames - first);
        DeviceFrames loaded = r.load(shot, first, count);
        r.machine.upload(result.weights.data() + first * variables, count * variables, r.start);
        r.machine.upload(options.thresholds.data() + first, count, r.thresholds);
        loaded.thresholds = r.thresholds.data();
        loaded.max_iterations = options.max_iterations;
        r.solve(loaded);
        iterations.resize(count);
        converged.resize(count);
        r.machine.download(r.weights, count * variables, result.weights.data() + first * variables);
        r.machine.download(r.iterations, count, iterations.data());
        r.machine.download(r.converged, count, converged.data());
        r.machine.synchronize();
        for (std::int64_t t = 0; t < count; ++t) {
            result.iterations(first + t) = iterations[t];
            result.converged(first + t) = converged[t] != 0;
        }
    }
}

void InverseSolver::measure(const optimize::Shot& shot, View<const double, 2> weights,
                            const optimize::FrameMeasures& measures) {
    Resident& r = *resident_;
    const std::int64_t frames = shot.projections.extent(0);
    const std::int64_t variables = r.plan.num_variables;
    check("measure", r.plan, shot);
    check_shape<const double, 2>("measure", "weights", weights, {frames, variables});
    check_shape<double, 1>("measure", "objective", measures.objective, {frames});
    check_shape<double, 2>("measure", "right", measures.right, {frames, variables});
    check_shape<double, 2>("measure", "left", measures.left, {frames, variables});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    for (std::int64_t first = 0; first < frames; first += r.frames_per_chunk) {
        const std::int64_t count = std::min(r.frames_per_chunk, frames - first);
        const DeviceFrames loaded = r.load(shot, first, count);
        r.machine.upload(weights.data() + first * variables, count * variables, r.start);
        r.right.reserve(count * variables);
        r.left.reserve(count * variables);
        run_with_memory(r.machine, r.memory, count, r.global,
                        MeasureFrames{r.model(), loaded, {}, r.start.data(), r.right.data(), r.left.data()});
        r.machine.download(r.objective, count, measures.objective.data() + first);
        r.machine.download(r.right, count * variables, measures.right.data() + first * variables);
        r.machine.download(r.left, count * variables, measures.left.data() + first * variables);
        r.machine.synchronize();
    }
}

}  // namespace rigcast::cuda
