#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "rigcast/synthesis/playing/particle.h"
#include "rigcast/synthesis/playing/smooth_noise.h"

/// Particles that are stepped side by side: the work of step_particles, for its source file alone.
namespace rigcast::synthesis::particle {

inline constexpr std::int64_t lanes = DensityField::lanes;
inline constexpr std::int64_t most_axes = DensityField::max_dimensions;
inline constexpr double stiffest_step = 0.5;  // largest rate times step of RK4: its error per step is below 3e-4
inline constexpr double guard = 0.05;         // share of the radius below which |g| has no direction to push along

/// One number per axis and particle, side by side.
struct alignas(64) Vectors {
    double at[most_axes * lanes];
    double& operator()(std::int64_t axis, std::int64_t lane) { return at[lanes * axis + lane]; }
    double operator()(std::int64_t axis, std::int64_t lane) const { return at[lanes * axis + lane]; }
};

struct State {
    Vectors x, v;
};

/// A frame of the path of one particle: p(s) = from + s velocity, r(s) = radius + s growth.
struct FramePath {
    double from[most_axes], velocity[most_axes];
    double radius = 0.0, growth = 0.0;
};

inline double dot_of(const double* a, const double* b, std::int64_t count) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

/// The rate at which C may approach 0 without leaving: the slow root of s^2 + 2 alpha s + beta^2.
inline double approach_rate(const ParticleSettings& settings) {
    const double difference = settings.alpha * settings.alpha - settings.beta * settings.beta;
    return difference > 0.0 ? settings.alpha - std::sqrt(difference) : settings.alpha;
}

/// Up to `lanes` particles that are stepped side by side.
class Group {
public:
    Group(const DensityField* field, const ParticleSettings& settings, std::int64_t dimensions,
          const ParticlePaths& paths, std::int64_t first, std::int64_t count, double* memory)
        : field_(field),
          settings_(settings),
          noise_(settings.random_timescale),
          dimensions_(dimensions),
          paths_(paths),
          first_(first),
          count_(count),
          width_((count + 7) / 8 * 8),
          memory_(memory),
          heights_(memory + (field == nullptr ? 0 : field->memory_size(lanes))),
          force_(heights_ + window_size(settings)) {}

    static std::int64_t window_size(const ParticleSettings& settings) {
        return 2 * (26 + static_cast<std::int64_t>(std::ceil(2.0 * settings.frame_time / settings.random_timescale)));
    }
    static std::int64_t memory_size(const DensityField* field, const ParticleSettings& settings,
                                    std::int64_t dimensions, int substeps) {
        const std::int64_t own = field == nullptr ? 0 : field->memory_size(lanes);
        return own + window_size(settings) + (2 * substeps + 1) * dimensions * lanes;
    }

    void run(View<const double, 2> positions, View<const double, 2> velocities, const ParticleTracks& tracks,
             int substeps) {
        start(positions, velocities);
        std::int64_t longest = 0;
        for (std::int64_t lane = 0; lane < count_; ++lane) {
            if (frames(lane) == 0) {
                write(tracks, lane, 0);
            }
            longest = std::max(longest, frames(lane));
        }
        for (std::int64_t frame = 0; frame < longest; ++frame) {
            enter(frame, substeps);
            for (std::int64_t lane = 0; lane < count_; ++lane) {
                // Rows at kinks hold the velocity after the impulse; the last one that before it.
                if (frame < frames(lane)) write(tracks, lane, frame);
            }
            for (int step = 0; step < substeps; ++step) advance(step, settings_.frame_time / substeps);
            for (std::int64_t lane = 0; lane < count_; ++lane) {
                if (frame + 1 == frames(lane)) write(tracks, lane, frame + 1);
            }
        }
    }

private:
    std::int64_t particle(std::int64_t lane) const { return first_ + std::min(lane, count_ - 1); }
    std::int64_t frames(std::int64_t lane) const {
        return paths_.offsets(particle(lane) + 1) - paths_.offsets(particle(lane)) - 1;
    }

