#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/ik/limbs/foot_lock.h"
#include "rigcast/ik/limbs/space.h"

namespace rigcast::ik {

/// The offset of a foot from frame to frame; see lock_feet.
class FootOffset {
public:
    FootOffset(const FootLockRules& rules, double settled) : rules_(rules), settled_(settled) {}

    /// The offset of the next frame, in which the clip's toe is at `toe`. `contact` becomes false if it is released;
    /// reachable(offset): whether the leg allows an offset. longest_step: of the toe, with its offset. goal: the offset
    /// that it moves to outside of contacts.
    template <class Reachable>
    const Vec3& next(const Vec3& toe, double longest_step, const Vec3& goal, const Reachable& reachable,
                     bool& contact) {
        const bool begins = contact && !held_;
        const Vec3 step = first_ ? Vec3{} : toe - last_;
        if (!contact) released_ = false;
        if (contact && held_ && (length(anchor_ - toe) > rules_.release || !reachable(anchor_ - toe))) released_ = true;
        if (released_) contact = false;
        const Vec3 before = offset_;
        if (contact && !begins) {
            offset_ = anchor_ - toe;
        } else {
            approach(goal, first_ ? 0.0 : std::max(longest_step - length(step), 0.0));
        }
        if (length(offset_) <= settled_) offset_ = {};
        if (begins && contact) anchor_ = toe + offset_;
        velocity_ = rules_.fps * (offset_ - before);
        held_ = contact;
        first_ = false;
        last_ = toe;
        return offset_;
    }

    const Vec3& anchor() const { return anchor_; }

private:
    /// x(t) = (x + (v + w x) t) exp(-w t) with x = offset - goal, one frame, by at most `most`.
    void approach(const Vec3& goal, double most) {
        const double w = 6.0 / rules_.blend;  // under two percent of an offset are left after `blend`
        const double t = 1.0 / rules_.fps;
        const Vec3 away = offset_ - goal;
        const Vec3 target = goal + std::exp(-w * t) * (away + t * (velocity_ + w * away));
        const Vec3 change = target - offset_;
        const double size = length(change);
        offset_ = offset_ + (size > most ? most / size : 1.0) * change;
    }

    FootLockRules rules_;
    double settled_;
    Vec3 offset_{};
    Vec3 velocity_{};
    Vec3 anchor_{};
    Vec3 last_{};
    bool first_ = true;
    bool held_ = false;
    bool released_ = false;
};

/// The offset that a toe (T) moves to, per frame: in `blend` before a contact, and in its first frame, from where the
/// contact begins to the mean of its places as far as they are within `release` of the first; zero elsewhere.
std::vector<Vec3> offset_goals(const std::vector<Vec3>& toes, View<const std::uint8_t, 2> contacts, std::int64_t column,
                               const FootLockRules& rules);

}  // namespace rigcast::ik
