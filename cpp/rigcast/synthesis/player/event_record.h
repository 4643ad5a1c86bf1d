#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rigcast::synthesis {

/// A command that was given, or a note about one.
struct RecordedEvent {
    std::int64_t frame = 0;
    std::optional<std::int64_t> began;  // frame
    bool is_note = false;
    std::string name;     // "idle", or "note"
    std::string command;  // with its arguments; what a note says
    std::string label;
};

/// Commands and notes by number; the oldest are forgotten.
class EventRecord {
public:
    static constexpr std::size_t most = 1000;

    /// Returns the number of a new event. used: numbers of events that wait or are at work, which are kept.
    std::int64_t add(RecordedEvent event, const std::vector<std::int64_t>& used);
    /// Forgets the events from a number on, as if they had never been added.
    void forget_from(std::int64_t number);
    /// The command of a number; "" if there is none, or it was forgotten.
    std::string command(std::int64_t number) const;
    void begin(std::int64_t number, std::int64_t frame);

    std::int64_t next() const { return next_; }
    const std::map<std::int64_t, RecordedEvent>& events() const { return events_; }
    void set(std::int64_t next, std::map<std::int64_t, RecordedEvent> events);

private:
    std::map<std::int64_t, RecordedEvent> events_;
    std::int64_t next_ = 0;
};

/// What a character showed at a whole second.
struct Sample {
    std::int64_t frame = 0, command = -1, label = 0;
    std::vector<double> place;    // (D)
    std::vector<float> controls;  // (N)
};

/// The reasons of a pose: a command that began, a note about it, or one second of motion.
struct PlayEvent {
    double seconds = 0.0;
    enum class Kind { command, note, second } kind = Kind::command;
    std::string command;
    std::string label;
    std::string nearest;    // the clip frame whose mesh is nearest, as "walk 12"; of seconds only, as are the following
    double distance = 0.0;  // to that mesh, in the rig's unit
    double variance = 0.0;  // predictive variance of the latent point, as a share of that far from all clips
};

/// Events as JSON: [{"seconds": 1.0, "kind": "second", "command": ..., "label": ..., "nearest": ..., "distance": ...,
/// "variance": ...}].
std::string events_text(const std::vector<PlayEvent>& events);

}  // namespace rigcast::synthesis
