// Builds a small blendshape rig, evaluates a shot, recovers the shot's weights from its vertices, and saves the rig:
// invert_shot [RIG.safetensors]
#include <rigcast/rigcast.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

int main(int count, char** arguments) try {
    using namespace rigcast;
    constexpr std::int64_t vertices = 200;
    constexpr std::int64_t shapes = 6;
    constexpr std::int64_t frames = 40;
    std::mt19937 random(0);
    const auto numbers = [&](std::int64_t size) {
        std::vector<float> values(static_cast<std::size_t>(size));
        for (float& x : values) x = static_cast<float>(random()) / static_cast<float>(random.max()) - 0.5f;
        return values;
    };
    const std::vector<float> neutral = numbers(3 * vertices);
    const std::vector<float> deltas = numbers(3 * vertices * shapes);
    const std::vector<float> corrective = numbers(3 * vertices);
    const std::vector<float> inbetween = numbers(3 * vertices);
    rig::DenseBlendshapes dense{{neutral.data(), {vertices, 3}}, {deltas.data(), {shapes, vertices, 3}}};
    dense.combinations = {
        {{{0}, {1}}, {corrective.data(), {vertices, 3}}},  // driven by the product of weights 0 and 1
        {{{2, true, {0.0f, 0.5f, 1.0f}}}, {inbetween.data(), {vertices, 3}}}};  // by a tent over weight 2
    const auto rig = rig::make_blendshape_rig(dense);

    std::vector<float> weights(frames * shapes);
    std::vector<float> targets(frames * vertices * 3);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t k = 0; k < shapes; ++k) {
            weights[t * shapes + k] = 0.5f + 0.4f * std::sin(0.2f * static_cast<float>(t) + static_cast<float>(k));
        }
    }
    rig->evaluate({weights.data(), {frames, shapes}}, {targets.data(), {frames, vertices, 3}}, 0);

    const inverse::RigGram gram(rig);  // once per rig
    inverse::ShotTargets shot{{targets.data(), {frames, vertices, 3}}};
    shot.alpha = 0.0;  // sparsity: none
    const inverse::ShotWeights found = inverse::solve(gram, inverse::Problem(gram, shot));

    double error = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        error = std::max(error, std::abs(found.weights[i] - static_cast<double>(weights[i])));
    }
    const auto solved = std::count(found.converged.begin(), found.converged.end(), 1);
    std::printf("%lld of %lld frames solved, largest weight error %.1e\n", static_cast<long long>(solved),
                static_cast<long long>(frames), error);
    if (count > 1) rig->save(arguments[1]);
    return error < 1e-5 ? 0 : 1;
} catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
}
