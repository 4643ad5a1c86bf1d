// The inverse rig in C++ alone: weights of a shot are found again under bounds, pins, priors, ties and smoothness, and
// wrong arguments are refused by name.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/inverse/solve.h"
#include "rigcast/rig/blendshapes/blendshape_build.h"

namespace {

using namespace rigcast;

constexpr std::int64_t vertices = 60, shapes = 5, frames = 12;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<float> random_numbers(std::mt19937& random, std::int64_t size) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& x : values) x = static_cast<float>(random()) / static_cast<float>(random.max()) - 0.5f;
    return values;
}

/// A rig with one combination, one in-between and one shape without effect (the last), and a shot of it.
struct Scene {
    std::shared_ptr<const rig::BlendshapeRig> rig;
    std::vector<float> weights, targets;
    std::vector<double> free, zero;  // (T, K)

    Scene() : weights(frames * shapes), targets(frames * vertices * 3), free(weights.size(), nan) {
        zero.assign(weights.size(), 0.0);
        std::mt19937 random(1);
        const std::vector<float> neutral = random_numbers(random, 3 * vertices);
        std::vector<float> deltas = random_numbers(random, 3 * vertices * shapes);
        std::fill(deltas.end() - 3 * vertices, deltas.end(), 0.0f);
        const std::vector<float> both = random_numbers(random, 3 * vertices),
                                 half = random_numbers(random, 3 * vertices);
        rig::DenseBlendshapes dense{{neutral.data(), {vertices, 3}}, {deltas.data(), {shapes, vertices, 3}}};
        dense.combinations = {{{{0, false, {}}, {1, false, {}}}, {both.data(), {vertices, 3}}},
                              {{{2, true, {0.0f, 0.5f, 1.0f}}}, {half.data(), {vertices, 3}}}};
        rig = rig::make_blendshape_rig(dense);
        for (std::int64_t i = 0; i < frames * shapes; ++i) {
            const bool idle = i % shapes == shapes - 1;
            weights[i] = idle ? 0.0f : 0.5f + 0.4f * std::sin(0.3f * static_cast<float>(i));
        }
        rig->evaluate({weights.data(), {frames, shapes}}, {targets.data(), {frames, vertices, 3}}, 0);
    }

    inverse::ShotTargets shot() const {
        inverse::ShotTargets own{{targets.data(), {frames, vertices, 3}}};
        own.alpha = 0.0;
        return own;
    }
    double error(const inverse::ShotWeights& found) const {
        double worst = 0.0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            worst = std::max(worst, std::abs(found.weights[i] - static_cast<double>(weights[i])));
        }
        return worst;
    }
};

View<const double, 2> rows(const std::vector<double>& numbers) {
    return {numbers.data(), {frames, shapes}};
}

int expect(bool holds, const char* what) {
    if (!holds) std::printf("WRONG: %s\n", what);
    return holds ? 0 : 1;
}

int expect_refusal(const std::string& argument, const std::function<void()>& call) {
    std::string said = "nothing";
    try {
        call();
    } catch (const ArgumentError& error) {
        said = error.what();
    }
    const bool named = said.rfind("solve: " + argument, 0) == 0;
    if (!named) std::printf("NOT REFUSED as %s: %s\n", argument.c_str(), said.c_str());
    return named ? 0 : 1;
}

int check_constraints(const Scene& scene, const inverse::RigGram& gram) {
    const inverse::ShotWeights plain = inverse::solve(gram, inverse::Problem(gram, scene.shot()));
    int wrong = expect(scene.error(plain) < 1e-5, "the weights of a shot are found again");
    wrong += expect(std::count(plain.converged.begin(), plain.converged.end(), 1) == frames, "every frame converges");
    wrong += expect(*std::max_element(plain.rmse.begin(), plain.rmse.end()) < 1e-5, "the vertices are met");

    inverse::DescentOptions one;
    one.threads = 1;
    wrong += expect(inverse::solve(gram, inverse::Problem(gram, scene.shot()), one).weights == plain.weights,
                    "same bytes for 1 thread");

    inverse::ShotTargets shot = scene.shot();
    std::vector<double> pins = scene.free;
    pins[2 * shapes + 1] = 0.25;
    shot.fixed = rows(pins);
    wrong += expect(inverse::solve(gram, inverse::Problem(gram, shot)).weight(2, 1) == 0.25,
                    "a pinned weight keeps its value");

    shot = scene.shot();
    const std::vector<double> narrow{0.0, 0.3, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3};
    shot.bounds = {narrow.data(), {shapes, 2}};
    const inverse::ShotWeights boxed = inverse::solve(gram, inverse::Problem(gram, shot));
    wrong += expect(*std::max_element(boxed.weights.begin(), boxed.weights.end()) == 0.3, "bounds are kept and met");

    shot = scene.shot();
    shot.symmetric = {{0, 3}};
    const inverse::ShotWeights tied = inverse::solve(gram, inverse::Problem(gram, shot));
    bool equal = true;
    for (std::int64_t t = 0; t < frames; ++t) equal = equal && tied.weight(t, 0) == tied.weight(t, 3);
    wrong += expect(equal, "tied shapes have equal weights");

    shot = scene.shot();
    const std::vector<double> aim(scene.free.size(), 0.75), strong(aim.size(), 1e9);
    shot.prior_target = rows(aim);
    shot.prior_strength = rows(strong);
    const inverse::ShotWeights pulled = inverse::solve(gram, inverse::Problem(gram, shot));
    wrong += expect(std::abs(pulled.weight(3, 0) - 0.75) < 1e-6, "a strong prior wins over the vertices");
    wrong += expect(std::abs(pulled.weight(3, 4) - 0.75) < 1e-6, "a prior moves a shape without effect");
    return wrong;
}

