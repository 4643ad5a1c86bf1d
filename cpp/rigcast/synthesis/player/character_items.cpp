#include <algorithm>
#include <limits>

#include "rigcast/core/error.h"
#include "rigcast/synthesis/player/character.h"
#include "rigcast/synthesis/player/choices.h"

namespace rigcast::synthesis {
namespace {

constexpr double shrinks = 0.92;  // per frame at most does a ball become smaller: particles are led, not pushed
constexpr int tour = 4;           // poses that wandering passes in one path
constexpr std::int64_t longest_stay = 10 * Character::longest_item;  // frames that are laid out at once

ArgumentError bad_task(const std::string& got) {
    return bad_argument("step", "state", "with a task " + got, "that of a player of this synthesizer");
}

void check_width(const std::vector<double>& point, const Ground& ground) {
    if (std::ssize(point) != ground.dimension()) throw bad_task("to a point of another label");
}

void check_row(std::int64_t row, const Ground& ground) {
    if (row < 0 || row >= ground.points().extent(0)) throw bad_task("of a frame that no clip has");
}

}  // namespace

Item Character::next_item() {
    while (state_.path.size() < 2) {
        Task task{.kind = Task::Kind::hold, .frames = longest_item};
        if (!state_.tasks.empty()) {
            task = std::move(state_.tasks.front());
            state_.tasks.pop_front();
        }
        if (std::optional<Item> made = expand(std::move(task))) return std::move(*made);
    }
    const std::int64_t count = std::min(longest_item, state_.path.size() - 1);
    std::vector<double> radii(state_.radii.begin(), state_.radii.begin() + count + 1);
    return item(Item::Kind::follow, count, {track(state_.path.slice(0, count + 1), std::move(radii))});
}

std::optional<Item> Character::expand(Task task) {
    switch (task.kind) {
        case Task::Kind::begin:
            state_.command = task.command;
            record_.begin(task.command, state_.frame);
            return std::nullopt;
        case Task::Kind::go:
            lead(task);
            return std::nullopt;
        case Task::Kind::hold:
            if (task.frames > longest_stay) {
                Task rest = task;
                rest.frames -= longest_stay;
                state_.tasks.push_front(std::move(rest));
            }
            stay(std::min(task.frames, longest_stay), task.share);
            return std::nullopt;
        case Task::Kind::wander:
            wander(std::move(task));
            return std::nullopt;
        case Task::Kind::enter:
            enter(task.label);
            return std::nullopt;
        case Task::Kind::change:
            return change(task);
        case Task::Kind::join:
            return join(task);
        default:
            return clip(task);
    }
}

void Character::lead(const Task& task) {
    check_width(task.to, ground());
    Ground::Path path = ground().plan(state_.path[0], {ground().dimension(), task.to}, task.straight);
    note(path.note);
    if (task.meet) ground().narrow(path.radii, shrinks);
    follow(std::move(path.rows), std::move(path.radii));
}

/// What the density made of a path becomes an event.
void Character::note(const char* text) {
    if (*text == '\0') return;
    const std::string& label = simulation_->synth().labels()[static_cast<std::size_t>(state_.label)];
    add_event({state_.frame, state_.frame, true, "note", text, label});
}

void Character::stay(std::int64_t frames, double share) {
    Points rows = Points::repeated(state_.path[0], ground().dimension(), frames + 1);
    const double radius = share * ground().radii(rows.slice(0, 1)).front();
    follow(std::move(rows), std::vector<double>(static_cast<std::size_t>(frames) + 1, radius));
}

void Character::follow(Points rows, std::vector<double> radii) {
    radii.front() = state_.radii.front();
    for (std::size_t i = 1; i < radii.size(); ++i) radii[i] = std::max(radii[i], shrinks * radii[i - 1]);
    state_.path = std::move(rows);
    state_.radii = std::move(radii);
}

/// To other poses in random order, all of them before any is met twice. With rests: to one and hover there; without:
/// through several on one path, which would be slow if it began and ended at each.
void Character::wander(Task task) {
    if (task.frames > 0) {
        Task go{.kind = Task::Kind::go, .to = next_pose(task), .straight = task.straight, .meet = true};
        Task hold{.kind = Task::Kind::hold, .frames = task.frames};
        state_.tasks.push_front(std::move(task));
        state_.tasks.push_front(std::move(hold));
        state_.tasks.push_front(std::move(go));
        return;
    }
    Points targets{ground().dimension(), {}};
    for (int i = 0; i < tour; ++i) {
        const std::vector<double> pose = next_pose(task);
        check_width(pose, ground());
        targets.add(pose.data());
    }
    Ground::Path path = ground().plan(state_.path[0], targets, task.straight);
    note(path.note);
    follow(std::move(path.rows), std::move(path.radii));
    state_.tasks.push_front(std::move(task));
}

/// The next pose of wandering; the task goes on from it.
std::vector<double> Character::next_pose(Task& task) {
    const auto points = task.poses == nullptr ? ground().points() : task.poses->view();
    const std::int64_t count = points.extent(0), round = task.visited / count, place = task.visited % count;
    if (place == 0) task.order = state_.decisions++;
    const double* pose = points.row(shuffled_index(state_.seed, task.order, round, count, place));
    ++task.visited;
    return {pose, pose + points.extent(1)};
}

/// To the nearest matching point of the next label of the route, settle there, change, and so on.
void Character::enter(std::int64_t label) {
    if (label == state_.label) return;
    const std::int64_t there = simulation_->synth().route(state_.label, label)[1];
    const Bridge& bridge = *simulation_->synth().bridge(state_.label, there);
    const std::int64_t own = ground().dimension(), other = simulation_->ground(there).dimension();
    std::int64_t pair = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < std::ssize(bridge.distances); ++k) {
        const double away = distance(bridge.from_points.data() + own * k, state_.path[0], own);
        if (away >= nearest) continue;
        nearest = away;
        pair = k;
    }
    const double* from = bridge.from_points.data() + own * pair;
    const double* to = bridge.to_points.data() + other * pair;
    state_.tasks.push_front({.kind = Task::Kind::enter, .label = label});
    state_.tasks.push_front({.kind = Task::Kind::change, .to = {to, to + other}, .label = there});
    state_.tasks.push_front({.kind = Task::Kind::hold, .frames = simulation_->settings().settle, .share = close_share});
    state_.tasks.push_front({.kind = Task::Kind::go, .to = {from, from + own}});
}

