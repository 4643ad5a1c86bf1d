#include "rigcast/capture/eyes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::capture {
namespace {

using linalg::Vec3;

/// An angle in (-pi, pi].
double wrapped(double angle) {
    return std::remainder(angle, 2.0 * std::numbers::pi);
}

double difference(const EyeTurn& a, const EyeTurn& b) {
    return std::hypot(wrapped(a.x - b.x), wrapped(a.y - b.y));
}

bool is_seen(const double* direction) {
    return std::isfinite(direction[0]) && std::isfinite(direction[1]) && std::isfinite(direction[2]);
}

void check_eyes(const std::array<Eye, 2>& eyes, View<const double, 2> origins, View<const double, 3> directions,
                View<double, 3> angles, View<std::uint8_t, 2> status) {
    const char* name = "turn_eyes";
    const std::int64_t frames = origins.extent(0);
    check_shape<const double, 2>(name, "origins", origins, {frames, 3});
    check_finite(name, "origins", origins);
    check_shape<const double, 3>(name, "directions", directions, {frames, 2, 3});
    check_shape<double, 3>(name, "angles", angles, {frames, 2, 2});
    check_shape<std::uint8_t, 2>(name, "status", status, {frames, 2});
    for (const Eye& eye : eyes) {
        const double radius = length(eye.pupil - eye.center);
        if (radius > 0.0 && std::isfinite(radius)) continue;
        throw bad_argument(name, "pupils", "at the center of their eye", "on its sphere");
    }
}

/// The rotations of both eyes, of which one may stand for both; adds eye_copied.
void reconcile(const std::array<EyeTurn, 2>& before, double disagreement, std::array<EyeTurn, 2>* turns,
               std::uint8_t* status) {
    const bool bad[2] = {status[0] != 0, status[1] != 0};
    if ((status[0] & eye_unseen) && (status[1] & eye_unseen)) {
        *turns = before;
        return;
    }
    if (bad[0] && bad[1] && !(status[0] & eye_unseen) && !(status[1] & eye_unseen)) return;
    int from = -1;
    if (bad[0] != bad[1]) {
        from = bad[0] ? 1 : 0;
    } else if (bad[0]) {
        from = (status[0] & eye_unseen) ? 1 : 0;
    } else if (difference((*turns)[0], (*turns)[1]) > disagreement) {
        from = difference((*turns)[0], before[0]) <= difference((*turns)[1], before[1]) ? 0 : 1;
    }
    if (from < 0) return;
    (*turns)[1 - from] = (*turns)[from];
    status[1 - from] |= eye_copied;
}

}  // namespace

EyeTurn turn_eye(const Eye& eye, const Vec3& origin, const Vec3& direction) {
    EyeTurn result;
    const Vec3 d = eye.pupil - eye.center, from = origin - eye.center;
    const double r2 = dot(d, d), r = std::sqrt(r2), along = -dot(from, direction) / dot(direction, direction);
    const Vec3 nearest = from + along * direction;
    const double off2 = dot(nearest, nearest);
    Vec3 s;
    if (off2 <= r2) {
        const double back = std::sqrt((r2 - off2) / dot(direction, direction));
        s = nearest - back * direction;
    } else {
        result.missed = true;
        s = (r / std::sqrt(off2)) * nearest;
    }
    const double height2 = r2 - d[0] * d[0];
    if (s[1] * s[1] > height2) {
        result.unreachable = true;
        const double height = std::sqrt(std::max(height2, 0.0)), flat = std::hypot(s[0], s[2]);
        const double left = std::fabs(d[0]);
        s = flat > 0.0 ? Vec3{s[0] * left / flat, std::copysign(height, s[1]), s[2] * left / flat}
                       : Vec3{0.0, std::copysign(height, s[1]), left};
    }
    const double depth = std::sqrt(std::max(height2 - s[1] * s[1], 0.0));
    const Vec3 a{d[0], s[1], std::copysign(depth, d[2])};
    result.x = wrapped(std::atan2(a[2], a[1]) - std::atan2(d[2], d[1]));
    result.y = wrapped(std::atan2(s[0], s[2]) - std::atan2(a[0], a[2]));
    return result;
}

void turn_eyes(const std::array<Eye, 2>& eyes, View<const double, 2> origins, View<const double, 3> directions,
               double disagreement, View<double, 3> angles, View<std::uint8_t, 2> status) {
    check_eyes(eyes, origins, directions, angles, status);
    std::array<EyeTurn, 2> before;
    for (std::int64_t t = 0; t < origins.extent(0); ++t) {
        std::array<EyeTurn, 2> turns;
        std::uint8_t* flags = status.row(t);
        for (int e = 0; e < 2; ++e) {
            const double* direction = directions.row(t) + 3 * e;
            flags[e] = 0;
            if (!is_seen(direction)) {
                flags[e] = eye_unseen;
                continue;
            }
            turns[e] = turn_eye(eyes[e], Vec3::at(origins.row(t)), Vec3::at(direction));
            if (turns[e].missed) flags[e] |= eye_missed;
            if (turns[e].unreachable) flags[e] |= eye_unreachable;
        }
        reconcile(before, disagreement, &turns, flags);
        before = turns;
        for (int e = 0; e < 2; ++e) angles(t, e, 0) = turns[e].x, angles(t, e, 1) = turns[e].y;
    }
}

}  // namespace rigcast::capture
