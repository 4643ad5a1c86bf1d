#pragma once
#include <cstdint>
#include <string>

namespace rigcast::synthesis {

/// How players move. Latent lengths are counted in steps: the median distance between frames of a label.
struct PlaySettings {
    double speed = 1.0;       // steps per frame along a path: 1 is as fast as the clips
    double radius = 4.0;      // steps that a particle may be away from its path
    double wander = 0.7;      // strength of the random force: 1 lets particles move about as fast as the clips
    double likelihood = 4.0;  // strength of the force towards training points, relative to the random force
    double timescale = 0.35;  // seconds in which the random force changes, at least a millisecond
    double drag = 2.0;        // share of the velocity relative to the path that is lost per second, at most 1,000
    double stiffness = 12.0;  // rate (1 / s) at which the constraint works, at most 1,000
    double hold = 0.0;        // seconds that idling rests at each pose
    double power = 4.0;       // of distances in the graph of shortest paths, at most 64
    double slow = 0.05;       // quantiles of the density one step from the training points: paths slow down below that
    double least = 0.0;       // of `slow`, and turn back below that of `least`
    std::int64_t blend = 12;  // frames of a transition, and of a join to a clip: 1 to 1,000
    std::int64_t settle = 6;  // frames of idling before a transition: 1 to 1,000
    bool blends = false;      // both sides of a join are blended; otherwise their difference decays (inertialization)
    int threads = 0;          // 0: all processors
};

/// Throws ArgumentError, which names `function` and the setting, if one is out of its range.
void check_play_settings(const char* function, const PlaySettings& settings);

inline constexpr double shortest_timescale = 1e-3;  // seconds: memory and time of a frame grow with their number

/// Throws ArgumentError unless a number is finite and from `least` (above it if `above`) to `most`.
void check_bounds(const char* function, const std::string& argument, double value, double least, bool above,
                  double most);

/// A number as texts show it: the fewest digits that read back as the same, "1.0" for whole ones.
std::string number_text(double value);

}  // namespace rigcast::synthesis
