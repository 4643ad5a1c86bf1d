#include "bindings/c/calls.h"
#include "bindings/c/reports.h"
#include "rigcast/inverse/solve.h"

namespace c = rigcast::c;
using rigcast::View;
namespace inverse = rigcast::inverse;

struct rigcast_inverse {
    explicit rigcast_inverse(inverse::RigGram made) : gram(std::move(made)) {}
    inverse::RigGram gram;
};

namespace {

inverse::RigGram gram_of(const rigcast_model* model, const int32_t* vertices, int64_t count, const double* weights,
                         int64_t weight_count) {
    const auto rig = c::blendshapes_of("solve", model);
    const bool all_vertices = !c::is_given(rigcast_integers{vertices, count});
    const bool unweighted = !c::is_given(rigcast_doubles{weights, weight_count});
    if (all_vertices && unweighted) return inverse::RigGram(rig);
    std::vector<std::int32_t> all;
    if (all_vertices) {
        count = rig->character().num_vertices();
        for (std::int32_t v = 0; v < count; ++v) all.push_back(v);
        vertices = all.data();
    }
    const auto chosen = c::array<const int32_t, 1>("solve", "vertices", vertices, count, {count});
    const std::vector<double> ones(unweighted ? static_cast<std::size_t>(count) : 0, 1.0);
    if (unweighted) weights = ones.data(), weight_count = count;
    return {rig, chosen, c::array<const double, 1>("solve", "weights", weights, weight_count, {count})};
}

inverse::Problem problem_of(const inverse::RigGram& gram, const rigcast_shot& given) {
    const std::int64_t frames = given.frames, shapes = gram.rig().num_shapes();
    const std::int64_t vertices = std::ssize(gram.vertices());
    inverse::ShotTargets shot;
    shot.targets = c::needed_array<3>("solve", "targets", given.targets, {frames, vertices, 3});
    shot.alpha = given.alpha;
    shot.smoothness = given.smoothness;
    shot.bounds = c::given_array<2>("solve", "bounds", given.bounds, {shapes, 2});
    shot.fixed = c::given_array<2>("solve", "fixed", given.fixed, {frames, shapes});
    shot.prior_target = c::given_array<2>("solve", "prior_target", given.prior_target, {frames, shapes});
    shot.prior_strength = c::given_array<2>("solve", "prior_strength", given.prior_strength, {frames, shapes});
    shot.init = c::given_array<2>("solve", "start", given.start, {frames, shapes});
    const std::int64_t pairs = given.symmetric.count / 2;
    const auto ties = c::given_array<2>("solve", "symmetric", given.symmetric, {pairs, 2});
    for (std::int64_t i = 0; i < ties.extent(0); ++i) shot.symmetric.push_back({ties(i, 0), ties(i, 1)});
    return {gram, shot, given.threads};
}

}  // namespace

rigcast_status rigcast_inverse_new(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                   const double* weights, int64_t weight_count, rigcast_inverse** inverse) {
    return c::guarded([&] {
        rigcast_inverse*& out = c::place("inverse", inverse);
        out = c::handed_out(std::make_unique<rigcast_inverse>(gram_of(model, vertices, count, weights, weight_count)));
    });
}

rigcast_status rigcast_inverse_solve(const rigcast_inverse* inverse, const rigcast_shot* shot,
                                     rigcast_shot_result* result) {
    return c::guarded([&] {
        const inverse::RigGram& gram = c::object("inverse", inverse).gram;
        const rigcast_shot given = c::structure("solve", "shot", shot);
        const rigcast_shot_result out =
            c::structure("solve", "result", static_cast<const rigcast_shot_result*>(result));
        inverse::DescentOptions options;
        options.tolerance = c::setting("solve", "tolerance", given.tolerance, options.tolerance);
        options.max_iterations = c::setting<std::int64_t>("solve", "max_iterations", given.max_iterations, 0);
        options.threads = given.threads;
        options.coupled = given.frame_by_frame == 0;
        c::Reports reports(given.progress, given.user, given.frames);
        options.solved = [&](std::int64_t frames) { reports.advance(frames); };
        options.report = [&](std::int64_t, double) { reports.check(); };
        const inverse::Problem problem = problem_of(gram, given);
        const std::int64_t frames = problem.num_frames();
        const auto weights = c::given_array<2>("solve", "weights", out.weights, {frames, problem.num_shapes()});
        const auto objective = c::given_array<1>("solve", "objective", out.objective, {frames});
        const auto optimality = c::given_array<1>("solve", "optimality", out.optimality, {frames});
        const auto rmse = c::given_array<1>("solve", "rmse", out.rmse, {frames});
        const auto iterations = c::given_array<1>("solve", "iterations", out.iterations, {frames});
        const auto converged = c::given_array<1>("solve", "converged", out.converged, {frames});
        const inverse::ShotWeights found = inverse::solve(gram, problem, options);
        reports.advance(frames);
        c::write_given(weights, found.weights);
        c::write_given(objective, found.objective);
        c::write_given(optimality, found.optimality);
        c::write_given(rmse, found.rmse);
        c::write_given(iterations, found.iterations);
        c::write_given(converged, found.converged);
    });
}

void rigcast_inverse_free(rigcast_inverse* inverse) {
    c::free_object(inverse);
}
