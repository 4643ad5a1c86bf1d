#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "rigwright/core/check.h"
#include "rigwright/core/error.h"
#include "rigwright/cuda/inverse/frames.h"
#include "rigwright/cuda/inverse/measure.h"
#include "rigwright/cuda/inverse/solver.h"
#include "rigwright/cuda/machine/machine.h"

namespace rigwright::cuda {

/// The rig, and the workspace of the call that holds the lock.
struct InverseSolver::Resident {
    Resident(InversePlan from, std::int64_t workspace, std::int64_t most_shared)
        : plan(std::move(from)),
          memory(InverseFrameSolver<Team>::memory(plan.num_variables, plan.num_columns,
                                                  static_cast<std::int64_t>(plan.user_column.size()),
                                                  most_shared < 0 ? Machine::most_shared : most_shared)) {
        const std::int64_t bytes = sizeof(double) * (plan.num_columns + 9 * plan.num_variables + 6);
        chunk = std::max<std::int64_t>(workspace / bytes / OfferFrames::run_length, 1) * OfferFrames::run_length;
        upload(plan.factor_begin, factor_begin);
        upload(plan.drivers, drivers);
        upload(plan.user_begin, user_begin);
        upload(plan.user_column, user_column);
        upload(plan.user_variable, user_variable);
        upload(plan.knot_begin, knot_begin);
        upload(plan.knots, knots);
        upload(plan.gram, gram);
        upload(plan.linear_inverse, linear_inverse);
        upload(plan.box_places, box_places);
        machine.synchronize();
    }

    InverseRig rig() const {
        return {plan.num_variables,    plan.num_columns,     factor_begin.data(), drivers.data(), user_begin.data(),
                user_column.data(),    user_variable.data(), knot_begin.data(),   knots.data(),   gram.data(),
                linear_inverse.data(), plan.num_box_starts,  box_places.data()};
    }

    /// Copies the terms of frames `first` on to the device and makes room for results.
    InverseFrames load(const optimize::Shot& shot, std::int64_t first, std::int64_t count) {
        const auto rows = [&](View<const double, 2> from, Buffer<double>& to) {
            machine.upload(from.data() + first * from.extent(1), count * from.extent(1), to);
        };
        rows(shot.projections, projection);
        rows(shot.linear, linear);
        rows(shot.quadratic, quadratic);
        rows(shot.lower, lower);
        rows(shot.upper, upper);
        objective.reserve(count);
        iterations.reserve(count);
        converged.reserve(count);
        return {count, projection.data(), linear.data(),     quadratic.data(), lower.data(), upper.data(), nullptr,
                0,     objective.data(),  iterations.data(), converged.data()};
    }

    template <class Kernel>
    void run(Kernel kernel) {
        const std::int64_t teams = std::min(machine.num_teams<Kernel>(memory.shared), kernel.frames.count);
        global.reserve(teams * memory.far);
        kernel.memory = memory;
        kernel.memory.global = global.data();
        machine.run_teams(teams, memory.shared, kernel);
    }

    /// Solves the frames loaded, from `start`. Returns the weights.
    const Buffer<double>& solve(const InverseFrames& frames) {
        const std::int64_t count = frames.count * plan.num_variables;
        Buffer<double>*now = &weights[0], *next = &weights[1];
        now->reserve(count);
        run(SolveFrames{rig(), frames, {}, start.data(), !plan.is_linear, now->data()});
        if (plan.is_linear) return *now;
        next->reserve(count);
        improved.reserve(frames.count);
        // Each direction keeps its own list: which frames have changed since they were last offered that way.
        std::vector<std::int32_t> fresh[2], found(frames.count);
        for (auto& list : fresh) list.assign(frames.count, 1);
        const auto any = [](const auto& list) {
            return std::any_of(list.begin(), list.end(), [](auto x) { return x; });
        };
        for (int round = 0; round < 2 * OfferFrames::run_length && (any(fresh[0]) || any(fresh[1])); ++round) {
            auto& list = fresh[round % 2];
            if (!any(list)) continue;
            upload(list, offers);
            run(OfferFrames{
                rig(), frames, {}, round % 2 == 0 ? -1 : 1, offers.data(), now->data(), next->data(), improved.data()});
            machine.download(improved, frames.count, found.data());
            machine.synchronize();
            std::swap(now, next);
            std::fill(list.begin(), list.end(), 0);
            for (std::int64_t t = 0; t < frames.count; ++t) {
                if (found[t] != 0) fresh[0][t] = fresh[1][t] = 1;
            }
        }
        return *now;
    }

    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& to) {
        machine.upload(source.data(), static_cast<std::int64_t>(source.size()), to);
    }

