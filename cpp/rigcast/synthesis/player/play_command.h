#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rigcast/synthesis/model/synthesizer.h"
#include "rigcast/synthesis/playing/points.h"

namespace rigcast::synthesis {

/// A pose of a label: a frame of a clip, or a latent point (D).
struct PlayPose {
    std::optional<std::string> segment;
    std::int64_t frame = 0;
    std::vector<double> point;  // of a pose without segment
};
/// A clip of a label, by its name or its number.
struct PlaySegment {
    std::optional<std::string> name;
    std::int64_t number = 0;
};

/// A command of a player with checked arguments; made by the functions below.
struct PlayCommand {
    enum class Kind { idle, move, transition, play };

    Kind kind = Kind::idle;
    std::int64_t label = 0;
    std::shared_ptr<const Points> poses{};  // of idle: null for all training points; of move: one
    std::optional<double> hold{};           // of idle: seconds at each pose
    bool straight = false;                  // of idle and move: the straight line; else along the data
    std::int64_t begin = 0, end = 0;        // of play: training rows
    std::string text{};                     // with its arguments, for events
};

/// The name of a kind: "idle".
const char* command_name(PlayCommand::Kind kind);

/// Wander from pose to pose of a label, and hover at each for `hold` seconds (default: of the settings). Without poses:
/// all training frames, at random. Throws ArgumentError, as all of these, which names the command and its argument.
PlayCommand idle_command(const Synthesizer& synth, const std::string& label,
                         const std::optional<std::vector<PlayPose>>& poses, std::optional<double> hold,
                         const std::string& along);
/// Move to a pose and stay around it.
PlayCommand move_command(const Synthesizer& synth, const std::string& label, const PlayPose& to,
                         const std::string& along);
/// Move to the nearest matching point of another label, through others where there is none, and stay there.
PlayCommand transition_command(const Synthesizer& synth, const std::string& label);
/// Move to the beginning of a clip, or of some of its frames, play them exactly, and stay where they end.
PlayCommand play_command(const Synthesizer& synth, const std::string& label, const PlaySegment& segment,
                         std::int64_t begin, std::optional<std::int64_t> end);

}  // namespace rigcast::synthesis
