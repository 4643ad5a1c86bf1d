#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/ik/limbs/foot_lock.h"
#include "rigcast/ik/limbs/space.h"

namespace rigcast::ik {
namespace {

double ground_height(View<const double, 2> points, int up) {
    std::vector<double> heights(static_cast<std::size_t>(points.extent(0)));
    for (std::size_t t = 0; t < heights.size(); ++t) heights[t] = points(static_cast<std::int64_t>(t), up);
    const auto chosen = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 50);
    std::nth_element(heights.begin(), chosen, heights.end());
    return *chosen;
}

/// Distance per frame to the nearer neighbor in time; 0 for a single frame.
double smaller_step(View<const double, 2> points, std::int64_t t) {
    const auto step = [&](std::int64_t a, std::int64_t b) { return length(linalg::difference(points.data(), a, b)); };
    const std::int64_t last = points.extent(0) - 1;
    if (last == 0) return 0.0;
    if (t == 0) return step(1, 0);
    return t == last ? step(t, t - 1) : std::min(step(t, t - 1), step(t + 1, t));
}

void check_rules(const ContactRules& rules) {
    const auto check = [](const char* name, double value, bool fits, const char* must) {
        if (!fits) throw bad_argument("find_contacts", name, std::to_string(value), must);
    };
    check("height", rules.height, rules.height > 0.0 && std::isfinite(rules.height), "above 0, and finite");
    check("speed", rules.speed, rules.speed > 0.0 && std::isfinite(rules.speed), "above 0, and finite");
    check("looser", rules.looser, rules.looser >= 1.0 && std::isfinite(rules.looser), "at least 1, and finite");
    check("shortest", rules.shortest, rules.shortest >= 0.0 && std::isfinite(rules.shortest), "at least 0, and finite");
    check("fps", rules.fps, rules.fps > 0.0 && std::isfinite(rules.fps), "above 0, and finite");
}

}  // namespace

void find_contacts(View<const double, 2> points, int up, const ContactRules& rules, View<std::uint8_t, 1> contacts) {
    const std::int64_t frames = points.extent(0);
    check_shape<const double, 2>("find_contacts", "points", points, {-1, 3});
    check_shape<std::uint8_t, 1>("find_contacts", "contacts", contacts, {frames});
    check_finite("find_contacts", "points", points);
    if (up < 0 || up > 2) throw bad_argument("find_contacts", "up", std::to_string(up), "0, 1 or 2");
    check_rules(rules);
    if (frames == 0) return;
    const double ground = ground_height(points, up);
    bool on = false;
    for (std::int64_t t = 0; t < frames; ++t) {
        const double factor = on ? rules.looser : 1.0;
        on = points(t, up) - ground <= factor * rules.height &&
             smaller_step(points, t) * rules.fps <= factor * rules.speed;
        contacts(t) = on ? 1 : 0;
    }
    for (std::int64_t t = 0; t < frames; ++t) {
        if (contacts(t) == 0) continue;
        std::int64_t end = t;
        while (end < frames && contacts(end) != 0) ++end;
        if (static_cast<double>(end - t) < rules.shortest * rules.fps) {
            std::fill(contacts.data() + t, contacts.data() + end, std::uint8_t{0});
        }
        t = end;
    }
}

}  // namespace rigcast::ik
