#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rigcast/synthesis/player/event_record.h"
#include "rigcast/synthesis/player/play_command.h"
#include "rigcast/synthesis/player/simulation.h"

namespace rigcast::synthesis {

/// One character: its commands, expanded into tasks, and these into items, which its caller simulates. Random choices
/// are functions of the seed and of how many were made, random forces of seed and time alone.
class Character {
public:
    static constexpr std::int64_t longest_item = 24;    // frames
    static constexpr std::size_t most_waiting = 10000;  // tasks

    /// Begins at a random training point of a label. kept_seconds: of samples for events.
    Character(const Simulation& simulation, std::uint64_t seed, std::int64_t label, std::size_t kept_seconds);

    /// Throws ArgumentError, which names the command, if too many wait for one more.
    void check_waiting(const PlayCommand& command, bool later) const;
    /// Begins a command, or with `later` after those that end by themselves.
    void tell(const PlayCommand& command, bool later);

    /// True if the next frames need an item that begin() takes.
    bool needs_item() const { return state_.item == nullptr; }
    /// The next item, not simulated. Throws ArgumentError if a label cannot be reached or a saved task does not fit.
    Item next_item();
    void begin(std::shared_ptr<const Item> item);
    /// Frames of the item that were not taken.
    std::int64_t left() const { return state_.item == nullptr ? 0 : state_.item->count - state_.used; }
    /// Writes the next frames (count, N) of the item, which has as many.
    void take(std::int64_t count, float* out);

    std::int64_t frame() const { return state_.frame; }
    std::uint64_t seed() const { return state_.seed; }
    /// The label at which the character is.
    std::int64_t label() const { return state_.item == nullptr ? state_.label : state_.item->label; }
    const EventRecord& record() const { return record_; }
    const std::deque<Sample>& samples() const { return samples_; }
    const CharacterState& state() const { return state_; }
    /// Goes on from a saved state; seconds before it are forgotten.
    void restore(CharacterState state, EventRecord record);

    /// What undo() goes back to: the state, and how long the lists for events were.
    struct Mark {
        CharacterState state;
        std::int64_t next_event = 0, last_sample = -1;
    };
    Mark mark() const;
    void undo(Mark mark);

private:
    std::optional<Item> expand(Task task);
    void lead(const Task& task);
    void note(const char* text);
    std::int64_t add_event(RecordedEvent event);
    void stay(std::int64_t frames, double share);
    void follow(Points rows, std::vector<double> radii);
    void wander(Task task);
    std::vector<double> next_pose(Task& task);
    void enter(std::int64_t label);
    Item change(const Task& task);
    Item join(const Task& task);
    Item clip(const Task& task);
    Item item(Item::Kind kind, std::int64_t count, std::vector<ItemTrack> tracks);
    ItemTrack track(Points path, std::vector<double> radii) const;
    std::uint64_t noise_seed(std::int64_t label) const;
    void interrupt();
    void finish();
    void leave_clip(const Item& item, std::int64_t used);
    void cut_path(std::int64_t begin, std::int64_t end);
    const Ground& ground() const { return simulation_->ground(state_.label); }

    const Simulation* simulation_;
    std::size_t kept_seconds_;
    CharacterState state_;
    EventRecord record_;
    std::deque<Sample> samples_;
};

}  // namespace rigcast::synthesis
