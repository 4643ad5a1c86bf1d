#include "rigcast/synthesis/playing/play_settings.h"

#include <cmath>
#include <cstdlib>

#include "rigcast/core/check.h"

namespace rigcast::synthesis {
namespace {

constexpr double most = 1e6;
constexpr double fastest_rate = 1e3;  // 1 / s: stable with a thousand integration steps per frame
constexpr double highest_power = 64.0;
constexpr std::int64_t most_frames = 1000;

void check_count(const char* function, const char* argument, std::int64_t value) {
    if (value >= 1 && value <= most_frames) return;
    throw bad_argument(function, argument, std::to_string(value),
                       "a whole number from 1 to " + std::to_string(most_frames));
}

}  // namespace

std::string number_text(double value) {
    if (std::abs(value) < 1e16 && value == std::floor(value)) return describe_number(value, 17) + ".0";
    std::string text;
    for (int digits = 1; digits <= 17; ++digits) {
        text = describe_number(value, digits);
        if (std::strtod(text.c_str(), nullptr) == value) break;
    }
    return text;
}

void check_bounds(const char* function, const std::string& argument, double value, double least, bool above,
                  double highest) {
    if (std::isfinite(value) && (above ? value > least : value >= least) && value <= highest) return;
    throw bad_argument(function, argument, number_text(value),
                       std::string("a finite number ") + (above ? "above " : "of at least ") + number_text(least) +
                           ", at most " + number_text(highest));
}

void check_play_settings(const char* function, const PlaySettings& s) {
    check_bounds(function, "speed", s.speed, 0.0, true, most);
    check_bounds(function, "radius", s.radius, 0.0, true, most);
    check_bounds(function, "wander", s.wander, 0.0, false, most);
    check_bounds(function, "likelihood", s.likelihood, 0.0, false, most);
    check_bounds(function, "timescale", s.timescale, shortest_timescale, false, most);
    check_bounds(function, "drag", s.drag, 0.0, true, fastest_rate);
    check_bounds(function, "stiffness", s.stiffness, 0.0, true, fastest_rate);
    check_bounds(function, "hold", s.hold, 0.0, false, most);
    check_bounds(function, "power", s.power, 0.0, true, highest_power);
    check_bounds(function, "slow", s.slow, 0.0, false, 1.0);
    check_bounds(function, "least", s.least, 0.0, false, 1.0);
    check_count(function, "blend", s.blend);
    check_count(function, "settle", s.settle);
    check_threads(function, s.threads);
}

}  // namespace rigcast::synthesis
