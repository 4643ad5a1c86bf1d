#include "rigcast/synthesis/player/character.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/synthesis/player/choices.h"

namespace rigcast::synthesis {
namespace {

/// Tasks of a command, in their order.
std::deque<Task> tasks_of(const Simulation& simulation, const PlayCommand& command) {
    const PlaySettings& settings = simulation.settings();
    std::deque<Task> tasks{Task{.kind = Task::Kind::enter, .label = command.label}};
    if (command.kind == PlayCommand::Kind::move) {
        tasks.push_back({.kind = Task::Kind::go, .to = command.poses->numbers, .straight = command.straight});
    } else if (command.kind == PlayCommand::Kind::play) {
        const Ground& ground = simulation.ground(command.label);
        const double* start = ground.points().row(command.begin);
        tasks.push_back({.kind = Task::Kind::go, .to = {start, start + ground.dimension()}});
        tasks.push_back({.kind = Task::Kind::hold, .frames = settings.settle, .share = close_share});
        tasks.push_back({.kind = Task::Kind::join, .begin = command.begin});
        tasks.push_back({.kind = Task::Kind::clip, .begin = command.begin, .end = command.end});
    } else if (command.kind == PlayCommand::Kind::idle) {
        const double frames = std::nearbyint(command.hold.value_or(settings.hold) * simulation.synth().fps());
        tasks.push_back({.kind = Task::Kind::wander,
                         .straight = command.straight,
                         .frames = static_cast<std::int64_t>(frames),
                         .poses = command.poses});
    }
    return tasks;
}

}  // namespace

Character::Character(const Simulation& simulation, std::uint64_t seed, std::int64_t label, std::size_t kept_seconds)
    : simulation_(&simulation), kept_seconds_(kept_seconds) {
    state_.seed = seed;
    state_.label = label;
    state_.blends = simulation.settings().blends;
    const auto points = ground().points();
    const double* start = points.row(chosen_index(seed, state_.decisions++, points.extent(0)));
    state_.x.assign(start, start + ground().dimension());
    state_.v.assign(state_.x.size(), 0.0);
    state_.path = {ground().dimension(), state_.x};
    state_.radii = ground().radii(state_.path);
    const auto width = static_cast<std::size_t>(simulation.synth().num_controls());
    state_.previous.resize(2 * width);
    simulation.write_controls(label, start, state_.previous.data());
    std::copy_n(state_.previous.begin(), width, state_.previous.begin() + static_cast<std::ptrdiff_t>(width));
}

void Character::check_waiting(const PlayCommand& command, bool later) const {
    if (!later || state_.tasks.size() < most_waiting) return;
    throw bad_argument(command_name(command.kind), "later",
                       "behind " + std::to_string(state_.tasks.size()) + " tasks that wait",
                       "fewer than " + std::to_string(most_waiting) + ": play some frames first");
}

void Character::tell(const PlayCommand& command, bool later) {
    const std::string& label = simulation_->synth().labels()[static_cast<std::size_t>(command.label)];
    const std::int64_t number =
        add_event({state_.frame, std::nullopt, false, command_name(command.kind), command.text, label});
    std::deque<Task> tasks = tasks_of(*simulation_, command);
    tasks.push_front({.kind = Task::Kind::begin, .command = number});
    if (later) {
        std::erase_if(state_.tasks, [](const Task& task) { return task.kind == Task::Kind::wander; });
        state_.tasks.insert(state_.tasks.end(), tasks.begin(), tasks.end());
        return;
    }
    interrupt();
    state_.tasks = std::move(tasks);
}

std::int64_t Character::add_event(RecordedEvent event) {
    std::vector<std::int64_t> used{state_.command};
    for (const Task& task : state_.tasks) {
        if (task.kind == Task::Kind::begin) used.push_back(task.command);
    }
    return record_.add(std::move(event), used);
}

void Character::cut_path(std::int64_t begin, std::int64_t end) {
    state_.path = state_.path.slice(begin, end);
    state_.radii = {state_.radii.begin() + begin, state_.radii.begin() + end};
}

/// Gives up what follows; a blend that has begun is finished first.
void Character::interrupt() {
    if (state_.item != nullptr) {
        if (state_.item->kind != Item::Kind::follow && state_.item->kind != Item::Kind::clip) return;
        finish();
    }
    cut_path(0, 1);
}

void Character::begin(std::shared_ptr<const Item> item) {
    state_.item = std::move(item);
    state_.used = 0;
}

void Character::take(std::int64_t count, float* out) {
    const std::shared_ptr<const Item> shown = state_.item;
    const std::int64_t width = simulation_->synth().num_controls();
    const auto every = std::max<std::int64_t>(static_cast<std::int64_t>(std::nearbyint(simulation_->synth().fps())), 1);
    const float* from = shown->controls.data() + width * state_.used;
    std::copy_n(from, width * count, out);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = state_.used + i, frame = shown->first + row + 1;
        if (frame % every != 0) continue;
        const bool in_clip = shown->kind == Item::Kind::clip || shown->kind == Item::Kind::join;
        const double* place =
            in_clip ? simulation_->ground(shown->label).points().row(shown->rows[static_cast<std::size_t>(row)])
                    : shown->tracks.back().positions[row + 1];
        const std::int64_t dimension = simulation_->ground(shown->label).dimension();
        samples_.push_back({frame,
                            shown->command,
                            shown->label,
                            {place, place + dimension},
                            {from + width * i, from + width * (i + 1)}});
        if (samples_.size() > kept_seconds_) samples_.pop_front();
    }
    state_.used += count;
    state_.frame = shown->first + state_.used;
    if (state_.used == shown->count) finish();
}

