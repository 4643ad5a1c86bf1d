#include "rigcast/synthesis/playing/particle.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/synthesis/playing/particle_group.h"

namespace rigcast::synthesis {
namespace {

using particle::Group;
using particle::lanes;
using particle::most_axes;
using particle::stiffest_step;

constexpr double most_timescales_per_frame = 1e6;

void check_setting(const char* name, double value, double least, bool above) {
    if (std::isfinite(value) && (above ? value > least : value >= least)) return;
    throw bad_argument("step_particles", name, std::to_string(value),
                       std::string("a finite number ") + (above ? "above " : "of at least ") +
                           std::to_string(static_cast<int>(least)));
}

void check_settings(const ParticleSettings& s) {
    check_setting("frame_time", s.frame_time, 0.0, true);
    check_setting("alpha", s.alpha, 0.0, true);
    check_setting("beta", s.beta, 0.0, true);
    check_setting("drag", s.drag, 0.0, false);
    check_setting("likelihood_strength", s.likelihood_strength, 0.0, false);
    check_setting("likelihood_width", s.likelihood_width, 0.0, true);
    check_setting("random_strength", s.random_strength, 0.0, false);
    check_setting("random_timescale", s.random_timescale, 0.0, true);
    if (!std::isfinite(s.likelihood_level)) {
        throw bad_argument("step_particles", "likelihood_level", std::to_string(s.likelihood_level), "finite");
    }
    if (s.substeps < 0 || s.substeps > 1000) {
        throw bad_argument("step_particles", "substeps", std::to_string(s.substeps), "from 0 to 1000");
    }
}

/// The random force counts bumps, two per timescale, from time 0 on: their numbers are whole and exact up to here.
void check_times(const ParticleSettings& s, const ParticlePaths& paths) {
    const double per_frame = s.frame_time / s.random_timescale;
    if (!(per_frame <= most_timescales_per_frame)) {
        throw bad_argument("step_particles", "random_timescale", std::to_string(s.random_timescale),
                           "at least a millionth of frame_time");
    }
    const std::int64_t most = SmoothNoise::farthest_frame(s.frame_time, s.random_timescale);
    for (std::int64_t b = 0; b < paths.first_frame.extent(0); ++b) {
        const std::int64_t first = paths.first_frame(b), frames = paths.offsets(b + 1) - paths.offsets(b);
        if (first < -most || first > most - frames) {
            throw bad_argument("step_particles", "first_frame", std::to_string(first),
                               "within " + std::to_string(most) + " frames of 0, with the frames of the path");
        }
    }
}

int substeps_of(const ParticleSettings& s) {
    if (s.substeps > 0) return s.substeps;
    const double rate = std::max({s.alpha, s.beta, s.drag});
    return static_cast<int>(std::clamp(std::ceil(rate * s.frame_time / stiffest_step), 1.0, 1000.0));
}

void check_offsets(const ParticlePaths& paths) {
    const std::int64_t count = paths.offsets.extent(0) - 1;
    bool right = count >= 0 && paths.offsets(0) == 0 && paths.offsets(count) == paths.points.extent(0);
    for (std::int64_t b = 0; right && b < count; ++b) right = paths.offsets(b + 1) > paths.offsets(b);
    if (!right) {
        throw bad_argument("step_particles", "offsets", "of another form",
                           "rising from 0 to the number of points, one more than particles");
    }
}

void check_arguments(const DensityField* field, const ParticleSettings& settings, View<const double, 2> positions,
                     View<const double, 2> velocities, const ParticlePaths& paths, const ParticleTracks& tracks) {
    const char* function = "step_particles";
    check_settings(settings);
    check_offsets(paths);
    const std::int64_t count = paths.offsets.extent(0) - 1, dimensions = positions.extent(1);
    const std::int64_t rows = paths.points.extent(0);
    if (dimensions < 1 || dimensions > most_axes) {
        throw bad_argument(function, "positions", describe_shape<2>(positions.extents()), "(B, D), D from 1 to 16");
    }
    if (field == nullptr ? settings.likelihood_strength > 0.0 : field->num_dimensions() != dimensions) {
        throw bad_argument(function, "field", field == nullptr ? "missing" : "of other dimensions",
                           "a DensityField of " + std::to_string(dimensions) + " dimensions");
    }
    check_shape<const double, 2>(function, "positions", positions, {count, dimensions});
    check_shape<const double, 2>(function, "velocities", velocities, {count, dimensions});
    check_shape<const double, 2>(function, "points", paths.points, {rows, dimensions});
    check_shape<const double, 1>(function, "radii", paths.radii, {rows});
    check_shape<const std::int64_t, 1>(function, "first_frame", paths.first_frame, {count});
    check_shape<const std::uint64_t, 1>(function, "seeds", paths.seeds, {count});
    check_shape<double, 2>(function, "tracks.positions", tracks.positions, {rows, dimensions});
    check_shape<double, 2>(function, "tracks.velocities", tracks.velocities, {rows, dimensions});
    check_finite(function, "positions", positions);
    check_finite(function, "velocities", velocities);
    check_finite(function, "points", paths.points);
    check_finite(function, "radii", paths.radii);
    check_times(settings, paths);
    for (const double radius : paths.radii) {
        if (radius < 0.0) throw bad_argument(function, "radii", std::to_string(radius), "at least 0");
    }
}

}  // namespace

void step_particles(const DensityField* field, const ParticleSettings& settings, View<const double, 2> positions,
                    View<const double, 2> velocities, const ParticlePaths& paths, const ParticleTracks& tracks,
                    int threads) {
    check_threads("step_particles", threads);
    check_arguments(field, settings, positions, velocities, paths, tracks);
    const std::int64_t count = paths.offsets.extent(0) - 1;
    const int substeps = substeps_of(settings);
    // Narrow groups where there are few particles for the threads.
    const std::int64_t processors = threads > 0 ? threads : num_processors();
    const std::int64_t width = std::clamp<std::int64_t>((count / processors + 7) / 8 * 8, 8, lanes);
    parallel_for((count + width - 1) / width, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(
            static_cast<std::size_t>(Group::memory_size(field, settings, positions.extent(1), substeps)));
        for (std::int64_t group = begin; group < end; ++group) {
            const std::int64_t first = width * group;
            Group(field, settings, positions.extent(1), paths, first, std::min(width, count - first), memory.data())
                .run(positions, velocities, tracks, substeps);
        }
    });
}

}  // namespace rigcast::synthesis
