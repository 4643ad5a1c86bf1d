#include "rigcast/ik/limbs/foot_lock.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/view.h"
#include "rigcast/ik/limbs/space.h"

namespace rigcast::ik {
namespace {

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

std::vector<Vec3> offset_goals(const std::vector<Vec3>& toes, View<const std::uint8_t, 2> contacts, std::int64_t column,
                               const FootLockRules& rules) {
    const std::int64_t frames = contacts.extent(0);
    const std::int64_t window = std::lround(rules.blend * rules.fps);
    std::vector<Vec3> goals(toes.size(), Vec3{});
    for (std::int64_t begin = 0, end = 0; begin < frames; begin = end + 1) {
        end = begin;
        if (contacts(begin, column) == 0) continue;
        const Vec3 first = toes[static_cast<std::size_t>(begin)];
        Vec3 sum{};
        double count = 0.0;
        for (; end < frames && contacts(end, column) != 0; ++end) {
            const Vec3 away = toes[static_cast<std::size_t>(end)] - first;
            if (length(away) > rules.release) continue;
            sum = sum + away;
            count += 1.0;
        }
        for (std::int64_t t = begin; t >= 0 && t > begin - window && (t == begin || contacts(t, column) == 0); --t) {
            goals[static_cast<std::size_t>(t)] = (1.0 / count) * sum;
        }
    }
    return goals;
}

const char* const function = "foot_lock";

/// Offsets below this share of the numbers that they are made from are rounding of float32.
constexpr double rounding = 2e-6;

void check_joint(const rig::Skeleton& skeleton, const char* argument, int joint) {
    if (joint >= 0 && joint < skeleton.num_joints()) return;
    throw bad_argument(function, argument, std::to_string(joint),
                       "a joint from 0 to " + std::to_string(skeleton.num_joints() - 1));
}

void check_poses(const rig::Skeleton& skeleton, View<const float, 2> poses) {
    if (poses.extent(1) < 12 * static_cast<std::int64_t>(skeleton.num_joints())) {
        throw bad_argument(function, "poses", describe_shape<2>(poses.extents()),
                           "at least " + std::to_string(12 * skeleton.num_joints()) + " wide");
    }
    check_finite(function, "poses", poses);
}

bool is_below(const rig::Skeleton& skeleton, int joint, int ancestor) {
    while (joint >= 0 && joint != ancestor) joint = skeleton.parents()[static_cast<std::size_t>(joint)];
    return joint >= 0;
}

void check(const rig::Skeleton& skeleton, std::span<const Foot> feet, View<const float, 2> poses,
           View<const std::uint8_t, 2> contacts, View<const double, 2> longest_steps, const FootLockRules& rules) {
    check_joint(skeleton, "pelvis", rules.pelvis);
    for (const Foot& foot : feet) {
        check_joint(skeleton, "feet", foot.toe);
        if (!is_below(skeleton, foot.toe, foot.leg->end_joint())) {
            throw bad_argument(function, "feet", "with the toe " + skeleton.names()[static_cast<std::size_t>(foot.toe)],
                               "legs with their ankle or a joint below it");
        }
        if (!is_below(skeleton, foot.leg->upper_joint(), rules.pelvis)) {
            throw bad_argument(function, "pelvis", skeleton.names()[static_cast<std::size_t>(rules.pelvis)],
                               "a joint above all hips");
        }
    }
    check_poses(skeleton, poses);
    check_shape<const std::uint8_t, 2>(function, "contacts", contacts,
                                       {poses.extent(0), static_cast<std::int64_t>(feet.size())});
    check_shape<const double, 2>(function, "longest_steps", longest_steps, contacts.extents());
    if (rules.up < 0 || rules.up > 2) throw bad_argument(function, "up", std::to_string(rules.up), "0, 1 or 2");
    const auto positive = [](const char* name, double x) {
        if (!(x > 0.0 && std::isfinite(x)))
            throw bad_argument(function, name, std::to_string(x), "above 0, and finite");
    };
    positive("release", rules.release);
    positive("blend", rules.blend);
    positive("fps", rules.fps);
}

/// How far a hip must come down so that the ankle is at most `longest` away; infinite if nothing helps.
double needed_drop(const Vec3& hip, const Vec3& ankle, double longest, int up) {
    const Vec3 v = hip - ankle;
    if (dot(v, v) <= longest * longest) return 0.0;
    const double height = v[static_cast<std::size_t>(up)];
    const double across = dot(v, v) - height * height;
    const bool helps = height > 0.0 && across < longest * longest;
    return helps ? height - std::sqrt(longest * longest - across) : std::numeric_limits<double>::infinity();
}

/// Where a foot goes: per frame the ankle's target, the anchor of the toe, and whether the foot moves.
struct FootPath {
    std::vector<Vec3> ankles;
    std::vector<Vec3> hips;
    std::vector<Vec3> anchors;
    std::vector<char> moved;
    double longest = 0.0;  // distance of ankle and hip in the clip
};

/// Writes column `column` of the contacts.
FootPath foot_path(const rig::Skeleton& skeleton, const Foot& foot, View<const float, 2> poses,
                   View<const std::uint8_t, 2> contacts, View<const double, 2> longest_steps,
                   const FootLockRules& rules, std::int64_t column, View<std::uint8_t, 2> kept) {
    FootPath path;
    double size = 0.0;
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const Limb::State s = foot.leg->state(function, poses.row(t), t);
        path.hips.push_back(s.upper.t);
        path.ankles.push_back(s.end.t);
        path.longest = std::max(path.longest, length(s.end.t - s.upper.t));
        size = std::max(size, length(s.end.t) + s.upper_length + s.lower_length);
    }
    std::vector<Vec3> toes;
    for (std::int64_t t = 0; t < poses.extent(0); ++t) toes.push_back(global_of(skeleton, foot.toe, poses.row(t)).t);
    const std::vector<Vec3> goals = offset_goals(toes, contacts, column, rules);
    FootOffset offset(rules, rounding * size);
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const std::size_t i = static_cast<std::size_t>(t);
        const auto reachable = [&](const Vec3& moved) {
            return needed_drop(path.hips[i], path.ankles[i] + moved, path.longest, rules.up) <= rules.release;
        };
        bool contact = contacts(t, column) != 0;
        const Vec3 moved = offset.next(toes[i], longest_steps(t, column), goals[i], reachable, contact);
        kept(t, column) = contact ? 1 : 0;
        path.ankles[i] = path.ankles[i] + moved;
        path.anchors.push_back(offset.anchor());
        path.moved.push_back(dot(moved, moved) > 0.0 ? 1 : 0);
    }
    return path;
}