Item Character::change(const Task& task) {
    const std::int64_t frames = simulation_->settings().blend;
    const Ground& into = simulation_->ground(task.label);
    check_width(task.to, into);
    ItemTrack other{.label = task.label};
    other.path = Points::repeated(task.to.data(), into.dimension(), frames + 1);
    const double radius = close_share * into.radii(other.path.slice(0, 1)).front();
    other.radii.assign(static_cast<std::size_t>(frames) + 1, radius);
    other.x = task.to;
    other.v.assign(task.to.size(), 0.0);
    other.seed = noise_seed(task.label);
    if (!state_.blends) {
        state_.jump = frames;
        return item(Item::Kind::follow, frames, {std::move(other)});
    }
    stay(frames, close_share);
    return item(Item::Kind::blend, frames, {track(state_.path, state_.radii), std::move(other)});
}

Item Character::join(const Task& task) {
    check_row(task.begin, ground());
    const std::int64_t frames = simulation_->settings().blend;
    std::int64_t first = 0;
    for (const ClipSegment& segment : simulation_->synth().space(state_.label).segments) {
        if (task.begin >= segment.begin && task.begin < segment.end) first = segment.begin;
    }
    stay(frames, close_share);
    Item made = item(Item::Kind::join, frames, {track(state_.path, state_.radii)});
    for (std::int64_t i = 0; i < frames; ++i) made.rows.push_back(std::max(task.begin - frames + i, first));
    return made;
}

Item Character::clip(const Task& task) {
    check_row(task.begin, ground());
    check_row(task.end - 1, ground());
    const std::int64_t count = std::min(longest_item, task.end - task.begin);
    if (count < 1) throw bad_task("that ends before it begins");
    if (task.end - task.begin > count) {
        state_.tasks.push_front({.kind = Task::Kind::clip, .begin = task.begin + count, .end = task.end});
    }
    Item made = item(Item::Kind::clip, count, {});
    for (std::int64_t i = 0; i < count; ++i) made.rows.push_back(task.begin + i);
    return made;
}

Item Character::item(Item::Kind kind, std::int64_t count, std::vector<ItemTrack> tracks) {
    Item made{.kind = kind, .label = tracks.empty() ? state_.label : tracks.back().label};
    made.first = state_.frame;
    made.count = count;
    made.command = state_.command;
    made.tracks = std::move(tracks);
    made.previous = state_.previous;
    made.jump = kind == Item::Kind::clip ? 0 : state_.jump;
    state_.jump = 0;
    if (made.jump > 0) return made;  // measured from what was shown, in which earlier differences are contained
    for (const Decay& decay : state_.decays) {
        if (decay.begin + decay.frames > state_.frame) made.decays.push_back(decay);
    }
    return made;
}

ItemTrack Character::track(Points path, std::vector<double> radii) const {
    return {state_.label, std::move(path), std::move(radii), state_.x, state_.v, noise_seed(state_.label), {}, {}, {}};
}

std::uint64_t Character::noise_seed(std::int64_t label) const {
    return state_.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(label + 1) * 0xd1342543de82ef95u;
}

}  // namespace rigcast::synthesis
