// Team kernels on real threads: what the emulation cannot see, a missing barrier or a branch that not all threads take,
// is a data race, a wrong result or a hang here. Run under ThreadSanitizer, too.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rigcast/cuda/inverse/accelerated_step.h"
#include "rigcast/cuda/inverse/finish_jobs.h"
#include "rigcast/cuda/inverse/gram_residuals.h"
#include "rigcast/cuda/inverse/measure_frames.h"
#include "rigcast/cuda/inverse/plan.h"
#include "rigcast/cuda/inverse/turn_jobs.h"
#include "rigcast/cuda/machine/machine.h"

namespace {

using namespace rigcast;
using cuda::Sums;

/// The device's Team with threads of the host; a warp has two.
class ThreadTeam {
public:
    struct Block {
        explicit Block(int threads) : barrier(threads), partial(threads) {}
        std::barrier<> barrier;
        std::vector<Sums<4>> partial;
    };

    ThreadTeam(Block& block, int thread, double* memory) : block_(block), thread_(thread), memory_(memory) {}

    std::int64_t index() const { return 0; }
    std::int64_t count() const { return 1; }
    double* shared() const { return memory_; }

    template <class F>
    void each(int n, const F& f) const {
        block_.barrier.arrive_and_wait();
        for (int i = thread_; i < n; i += threads()) f(i);
        block_.barrier.arrive_and_wait();
    }
    template <class Width, class F>
    void rows(int n, const Width& width, const F& f) const {
        block_.barrier.arrive_and_wait();
        for (int row = thread_ / lanes; row < n; row += threads() / lanes) {
            for (int column = thread_ % lanes; column < width(row); column += lanes) f(row, column);
        }
        block_.barrier.arrive_and_wait();
    }
    template <int Count, class F>
    Sums<Count> sum(int n, const F& f) const {
        Sums<Count> own = {};
        for (int i = thread_; i < n; i += threads()) f(i, own);
        return combine(own, [](double a, double b) { return a + b; });
    }
    template <class F>
    double largest(int n, const F& f) const {
        Sums<1> own = {};
        for (int i = thread_; i < n; i += threads()) own.value[0] = std::fmax(own.value[0], f(i));
        return combine(own, [](double a, double b) { return std::fmax(a, b); }).value[0];
    }

private:
    static constexpr int lanes = 2;

    int threads() const { return static_cast<int>(block_.partial.size()); }

    template <int Count, class Combine>
    Sums<Count> combine(Sums<Count> own, const Combine& both) const {
        block_.barrier.arrive_and_wait();
        for (int c = 0; c < Count; ++c) block_.partial[thread_].value[c] = own.value[c];
        block_.barrier.arrive_and_wait();
        for (int c = 0; c < Count; ++c) {
            own.value[c] = block_.partial[0].value[c];
            for (int t = 1; t < threads(); ++t) own.value[c] = both(own.value[c], block_.partial[t].value[c]);
        }
        return own;
    }

    Block& block_;
    int thread_;
    double* memory_;
};

template <class Kernel>
void run_on_threads(const Kernel& kernel, std::int64_t shared, int threads) {
    ThreadTeam::Block block(threads);
    std::vector<double> memory(shared, std::nan(""));
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] { kernel(ThreadTeam(block, t, memory.data())); });
    }
    for (std::thread& thread : all) thread.join();
}

constexpr int shapes = 9, combinations = 12, num_columns = shapes + combinations, rows = 60, frames = 4;

struct Scene {
    explicit Scene(bool has_knots) : random(1) {
        std::vector<std::vector<optimize::Driver>> drivers;
        for (int k = 0; k < shapes; ++k) drivers.push_back({{k, false, {}}});
        for (int c = 0; c < combinations; ++c) {
            drivers.push_back({{c % shapes, has_knots && c % 3 == 0, {0.0, 0.4, 1.0}}, {(c + 2) % shapes, false, {}}});
            if (c % 2 == 0) drivers.back().push_back({(c + 5) % shapes, false, {}});
        }
        products = std::make_unique<optimize::ProductModel>(shapes, drivers);
        std::normal_distribution<double> normal;
        std::vector<double> phi(rows * num_columns);
        for (double& x : phi) x = normal(random);
        gram.assign(num_columns * num_columns, 0.0);
        projection.assign(frames * num_columns, 0.0);
        for (int i = 0; i < rows; ++i) {
            const double* row = phi.data() + i * num_columns;
            for (int n = 0; n < num_columns; ++n) {
                for (int m = 0; m < num_columns; ++m) gram[n * num_columns + m] += row[n] * row[m];
            }
            for (int t = 0; t < frames; ++t) {
                const double b = 2.0 * normal(random);
                for (int n = 0; n < num_columns; ++n) projection[t * num_columns + n] += b * row[n];
            }
        }
    }