/// A smooth curve that is nowhere below `values`: the largest values of a window, then their means over the same
/// window.
std::vector<double> smooth_bound(const std::vector<double>& values, std::int64_t half) {
    const std::int64_t count = static_cast<std::int64_t>(values.size());
    const auto window = [&](std::int64_t t) {
        return std::pair{std::max<std::int64_t>(t - half, 0), std::min(t + half + 1, count)};
    };
    std::vector<double> largest(values.size());
    std::vector<double> mean(values.size());
    for (std::int64_t t = 0; t < count; ++t) {
        const auto [begin, end] = window(t);
        largest[static_cast<std::size_t>(t)] = *std::max_element(values.begin() + begin, values.begin() + end);
    }
    for (std::int64_t t = 0; t < count; ++t) {
        const auto [begin, end] = window(t);
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) sum += largest[static_cast<std::size_t>(i)];
        mean[static_cast<std::size_t>(t)] = sum / static_cast<double>(end - begin);
    }
    return mean;
}

/// How far the pelvis is lowered per frame.
std::vector<double> pelvis_drops(const std::vector<FootPath>& paths, std::int64_t frames, const FootLockRules& rules) {
    std::vector<double> needed(static_cast<std::size_t>(frames));
    for (const FootPath& path : paths) {
        for (std::size_t t = 0; t < needed.size(); ++t) {
            if (path.moved[t] == 0) continue;  // the clip's own leg is short enough
            const double drop = needed_drop(path.hips[t], path.ankles[t], path.longest, rules.up);
            if (drop <= rules.release) needed[t] = std::max(needed[t], drop);
        }
    }
    return smooth_bound(needed, static_cast<std::int64_t>(std::lround(rules.blend * rules.fps)));
}