int check_idle(const Scene& scene, const inverse::RigGram& gram) {
    int wrong = 0;
    for (const auto& [low, high, rest] : {std::array{0.1, 0.4, 0.1}, std::array{-0.75, -0.25, -0.25}}) {
        inverse::ShotTargets shot = scene.shot();
        const std::vector<double> box{0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, low, high};
        std::vector<double> start(scene.zero.size(), 0.5);
        for (std::int64_t t = 0; t < frames; ++t) start[t * shapes + shapes - 1] = 0.5 * (low + high);
        shot.bounds = {box.data(), {shapes, 2}};
        shot.init = rows(start);
        const inverse::ShotWeights found = inverse::solve(gram, inverse::Problem(gram, shot));
        bool rests = true;
        for (std::int64_t t = 0; t < frames; ++t) rests = rests && found.weight(t, shapes - 1) == rest;
        wrong +=
            expect(rests, "a shape without effect takes the bound nearest to 0 in every frame, wherever it starts");
    }
    return wrong;
}

double roughness(const inverse::ShotWeights& found) {
    double sum = 0.0;
    for (std::int64_t t = 2; t < frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            const double bend = found.weight(t, k) - 2.0 * found.weight(t - 1, k) + found.weight(t - 2, k);
            sum += bend * bend;
        }
    }
    return sum;
}

int check_smoothness(const Scene& scene, const inverse::RigGram& gram) {
    inverse::ShotTargets shot = scene.shot();
    const double before = roughness(inverse::solve(gram, inverse::Problem(gram, shot)));
    shot.smoothness = 10.0;
    inverse::DescentOptions causal;
    causal.coupled = false;
    int wrong =
        expect(roughness(inverse::solve(gram, inverse::Problem(gram, shot))) < 0.5 * before, "smoothness smooths");
    wrong += expect(roughness(inverse::solve(gram, inverse::Problem(gram, shot), causal)) < before,
                    "and frame by frame, too");
    return wrong;
}

int check_refusals(const Scene& scene, const inverse::RigGram& gram) {
    const auto refused = [&](const std::string& argument, const std::function<void(inverse::ShotTargets&)>& change) {
        inverse::ShotTargets shot = scene.shot();
        change(shot);
        return expect_refusal(argument, [&] { inverse::solve(gram, inverse::Problem(gram, shot)); });
    };
    std::vector<float> broken = scene.targets;
    broken[5] = std::numeric_limits<float>::infinity();
    std::vector<double> outside = scene.free, negative = scene.zero;
    outside[3] = 2.0;
    negative[3] = -1.0;
    const std::vector<double> turned{1, 0, 0, 1, 0, 1, 0, 1, 0, 1};
    int wrong = refused("alpha", [](auto& shot) { shot.alpha = -1.0; });
    wrong += refused("alpha", [](auto& shot) { shot.alpha = nan; });  // that was not given
    wrong += refused("alpha", [](auto& shot) { shot.alpha = 1e304; });
    wrong += refused("smoothness", [](auto& shot) { shot.smoothness = nan; });
    wrong += refused("targets", [&](auto& shot) { shot.targets = {scene.targets.data(), {frames, 7, 3}}; });
    wrong += refused("targets", [&](auto& shot) { shot.targets = {broken.data(), {frames, vertices, 3}}; });
    wrong += refused("bounds", [&](auto& shot) { shot.bounds = {turned.data(), {shapes, 2}}; });
    wrong += refused("bounds", [&](auto& shot) { shot.bounds = {turned.data(), {2, 2}}; });
    wrong += refused("fixed", [&](auto& shot) { shot.fixed = rows(outside); });
    wrong += refused("priors", [&](auto& shot) { shot.prior_target = rows(scene.zero); });
    wrong += refused("priors", [&](auto& shot) {
        shot.prior_target = rows(scene.zero);
        shot.prior_strength = rows(negative);
    });
    wrong += refused("symmetric", [](auto& shot) { shot.symmetric = {{0, 1}, {1, 2}}; });
    wrong += refused("symmetric", [](auto& shot) { shot.symmetric = {{0, 5}}; });
    wrong += refused("init", [&](auto& shot) { shot.init = rows(negative); });
    return wrong;
}

}  // namespace

int main() {
    const Scene scene;
    const inverse::RigGram gram(scene.rig);
    const int wrong = check_constraints(scene, gram) + check_idle(scene, gram) + check_smoothness(scene, gram) +
                      check_refusals(scene, gram);
    if (wrong == 0) std::puts("shots are solved in C++ alone");
    return wrong;
}