    void start(View<const double, 2> positions, View<const double, 2> velocities) {
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            for (std::int64_t lane = 0; lane < width_; ++lane) {
                state_.x(axis, lane) = positions(particle(lane), axis);
                state_.v(axis, lane) = velocities(particle(lane), axis);
            }
        }
    }

    void write(const ParticleTracks& tracks, std::int64_t lane, std::int64_t frame) const {
        const std::int64_t row = paths_.offsets(particle(lane)) + frame;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            tracks.positions(row, axis) = state_.x(axis, lane);
            tracks.velocities(row, axis) = state_.v(axis, lane);
        }
    }

    /// Begins a frame: the linear piece of each path, the impulse at its kink, and the random force at all stages.
    void enter(std::int64_t frame, int substeps) {
        for (std::int64_t lane = 0; lane < width_; ++lane) {
            FramePath& piece = pieces_[static_cast<std::size_t>(lane)];
            const std::int64_t last = paths_.offsets(particle(lane) + 1) - 1;
            const std::int64_t row = std::min(paths_.offsets(particle(lane)) + frame, last);
            const std::int64_t next = std::min(row + 1, last);
            for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                piece.from[axis] = paths_.points(row, axis);
                piece.velocity[axis] = (paths_.points(next, axis) - piece.from[axis]) / settings_.frame_time;
            }
            piece.radius = paths_.radii(row);
            piece.growth = (paths_.radii(next) - piece.radius) / settings_.frame_time;
            if (frame < frames(lane)) collide(piece, lane);
            if (settings_.random_strength > 0.0) draw(lane, frame, substeps);
        }
    }

    /// Limits the velocity relative to the path to what the constraint force can turn around inside the ball.
    void collide(const FramePath& piece, std::int64_t lane) {
        double g[most_axes], w[most_axes];
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            g[axis] = state_.x(axis, lane) - piece.from[axis];
            w[axis] = state_.v(axis, lane) - piece.velocity[axis];
        }
        const double speed = std::sqrt(dot_of(w, w, dimensions_));
        const double most = 0.5 * settings_.alpha * piece.radius;
        const double share = speed > most ? most / speed : 1.0;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) w[axis] *= share;
        const double square = dot_of(g, g, dimensions_);
        const double constraint = 0.5 * (square - piece.radius * piece.radius);
        const double outward =
            dot_of(g, w, dimensions_) - piece.radius * piece.growth + approach_rate(settings_) * constraint;
        const bool impact = outward > 0.0 && square > guard * guard * piece.radius * piece.radius && square > 0.0;
        if (share == 1.0 && !impact) return;
        // With a constant radius the impulse is never above |w|; a ball that shrinks too fast is left for a while.
        const double size = impact ? std::min(outward / std::sqrt(square), most) / std::sqrt(square) : 0.0;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            const double impulse = size * g[axis];
            state_.v(axis, lane) = piece.velocity[axis] + w[axis] - impulse;
        }
    }

    void draw(std::int64_t lane, std::int64_t frame, int substeps) {
        const std::int64_t now = paths_.first_frame(particle(lane)) + frame;
        const double time = static_cast<double>(now) * settings_.frame_time;
        const SmoothNoise::Window window = noise_.window(time, time + settings_.frame_time);
        double* weights = heights_ + window_size(settings_) / 2;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
            noise_.heights(paths_.seeds(particle(lane)), static_cast<std::uint64_t>(axis), window, heights_);
            for (int half = 0; half <= 2 * substeps; ++half) {
                noise_.weights(time + settings_.frame_time * half / (2 * substeps), window, weights);
                force_[lanes * (dimensions_ * half + axis) + lane] =
                    settings_.random_strength * dot_of(weights, heights_, window.count);
            }
        }
    }

    /// Accelerations of a state at the half step `half` of the frame, `time` seconds after its begin.
    void accelerate(const State& state, int half, double time, Vectors& acceleration) {
        if (settings_.likelihood_strength > 0.0) {
            field_->evaluate_side_by_side(count_, state.x.at, density_.data(), gradient_.at, memory_);
        }
        for (std::int64_t lane = 0; lane < width_; ++lane) {
            const FramePath& piece = pieces_[static_cast<std::size_t>(lane)];
            double force[most_axes], g[most_axes], w[most_axes];
            const double push = likelihood(lane);
            for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                g[axis] = state.x(axis, lane) - piece.from[axis] - time * piece.velocity[axis];
                w[axis] = state.v(axis, lane) - piece.velocity[axis];
                force[axis] = -settings_.drag * w[axis];
                if (push > 0.0) force[axis] += push * gradient_(axis, lane);
                if (settings_.random_strength > 0.0) {
                    force[axis] += force_[lanes * (dimensions_ * half + axis) + lane];
                }
            }
            const double pull = multiplier(g, w, force, piece.radius + time * piece.growth, piece.growth);
            for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                acceleration(axis, lane) = force[axis] + pull * g[axis];
            }
        }
    }

    /// What the gradient of the log density is multiplied by; 0 where it has no direction.
    double likelihood(std::int64_t lane) const {
        if (settings_.likelihood_strength <= 0.0) return 0.0;
        double square = 0.0;
        for (std::int64_t axis = 0; axis < dimensions_; ++axis) square += gradient_(axis, lane) * gradient_(axis, lane);
        if (square < 1e-200) return 0.0;
        const double level = (density_[static_cast<std::size_t>(lane)] - settings_.likelihood_level);
        return settings_.likelihood_strength / (1.0 + std::exp(level / settings_.likelihood_width)) / std::sqrt(square);
    }

    double multiplier(const double* g, const double* w, const double* force, double radius, double growth) const {
        const double square = dot_of(g, g, dimensions_);
        const double constraint = 0.5 * (square - radius * radius);
        const double slope = dot_of(g, w, dimensions_) - radius * growth;
        const double demand = dot_of(g, force, dimensions_) + dot_of(w, w, dimensions_) - growth * growth +
                              2.0 * settings_.alpha * slope + settings_.beta * settings_.beta * constraint;
        if (!(demand > 0.0)) return 0.0;
        const double least = guard * guard * radius * radius;
        return square > 0.0 ? -demand / std::max(square, least) : 0.0;
    }

    /// One step of the classical fourth-order method.
    void advance(int step, double h) {
        static constexpr double place[] = {0.0, 0.5, 0.5, 1.0}, share[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
        State stage = state_, sum = state_;
        Vectors acceleration;
        for (int s = 0; s < 4; ++s) {
            accelerate(stage, 2 * step + static_cast<int>(2.0 * place[s]), h * (step + place[s]), acceleration);
            const double ahead = s < 3 ? h * place[s + 1] : 0.0;
            for (std::int64_t axis = 0; axis < dimensions_; ++axis) {
                for (std::int64_t lane = 0; lane < width_; ++lane) {
                    const double velocity = stage.v(axis, lane), change = acceleration(axis, lane);
                    sum.x(axis, lane) += h * share[s] * velocity;
                    sum.v(axis, lane) += h * share[s] * change;
                    stage.x(axis, lane) = state_.x(axis, lane) + ahead * velocity;
                    stage.v(axis, lane) = state_.v(axis, lane) + ahead * change;
                }
            }
        }
        state_ = sum;
    }

    const DensityField* field_;
    const ParticleSettings& settings_;
    SmoothNoise noise_;
    std::int64_t dimensions_;
    const ParticlePaths& paths_;
    std::int64_t first_, count_, width_;
    double* memory_;
    double* heights_;
    double* force_;
    State state_{};
    Vectors gradient_{};
    alignas(64) std::array<double, lanes> density_{};
    std::array<FramePath, lanes> pieces_{};
};

}  // namespace rigcast::synthesis::particle
