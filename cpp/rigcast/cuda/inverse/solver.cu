#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/cuda/inverse/measure_frames.h"
#include "rigcast/cuda/inverse/offer_frames.h"
#include "rigcast/cuda/inverse/solve_frames.h"
#include "rigcast/cuda/inverse/solver.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/inverse/frames/solve_frames.h"

namespace rigcast::cuda {

/// The rig on the device, and the workspace of the call that has the lock.
struct InverseSolver::Resident {
    Resident(InversePlan from, std::int64_t workspace, std::int64_t most_shared)
        : plan(std::move(from)),
          memory(DeviceFrameSolver<Team>::memory(plan.num_variables, plan.num_columns,
                                                 static_cast<std::int64_t>(plan.user_column.size()),
                                                 most_shared < 0 ? Machine::most_shared : most_shared)) {
        const std::int64_t bytes_per_frame = sizeof(double) * (plan.num_columns + 9 * plan.num_variables + 6);
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
        upload(plan.linear_inverse, lists.linear_inverse);
        upload(plan.multistart_fractions, lists.multistart_fractions);
        machine.synchronize();
    }

    DeviceProductModel model() const { return make_model(plan, lists); }

    /// Copies the terms of frames first ... first + count - 1 to the device and makes room for results.
    DeviceFrames load(const optimize::Shot& shot, std::int64_t first, std::int64_t count) {
        const auto upload_frames = [&](View<const double, 2> from, Buffer<double>& to) {
            machine.upload(from.data() + first * from.extent(1), count * from.extent(1), to);
        };
        upload_frames(shot.projections, projection);
        upload_frames(shot.linear, linear);
        upload_frames(shot.quadratic, quadratic);
        upload_frames(shot.lower, lower);
        upload_frames(shot.upper, upper);
        objective.reserve(count);
        iterations.reserve(count);
        converged.reserve(count);
        return {count, projection.data(), linear.data(),     quadratic.data(), lower.data(), upper.data(), nullptr,
                0,     objective.data(),  iterations.data(), converged.data()};
    }

    template <class Kernel>
    void run(Kernel kernel) {
        const std::int64_t teams = std::min(machine.num_teams<Kernel>(memory.shared), kernel.frames.count);
        global.reserve(teams * memory.global_per_team);
        kernel.memory = memory;
        kernel.memory.global = global.data();
        machine.run_teams(teams, memory.shared, kernel);
    }

    /// Solves the frames that were loaded, from `start`. Returns the weights.
    const Buffer<double>& solve(const DeviceFrames& frames) {
        const std::int64_t count = frames.count * plan.num_variables;
        weights[0].reserve(count);
        run(SolveFrames{model(), frames, {}, start.data(), !plan.is_linear, weights[0].data()});
        return plan.is_linear ? weights[0] : offer(frames);
    }

    /// Offers solutions forwards and backwards in turn, from weights[0]. Returns the weights.
    const Buffer<double>& offer(const DeviceFrames& frames) {
        Buffer<double>* now = &weights[0];
        Buffer<double>* next = &weights[1];
        next->reserve(frames.count * plan.num_variables);
        improved.reserve(frames.count);
        // Per direction: the frames that have changed since they were last offered that way.
        std::vector<std::int32_t> changed[2];
        std::vector<std::int32_t> found(frames.count);
        for (auto& list : changed) list.assign(frames.count, 1);
        const auto any = [](const auto& list) {
            return std::any_of(list.begin(), list.end(), [](auto x) { return x; });
        };
        constexpr int max_rounds = 2 * inverse::frames_per_run;  // a solution then reaches its whole run
        for (int round = 0; round < max_rounds && (any(changed[0]) || any(changed[1])); ++round) {
            auto& list = changed[round % 2];
            if (!any(list)) continue;
            upload(list, offers);
            run(OfferFrames{model(),
                            frames,
                            {},
                            round % 2 == 0 ? -1 : 1,
                            offers.data(),
                            now->data(),
                            next->data(),
                            improved.data()});
            machine.download(improved, frames.count, found.data());
            machine.synchronize();
            std::swap(now, next);
            std::fill(list.begin(), list.end(), 0);
            for (std::int64_t t = 0; t < frames.count; ++t) {
                if (found[t] != 0) changed[0][t] = changed[1][t] = 1;
            }
        }
        return *now;
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
        Buffer<double> linear_inverse;
        Buffer<double> multistart_fractions;
    };

    std::mutex turn;
    Machine machine;
    InversePlan plan;
    TeamMemory memory;
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
    Buffer<double> weights[2];
    Buffer<double> objective;
    Buffer<double> right;
    Buffer<double> left;
    Buffer<std::int32_t> iterations;
    Buffer<std::int32_t> converged;
    Buffer<std::int32_t> offers;
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
    std::vector<std::int32_t> iterations;
    std::vector<std::int32_t> converged;
    for (std::int64_t first = 0; first < frames; first += r.frames_per_chunk) {
        const std::int64_t count = std::min(r.frames_per_chunk, frames - first);
        DeviceFrames loaded = r.load(shot, first, count);
        r.machine.upload(result.weights.data() + first * variables, count * variables, r.start);
        r.machine.upload(options.thresholds.data() + first, count, r.thresholds);
        loaded.thresholds = r.thresholds.data();
        loaded.max_iterations = options.max_iterations;
        const Buffer<double>& weights = r.solve(loaded);
        iterations.resize(count);
        converged.resize(count);
        r.machine.download(weights, count * variables, result.weights.data() + first * variables);
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
        r.run(MeasureFrames{r.model(), loaded, {}, r.start.data(), r.right.data(), r.left.data()});
        r.machine.download(r.objective, count, measures.objective.data() + first);
        r.machine.download(r.right, count * variables, measures.right.data() + first * variables);
        r.machine.download(r.left, count * variables, measures.left.data() + first * variables);
        r.machine.synchronize();
    }
}

}  // namespace rigcast::cuda