/// Takes over the state after the frames of the item that were taken.
void Character::finish() {
    const std::shared_ptr<const Item> item = std::move(state_.item);
    const std::int64_t used = std::exchange(state_.used, 0);
    state_.item = nullptr;
    if (used == 0) {
        state_.jump = item->jump;
        return;
    }
    const std::int64_t width = simulation_->synth().num_controls();
    std::vector<float> shown = item->previous;
    shown.insert(shown.end(), item->controls.begin(), item->controls.begin() + width * used);
    state_.previous.assign(shown.end() - 2 * width, shown.end());
    const bool moved = state_.label != item->label;
    state_.label = item->label;
    if (item->kind == Item::Kind::clip || item->kind == Item::Kind::join) {
        leave_clip(*item, used);
        return;
    }
    const ItemTrack& track = item->tracks.back();
    state_.x.assign(track.positions[used], track.positions[used + 1]);
    state_.v.assign(track.velocities[used], track.velocities[used + 1]);
    state_.decays = item->kind == Item::Kind::blend ? std::vector<Decay>() : item->after;
    if (item->kind == Item::Kind::blend || moved || state_.path.size() < 2) {
        state_.path = track.path;
        state_.radii = track.radii;
    }
    cut_path(std::min(used, state_.path.size() - 1), state_.path.size());
}

void Character::leave_clip(const Item& item, std::int64_t used) {
    const std::int64_t row = item.rows[static_cast<std::size_t>(used - 1)], width = ground().dimension();
    const double* here = ground().points().row(row);
    const double* before = used > 1 ? ground().points().row(std::max<std::int64_t>(row - 1, 0)) : here;
    state_.x.assign(here, here + width);
    state_.v.resize(state_.x.size());
    for (std::int64_t axis = 0; axis < width; ++axis) {
        state_.v[static_cast<std::size_t>(axis)] = (here[axis] - before[axis]) * simulation_->synth().fps();
    }
    state_.path = {width, state_.x};
    state_.radii = ground().radii(state_.path);
    state_.decays.clear();
    state_.jump = simulation_->settings().blend;
}

void Character::restore(CharacterState state, EventRecord record) {
    state_ = std::move(state);
    record_ = std::move(record);
    samples_.clear();
}

Character::Mark Character::mark() const {
    return {state_, record_.next(), samples_.empty() ? -1 : samples_.back().frame};
}

void Character::undo(Mark mark) {
    state_ = std::move(mark.state);
    record_.forget_from(mark.next_event);
    while (!samples_.empty() && samples_.back().frame > mark.last_sample) samples_.pop_back();
}

}  // namespace rigcast::synthesis
