#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/synthesis/model/synthesizer.h"
#include "rigcast/synthesis/player/event_record.h"
#include "rigcast/synthesis/player/play_command.h"
#include "rigcast/synthesis/playing/layers.h"
#include "rigcast/synthesis/playing/play_settings.h"

namespace rigcast::synthesis {

class Character;
class Simulation;

/// A command, and the frame at which it is given.
using TimedCommand = std::pair<std::int64_t, PlayCommand>;

/// What a group of characters begins with.
struct PlayersStart {
    std::vector<std::uint64_t> seeds{};                  // (H), one per character
    std::vector<std::int64_t> labels{};                  // where they begin, in turn
    std::vector<std::vector<TimedCommand>> schedules{};  // in turn, each in the order of its frames; empty: none
    std::vector<Layer> layers{};
    PlaySettings settings{};
    std::size_t kept_seconds = 3600;  // per character, for events
};

/// H characters of one synthesizer that idle, move, make transitions and play clips, without end: a particle wanders
/// around a path through the latent space of one label (Bailey 2020, section 5.5), and commands make the path.
/// Particles of one label are stepped together. Guarantee: the frames of a character depend on its seed, commands and
/// settings alone: they have the same bytes for any number of threads, in any company, and however they are cut into
/// calls. Calls from several threads wait for each other.
///
/// Example: a character idles for ten seconds.
/// ```cpp
/// const auto synth = synthesis::read_synthesizer(TensorFile::read("moods.safetensors"), 0);
/// synthesis::Players players("Players", synth, {.seeds = {3}, .labels = {0}});
/// players.tell(synthesis::idle_command(*synth, synth->labels()[0], std::nullopt, std::nullopt, "data"), {}, false);
/// std::vector<float> controls(240 * synth->num_controls());
/// players.step("step", {}, {controls.data(), {1, 240, synth->num_controls()}});
/// ```
class Players {
public:
    /// Throws ArgumentError, which names `function`, if there is no seed or label, a setting or layer is out of range,
    /// or a schedule is not in the order of its frames.
    Players(const char* function, std::shared_ptr<const Synthesizer> synth, PlayersStart start);
    ~Players();

    static constexpr std::int64_t most_frames = 1000000;  // of one call

    const Synthesizer& synth() const { return *synth_; }
    std::int64_t size() const { return count_; }

    /// Begins a command of characters `who` (of all if it is empty), or with `later` after those that end by
    /// themselves. Throws ArgumentError, and changes nothing, if an index does not exist or too many commands wait.
    void tell(const PlayCommand& command, std::span<const std::int64_t> who, bool later);
    /// The same at a frame, which no command that waits for its frame may follow, and no frame that was played.
    void schedule(std::int64_t frame, const PlayCommand& command, std::span<const std::int64_t> who);
    /// Writes the next frames (H, T, N): controls inside the limits. without: names of layers to leave out. Throws
    /// ArgumentError if a shape is wrong, there are more than most_frames, or a label cannot be reached; everything is
    /// then as before.
    void step(const char* function, std::span<const std::string> without, View<float, 3> out);

    /// Frames that were played.
    std::int64_t frame(std::int64_t character) const;
    std::uint64_t seed(std::int64_t character) const;
    std::int64_t label(std::int64_t character) const;
    /// Commands and notes of a character, and of each second command, label, nearest clip frame with its distance, and
    /// variance, in the order of time: all commands and notes (the last thousand), and the seconds that are kept.
    std::vector<PlayEvent> events(std::int64_t character) const;
    /// All that decides the next frames of a character, as JSON.
    std::string state(std::int64_t character) const;
    /// Goes on from a state of a character of the same synthesizer, schedule, layers and settings. Throws
    /// ArgumentError, which names `function`, if it is no such state; the character is then as before.
    void restore(const char* function, std::int64_t character, const std::string& state);

private:
    std::int64_t checked(const char* function, std::int64_t character) const;
    std::vector<std::size_t> chosen(std::span<const std::int64_t> who) const;
    void play(View<float, 3> out);
    bool needs_items(std::int64_t frames) const;
    void add_layers(const std::vector<bool>& shown, std::int64_t first, View<float, 3> out) const;

    std::shared_ptr<const Synthesizer> synth_;
    std::int64_t count_;
    std::vector<std::vector<TimedCommand>> schedules_;
    Layers layers_;
    std::unique_ptr<const Simulation> simulation_;
    std::vector<Character> characters_;
    std::vector<std::size_t> given_;  // (H) commands of the schedule
    mutable std::mutex lock_;
};

}  // namespace rigcast::synthesis
