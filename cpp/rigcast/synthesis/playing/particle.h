#pragma once
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/synthesis/playing/density_field.h"

namespace rigcast::synthesis {

/// Particles of unit mass that follow paths through a latent space (Bailey 2020, section 5.5, signs mended).
///
/// With g = x - p(t), w = x' - p' and the constraint C = (|g|^2 - r^2) / 2 <= 0, the acceleration is F + lambda g with
///
///     lambda = min(0, -(g.(F - p'') + |w|^2 - r'^2 + 2 alpha C' + beta^2 C) / |g|^2),   C' = g.w - r r',
///
/// the Lagrange multiplier of Baumgarte's stabilized constraint C'' + 2 alpha C' + beta^2 C = 0, 0 where it would push
/// outward. With beta = alpha (critical damping) C'' + 2 alpha C' + alpha^2 C <= 0 keeps C <= 0 once C' + alpha C <= 0,
/// so the ball is never left. The path is linear between frames and integration never crosses its kinks: there, an
/// impulse along g restores C' + alpha C <= 0, as the multiplier of a plastic impact, after |w| was limited to
/// alpha r / 2, the fastest motion that the constraint force can turn around in time. A ball that shrinks by more than
/// a share alpha / 2 per second may be left until it has stopped shrinking.
///
/// F = -drag w + likelihood + random. Likelihood (5.11, 5.12): direction of the gradient of rho (DensityField),
/// magnitude likelihood_strength / (1 + exp((rho - likelihood_level) / likelihood_width)). Random: SmoothNoise of
/// random_timescale times random_strength, per axis. drag (not in the source) gives the noise a terminal speed.
struct ParticleSettings {
    double frame_time = 1.0 / 24.0;  // seconds
    double alpha = 12.0, beta = 12.0;
    double drag = 2.0;
    double likelihood_strength = 0.0, likelihood_level = 0.0, likelihood_width = 1.0;
    double random_strength = 0.0, random_timescale = 0.3;
    int substeps = 0;  // RK4 steps per frame; 0: as many as alpha, beta and drag need
};

/// Paths of B particles. Path b has the rows offsets(b) to offsets(b + 1) - 1, one point per frame and at least one:
/// a row more than frames to step.
struct ParticlePaths {
    View<const double, 2> points;             // (P, D)
    View<const double, 1> radii;              // (P), at least 0; linear between frames
    View<const std::int64_t, 1> offsets;      // (B + 1), from 0 to P
    View<const std::int64_t, 1> first_frame;  // (B): frame of the first row, for the random force
    View<const std::uint64_t, 1> seeds;       // (B)
};

/// Positions and velocities at every row of the paths; the first row is the start, after an impulse if one was needed.
struct ParticleTracks {
    View<double, 2> positions;   // (P, D)
    View<double, 2> velocities;  // (P, D)
};

/// Steps all particles along their paths from the start positions and velocities (B, D), by RK4. field may be null if
/// likelihood_strength is 0.
/// Guarantee: a particle's bytes depend on nothing but its own path, start, seed and first frame: not on the other
/// particles, on threads, or on how its path was cut into calls.
/// Throws ArgumentError if shapes do not match, a number is not finite, or a setting is out of its range.
void step_particles(const DensityField* field, const ParticleSettings& settings, View<const double, 2> positions,
                    View<const double, 2> velocities, const ParticlePaths& paths, const ParticleTracks& tracks,
                    int threads);

}  // namespace rigcast::synthesis
