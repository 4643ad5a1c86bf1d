#include "synthesis_reader.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/files/tensor_file.h"
#include "rigcast/synthesis/latent/latent_space.h"
#include "rigcast/synthesis/playing/density_field.h"
#include "rigcast/synthesis/playing/particle.h"
#include "rigcast/synthesis/playing/shortest_paths.h"

namespace rigcast::checks {
namespace {

using synthesis::DensityField;
using synthesis::LatentSpace;

constexpr std::int64_t most_frames = 64;  // files that are grown beyond cost time, not paths

/// Numbers of a file in double precision, which the engine computes in.
struct Numbers {
    std::vector<double> values;
    std::int64_t rows = 0, columns = 0;

    Numbers(const TensorFile& file, const std::string& name) {
        const View<const float, 2> view = file.get<float, 2>(name);
        rows = view.extent(0);
        columns = view.extent(1);
        if (rows > most_frames || columns > most_frames) throw bad_argument("read", name.c_str(), "large", "small");
        values.assign(view.begin(), view.end());
    }
    View<const double, 2> view() const { return {values.data(), {rows, columns}}; }
};

void query(const LatentSpace& space, View<const double, 2> x) {
    std::vector<double> mean(static_cast<std::size_t>(x.extent(0) * space.num_outputs()));
    std::vector<double> variance(static_cast<std::size_t>(x.extent(0))), slopes(x.begin(), x.end());
    space.mean(x, {mean.data(), {x.extent(0), space.num_outputs()}}, 1);
    space.predictive_variance(x, {variance.data(), {x.extent(0)}}, 1);
    space.variance_gradient(x, {slopes.data(), x.extents()}, 1);
}

void find_paths(View<const double, 2> points) {
    std::vector<double> cost(static_cast<std::size_t>(points.extent(0)));
    std::vector<std::int32_t> next(cost.size());
    synthesis::shortest_paths(points, {points.row(0), {points.extent(1)}}, 4.0, {cost.data(), {points.extent(0)}},
                              {next.data(), {points.extent(0)}});
    for (std::int32_t row : next) {
        if (row < -1 || row >= points.extent(0)) throw std::logic_error("a path leads to a row that is none");
    }
}

void play(const DensityField& field, View<const double, 2> path, const Numbers& settings) {
    const double* s = settings.values.data();
    std::vector<double> radii(static_cast<std::size_t>(path.extent(0)), s[0]);
    std::vector<double> at(path.begin(), path.end()), speed(at.size()), still(static_cast<std::size_t>(path.extent(1)));
    const std::int64_t offsets[2] = {0, path.extent(0)};
    const std::int64_t first = std::abs(s[1]) < 9e18 ? static_cast<std::int64_t>(s[1]) : 0;
    const std::uint64_t seed = 5;
    synthesis::ParticleSettings own;
    own.frame_time = s[2];
    own.alpha = own.beta = s[3];
    own.random_timescale = s[4];
    own.likelihood_strength = own.random_strength = 1.0;
    own.substeps = own.alpha * own.frame_time < 8.0 ? 0 : 2;
    const View<const double, 2> start{path.row(0), {1, path.extent(1)}}, rest{still.data(), {1, path.extent(1)}};
    synthesis::step_particles(&field, own, start, rest,
                              {path, {radii.data(), {path.extent(0)}}, {offsets, {2}}, {&first, {1}}, {&seed, {1}}},
                              {{at.data(), path.extents()}, {speed.data(), path.extents()}}, 1);
}

void compute(const TensorFile& file) {
    const Numbers points(file, "points"), values(file, "values"), inducing(file, "inducing"), path(file, "path");
    const Numbers kernel(file, "kernel"), settings(file, "settings");
    if (kernel.values.size() < 3 || settings.values.size() < 5) throw bad_argument("read", "kernel", "short", "whole");
    const synthesis::Kernel own{kernel.values[0], kernel.values[1], kernel.values[2]};
    const LatentSpace space(points.view(), values.view(), own, inducing.view(), 1);
    query(space, points.view());
    query(space, path.view());
    find_paths(points.view());
    const DensityField field(points.view(), own.variance, own.length, own.noise, 1e-8);
    play(field, path.view(), settings);
}

}  // namespace

std::vector<std::byte> synthesis_file(int frames, int inducing, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    TensorFile file;
    const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns) {
        std::vector<float> numbers(static_cast<std::size_t>(rows * columns));
        for (float& number : numbers) number = normal(random);
        file.add(name, {rows, columns}, numbers.data());
    };
    add("points", frames, 3);
    add("values", frames, 2);
    add("inducing", inducing, 3);
    add("path", 5, 3);
    const float kernel[3] = {1.0f, 0.8f, 0.01f}, settings[5] = {0.3f, 7.0f, 0.04f, 12.0f, 0.3f};
    file.add("kernel", {1, 3}, kernel);
    file.add("settings", {1, 5}, settings);
    return file.serialize();
}

bool read_synthesis(std::span<const std::byte> bytes) {
    try {
        compute(TensorFile::parse(bytes, "fuzz"));
    } catch (const ArgumentError&) {
        return false;
    } catch (const NumericalError&) {
        return false;
    }
    return true;
}

}  // namespace rigcast::checks
