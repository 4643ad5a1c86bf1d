#include "rigcast/inverse/solve.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::inverse {

ShotWeights solve(const RigGram& gram, const Problem& problem, const DescentOptions& options) {
    check_threads("solve", options.threads);
    const std::int64_t frames = problem.num_frames();
    const std::int64_t shapes = problem.num_shapes();
    ShotWeights found{frames, shapes, problem.start(), {}, {}, {}, {}, {}};
    found.iterations.resize(static_cast<std::size_t>(frames));
    const auto converged = std::make_unique<bool[]>(static_cast<std::size_t>(frames));
    const View<double, 2> weights(found.weights.data(), {frames, shapes});
    descend(gram, problem, options, {weights, {found.iterations.data(), {frames}}, {converged.get(), {frames}}});
    found.converged.assign(converged.get(), converged.get() + frames);
    for (std::size_t i = 0; i < found.weights.size(); ++i) {
        found.weights[i] = std::min(std::max(found.weights[i], problem.lower().data()[i]), problem.upper().data()[i]);
    }
    WeightQuality quality = problem.measure(gram, weights, !options.coupled, options.threads);
    found.objective = std::move(quality.objective);
    found.optimality = std::move(quality.optimality);
    found.rmse = std::move(quality.rmse);
    return found;
}

}  // namespace rigcast::inverse
