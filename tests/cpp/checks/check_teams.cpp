// Team kernels on real threads: what the emulation cannot see, a missing barrier or a branch that not all threads take,
// is a data race, a wrong result or a hang here. Run under ThreadSanitizer, too.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rigcast/cuda/inverse/measure_frames.h"
#include "rigcast/cuda/inverse/offer_frames.h"
#include "rigcast/cuda/inverse/plan.h"
#include "rigcast/cuda/inverse/solve_frames.h"
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
    Scene() : random(1) {
        std::vector<std::vector<optimize::Driver>> drivers;
        for (int k = 0; k < shapes; ++k) drivers.push_back({{k, false, {}}});
        for (int c = 0; c < combinations; ++c) {
            drivers.push_back({{c % shapes, c % 3 == 0, {0.0, 0.4, 1.0}}, {(c + 2) % shapes, false, {}}});
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
    std::vector<double> weights, offered, right, left, objective;
    std::vector<std::int32_t> iterations, converged, improved;
};

/// Solve, offer and measure, each by run(kernel, doubles that a block shares).
template <class Team, class Run>
Found solve(const Scene& scene, std::int64_t most_shared, const Run& run) {
    const cuda::InversePlan plan(*scene.products, {scene.gram.data(), {num_columns, num_columns}});
    const cuda::DeviceProductModel model = cuda::make_model(plan, plan);
    constexpr int size = frames * shapes;
    const std::vector<double> zeros(size, 0.0), ones(size, 1.0), linear(size, 0.5), limits(frames, 1e-8);
    const std::vector<std::int32_t> offers(frames, 1);
    Found found{std::vector<double>(size),         std::vector<double>(size),        std::vector<double>(size),
                std::vector<double>(size),         std::vector<double>(frames),      std::vector<std::int32_t>(frames),
                std::vector<std::int32_t>(frames), std::vector<std::int32_t>(frames)};
    const cuda::DeviceFrames all{frames,
                                 scene.projection.data(),
                                 linear.data(),
                                 zeros.data(),
                                 zeros.data(),
                                 ones.data(),
                                 limits.data(),
                                 200,
                                 found.objective.data(),
                                 found.iterations.data(),
                                 found.converged.data()};
    cuda::TeamMemory memory = cuda::DeviceFrameSolver<Team>::memory(
        shapes, num_columns, static_cast<std::int64_t>(plan.user_column.size()), most_shared);
    std::vector<double> global(memory.global_per_team, std::nan(""));
    memory.global = global.data();
    run(cuda::SolveFrames{model, all, memory, linear.data(), true, found.weights.data()}, memory.shared);
    run(cuda::OfferFrames{model, all, memory, -1, offers.data(), found.weights.data(), found.offered.data(),
                          found.improved.data()},
        memory.shared);
    run(cuda::MeasureFrames{model, all, memory, found.offered.data(), found.right.data(), found.left.data()},
        memory.shared);
    return found;
}

}  // namespace

int main() {
    const Scene scene;
    for (const std::int64_t most_shared : {std::int64_t{0}, std::int64_t{400}, cuda::Machine::most_shared}) {
        const Found one = solve<cuda::Team>(scene, most_shared, [](const auto& kernel, std::int64_t shared) {
            cuda::Machine().run_teams(1, shared, kernel);
        });
        const Found many = solve<ThreadTeam>(
            scene, most_shared, [](const auto& kernel, std::int64_t shared) { run_on_threads(kernel, shared, 4); });
        double apart = 0.0;
        for (std::size_t i = 0; i < one.offered.size(); ++i) {
            apart = std::fmax(apart, std::fabs(one.offered[i] - many.offered[i]));
        }
        for (int t = 0; t < frames; ++t) {
            if (one.converged[t] == 1 && many.converged[t] == 1) continue;
            std::printf("frame %d did not converge\n", t);
            return 1;
        }
        if (!(apart < 1e-8)) {
            std::printf("weights on threads are %g apart\n", apart);
            return 1;
        }
    }
    return 0;
}
