#pragma once
#include <cstdint>

#include "rigcast/core/view.h"

namespace rigcast::ik {

/// When a point counts as planted. Lengths in the rig's unit, times in seconds.
struct ContactRules {
    double height = 0.05;    // above the ground
    double speed = 0.3;      // per second
    double looser = 1.5;     // a contact goes on up to this multiple of height and speed
    double shortest = 0.05;  // shorter contacts are dropped
    double fps = 30.0;
};

/// Finds when a point stands on the ground: a contact begins in a frame where its height and speed are below their
/// bounds, and goes on while they are below `looser` times these (hysteresis). The speed of a frame is the smaller of
/// those to its two neighbors, so that the first and the last frame of a contact belong to it. The ground is the height
/// that a fiftieth of the frames are below.
/// points: (T, 3). up: 0, 1 or 2, the axis of heights. contacts: (T,), 1 in contact, else 0.
/// Throws ArgumentError if a shape is wrong, a number is not finite, or a rule is out of its range.
void find_contacts(View<const double, 2> points, int up, const ContactRules& rules, View<std::uint8_t, 1> contacts);

}  // namespace rigcast::ik