    std::mutex turn;
    Machine machine;
    InversePlan plan;
    InverseMemory memory;
    std::int64_t chunk;  // frames at a time
    Buffer<std::int32_t> factor_begin, user_begin, user_column, user_variable, knot_begin;
    Buffer<optimize::Driver> drivers;
    Buffer<double> knots, gram, linear_inverse, box_places;
    Buffer<double> projection, linear, quadratic, lower, upper, thresholds, start, weights[2], objective, global;
    Buffer<double> right, left;
    Buffer<std::int32_t> iterations, converged, offers, improved;
};

namespace {

void check(const char* function, const InversePlan& plan, const optimize::Shot& shot) {
    const std::int64_t frames = shot.projections.extent(0), width = plan.num_variables;
    check_shape<const double, 2>(function, "projections", shot.projections, {frames, plan.num_columns});
    check_shape<const double, 2>(function, "linear", shot.linear, {frames, width});
    check_shape<const double, 2>(function, "quadratic", shot.quadratic, {frames, width});
    check_shape<const double, 2>(function, "lower", shot.lower, {frames, width});
    check_shape<const double, 2>(function, "upper", shot.upper, {frames, width});
}

}  // namespace

InverseSolver::InverseSolver(InversePlan plan, std::int64_t workspace, std::int64_t most_shared) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>(std::move(plan), workspace, most_shared);
}

InverseSolver::~InverseSolver() = default;

void InverseSolver::solve(const optimize::Shot& shot, const optimize::ShotOptions& options,
                          const optimize::ShotResult& result) {
    Resident& r = *resident_;
    const std::int64_t frames = shot.projections.extent(0), width = r.plan.num_variables;
    check("solve", r.plan, shot);
    check_shape<double, 2>("solve", "weights", result.weights, {frames, width});
    check_shape<const double, 1>("solve", "thresholds", options.thresholds, {frames});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    std::vector<std::int32_t> iterations, converged;
    for (std::int64_t first = 0; first < frames; first += r.chunk) {
        const std::int64_t count = std::min(r.chunk, frames - first);
        InverseFrames loaded = r.load(shot, first, count);
        r.machine.upload(result.weights.data() + first * width, count * width, r.start);
        r.machine.upload(options.thresholds.data() + first, count, r.thresholds);
        loaded.thresholds = r.thresholds.data();
        loaded.max_iterations = options.max_iterations;
        const Buffer<double>& weights = r.solve(loaded);
        iterations.resize(count);
        converged.resize(count);
        r.machine.download(weights, count * width, result.weights.data() + first * width);
        r.machine.download(r.iterations, count, iterations.data());
        r.machine.download(r.converged, count, converged.data());
        r.machine.synchronize();
        for (std::int64_t t = 0; t < count; ++t) {
            result.iterations(first + t) = iterations[t];
            result.converged(first + t) = converged[t] != 0;
        }
    }
}

void InverseSolver::measure(const optimize::Shot& shot, View<const double, 2> weights, const Measures& measures) {
    Resident& r = *resident_;
    const std::int64_t frames = shot.projections.extent(0), width = r.plan.num_variables;
    check("measure", r.plan, shot);
    check_shape<const double, 2>("measure", "weights", weights, {frames, width});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    for (std::int64_t first = 0; first < frames; first += r.chunk) {
        const std::int64_t count = std::min(r.chunk, frames - first);
        const InverseFrames loaded = r.load(shot, first, count);
        r.machine.upload(weights.data() + first * width, count * width, r.start);
        r.right.reserve(count * width);
        r.left.reserve(count * width);
        r.run(MeasureFrames{r.rig(), loaded, {}, r.start.data(), r.right.data(), r.left.data()});
        r.machine.download(r.objective, count, measures.objective.data() + first);
        r.machine.download(r.right, count * width, measures.right.data() + first * width);
        r.machine.download(r.left, count * width, measures.left.data() + first * width);
        r.machine.synchronize();
    }
}

}  // namespace rigwright::cuda