void lower_joint(const rig::Skeleton& skeleton, int joint, int up, double drop, float* pose) {
    const int parent = skeleton.parents()[static_cast<std::size_t>(joint)];
    Vec3 down{};
    down[static_cast<std::size_t>(up)] = -drop;
    const Vec3 local = parent < 0 ? down : inverse(global_of(skeleton, parent, pose)).m * down;
    for (int axis = 0; axis < 3; ++axis)
        pose[12 * joint + 4 * axis + 3] += static_cast<float>(local[static_cast<std::size_t>(axis)]);
}

/// Brings the ankle of a frame's pose to its target, or as near as the leg may reach.
void place_foot(const Foot& foot, const FootPath& path, std::int64_t t, View<float, 2> pose) {
    const Vec3 hip = foot.leg->state(function, pose.data(), t).upper.t;
    Vec3 target = path.ankles[static_cast<std::size_t>(t)];
    const double distance = length(target - hip);
    if (distance > path.longest) target = hip + (path.longest / distance) * (target - hip);
    const std::vector<float> before(pose.begin(), pose.end());
    double miss = 0.0;
    std::uint8_t flags = 0;
    foot.leg->solve({before.data(), pose.extents()}, {{target.data(), {1, 3}}, {}, false, {}, false, {}},
                    {pose, {&miss, {1}}, {&flags, {1}}}, 1);
}

}  // namespace

Vec3 mean_hinge(const rig::Skeleton& skeleton, int upper, int lower, int end, View<const float, 2> poses) {
    for (const int joint : {upper, lower, end}) check_joint(skeleton, "feet", joint);
    check_poses(skeleton, poses);
    Vec3 sum{};
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const Transform hip = global_of(skeleton, upper, poses.row(t));
        const Vec3 knee = global_of(skeleton, lower, poses.row(t)).t;
        const Vec3 ankle = global_of(skeleton, end, poses.row(t)).t;
        sum = sum + inverse(hip).m * cross(knee - hip.t, ankle - knee);
    }
    return unit(Transform::at(skeleton.rest_globals().row(upper)).m * sum, {});
}

void joint_positions(const rig::Skeleton& skeleton, int joint, View<const float, 2> poses, View<double, 2> positions) {
    check_joint(skeleton, "feet", joint);
    check_poses(skeleton, poses);
    check_shape<double, 2>(function, "positions", positions, {poses.extent(0), 3});
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        global_of(skeleton, joint, poses.row(t)).t.write(positions.row(t));
    }
}

void lock_feet(const rig::Skeleton& skeleton, std::span<const Foot> feet, View<const float, 2> poses,
               View<const std::uint8_t, 2> contacts, View<const double, 2> longest_steps, const FootLockRules& rules,
               const FootLockResults& results) {
    check(skeleton, feet, poses, contacts, longest_steps, rules);
    std::vector<FootPath> paths;
    for (const Foot& foot : feet) {
        paths.push_back(foot_path(skeleton, foot, poses, contacts, longest_steps, rules,
                                  static_cast<std::int64_t>(paths.size()), results.contacts));
    }
    const std::vector<double> drops = pelvis_drops(paths, poses.extent(0), rules);
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const View<float, 2> pose(results.poses.row(t), {1, poses.extent(1)});
        std::copy_n(poses.row(t), poses.extent(1), pose.data());
        const double drop = drops[static_cast<std::size_t>(t)];
        results.lowered(t) = drop;
        if (drop > 0.0) lower_joint(skeleton, rules.pelvis, rules.up, drop, pose.data());
        for (std::size_t f = 0; f < feet.size(); ++f) {
            const std::int64_t column = static_cast<std::int64_t>(f);
            if (drop > 0.0 || paths[f].moved[static_cast<std::size_t>(t)] != 0) place_foot(feet[f], paths[f], t, pose);
            const Vec3 toe = global_of(skeleton, feet[f].toe, pose.data()).t;
            const bool held = results.contacts(t, column) != 0;
            results.drift(t, column) = held ? length(toe - paths[f].anchors[static_cast<std::size_t>(t)]) : 0.0;
        }
    }
}

}  // namespace rigcast::ik