    std::mt19937 random;
    std::unique_ptr<optimize::ProductModel> products;
    std::vector<double> gram, projection;
};

struct Found {
    std::vector<double> weights, right, left, objective;
    std::vector<std::int32_t> iterations, converged;
};

/// A slot per frame, on the host.
struct Slots {
    std::vector<std::int32_t> all{0, 1, 2, 3}, state, frame, start, steps;
    std::vector<double> y, x, change, phi, residual, curvature, momentum, slope, length, objective;

    Slots() {
        for (auto* list : {&state, &frame, &start, &steps}) list->assign(frames, cuda::idle);
        for (auto* list : {&y, &x, &change}) list->assign(frames * shapes, std::nan(""));
        for (auto* list : {&phi, &residual}) list->assign(frames * num_columns, std::nan(""));
        for (auto* list : {&curvature, &momentum, &slope, &length, &objective}) list->assign(frames, std::nan(""));
    }
    cuda::DeviceJobs jobs() {
        return {state.data(),    frame.data(),  start.data(),  steps.data(),    y.data(),
                x.data(),        change.data(), phi.data(),    residual.data(), curvature.data(),
                momentum.data(), slope.data(),  length.data(), objective.data()};
    }
    std::vector<std::int32_t> in(std::initializer_list<std::int32_t> states) const {
        std::vector<std::int32_t> found;
        for (const std::int32_t slot : all) {
            for (const std::int32_t one : states) {
                if (state[slot] == one) found.push_back(slot);
            }
        }
        return found;
    }
};

/// Runs the jobs of a task as Lockstep does; each kernel by run(kernel, doubles that a block shares).
template <class Team, class Run>
void run_jobs(const Scene& scene, const cuda::InversePlan& plan, const cuda::JobTask& task, std::int64_t most_shared,
              const Run& run) {
    const cuda::DeviceProductModel model = cuda::make_model(plan, plan);
    cuda::TeamMemory solver =
        cuda::DeviceFrameSolver<Team>::memory(model, static_cast<std::int64_t>(plan.user_column.size()), most_shared);
    cuda::TeamMemory sweeper = cuda::SweepJobs::memory_of<Team>(model, most_shared);
    std::vector<double> global(solver.global_per_team, std::nan("")), far(sweeper.global_per_team, std::nan(""));
    std::vector<double> numbers(3 * shapes, std::nan(""));
    solver.global = global.data();
    sweeper.global = far.data();
    const std::int64_t shared_of_steps = most_shared < 3 * shapes ? 0 : 3 * shapes;
    Slots slots;
    std::vector<std::int32_t> fresh = slots.all, turning = slots.all;
    for (bool any = true; any;) {
        run(cuda::TurnJobs{model, task, slots.jobs(), turning.data(), fresh.data(),
                           static_cast<std::int64_t>(turning.size()), plan.curvature, plan.in_lockstep()},
            0);
        run(cuda::SweepJobs{model, task.frames, sweeper, slots.jobs(), slots.all.data(), frames}, sweeper.shared);
        const std::vector<std::int32_t> active = slots.in({cuda::running});
        const auto count = static_cast<std::int64_t>(active.size());
        for (int step = 0; step < 8; ++step) {
            cuda::Machine().run_tiles(
                1, 1,
                cuda::GramResiduals{plan.gram_tiles.data(), num_columns, active.data(), count, slots.frame.data(),
                                    slots.phi.data(), scene.projection.data(), slots.residual.data()});
            run(cuda::AcceleratedStep{model, task, slots.jobs(), plan.scale.data(), active.data(), count, 400,
                                      shared_of_steps == 0 ? numbers.data() : nullptr},
                shared_of_steps);
        }
        const std::vector<std::int32_t> rest = slots.in({cuda::rest});
        run(cuda::FinishJobs{model, task.frames, solver, task, slots.jobs(), rest.data(),
                             static_cast<std::int64_t>(rest.size()), plan.in_lockstep()},
            solver.shared);
        turning = slots.in({cuda::converged, cuda::merged, cuda::stopped});
        fresh.assign(turning.size(), -1);
        any = slots.in({cuda::idle}).size() < slots.all.size();
    }
}

/// Solve, offer and measure.
template <class Team, class Run>
Found solve(const Scene& scene, std::int64_t most_shared, const Run& run) {
    const cuda::InversePlan plan(*scene.products, {scene.gram.data(), {num_columns, num_columns}});
    const cuda::DeviceProductModel model = cuda::make_model(plan, plan);
    constexpr int size = frames * shapes;
    const std::vector<double> zeros(shapes, 0.0), ones(shapes, 1.0), linear(size, 0.5), limits(frames, 1e-8);
    Found found{std::vector<double>(size),   std::vector<double>(size),         std::vector<double>(size),
                std::vector<double>(frames), std::vector<std::int32_t>(frames), std::vector<std::int32_t>(frames)};
    cuda::DeviceFrames all{};
    all.count = frames;
    all.projection = scene.projection.data();
    all.linear = linear.data();
    all.linear_step = shapes;
    all.quadratic = all.lower = zeros.data();  // one row for all frames
    all.upper = ones.data();
    all.thresholds = limits.data();
    all.max_iterations = 200;
    all.objective = found.objective.data();
    all.iterations = found.iterations.data();
    all.converged = found.converged.data();
    std::vector<std::int32_t> agreeing(frames), improved(frames);
    cuda::JobTask task{all, found.weights.data(), agreeing.data(), improved.data(), linear.data(), true, 0};
    run_jobs<Team>(scene, plan, task, most_shared, run);
    std::vector<double> before(shapes, 0.0);  // the first frame has no neighbor: it is offered zeros
    before.insert(before.end(), found.weights.begin(), found.weights.end());
    task.given = before.data() + shapes;
    task.neighbor = -1;
    run_jobs<Team>(scene, plan, task, most_shared, run);
    cuda::TeamMemory memory =
        cuda::DeviceFrameSolver<Team>::memory(model, static_cast<std::int64_t>(plan.user_column.size()), most_shared);
    std::vector<double> global(memory.global_per_team, std::nan(""));
    memory.global = global.data();
    run(cuda::MeasureFrames{model, all, memory, found.weights.data(), found.right.data(), found.left.data()},
        memory.shared);
    return found;
}

int apart_on_threads(const Scene& scene, std::int64_t most_shared) {
    const Found one = solve<cuda::Team>(scene, most_shared, [](const auto& kernel, std::int64_t shared) {
        cuda::Machine().run_teams(1, shared, kernel);
    });
    const Found many = solve<ThreadTeam>(
        scene, most_shared, [](const auto& kernel, std::int64_t shared) { run_on_threads(kernel, shared, 4); });
    double apart = 0.0;
    for (std::size_t i = 0; i < one.weights.size(); ++i) {
        apart = std::fmax(apart, std::fabs(one.weights[i] - many.weights[i]));
        apart = std::fmax(apart, std::fabs(one.right[i] - many.right[i]));
    }
    for (int t = 0; t < frames; ++t) {
        if (one.converged[t] == 1 && many.converged[t] == 1) continue;
        std::printf("frame %d did not converge\n", t);
        return 1;
    }
    // steps stop anywhere below the threshold, and sums of threads have another order
    if (apart < 1e-6) return 0;
    std::printf("weights or slopes on threads are %g apart\n", apart);
    return 1;
}

}  // namespace

int main() {
    for (const bool has_knots : {false, true}) {
        const Scene scene(has_knots);
        for (const std::int64_t most_shared : {std::int64_t{0}, std::int64_t{400}, cuda::Machine::most_shared}) {
            if (apart_on_threads(scene, most_shared) != 0) return 1;
        }
    }
    return 0;
}
