#include "rigcast/synthesis/player/play_command.h"

#include <cmath>

#include "rigcast/core/check.h"
#include "rigcast/synthesis/playing/play_settings.h"

namespace rigcast::synthesis {
namespace {

constexpr double longest_hold = 1e6;  // seconds

std::int64_t checked_whole(const char* function, const char* argument, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
    if (value >= least && value <= most) return value;
    throw bad_argument(function, argument, std::to_string(value),
                       "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

const ClipSegment& segment_of(const char* function, const Space& space, const PlaySegment& given) {
    if (!given.name) {
        const std::int64_t last = std::ssize(space.segments) - 1;
        return space.segments[static_cast<std::size_t>(checked_whole(function, "segment", given.number, 0, last))];
    }
    std::string known;
    for (const ClipSegment& segment : space.segments) {
        if (segment.name == *given.name) return segment;
        known += (known.empty() ? "" : ", ") + segment.name;
    }
    throw bad_argument(function, "segment", "'" + *given.name + "'", "one of " + known);
}

void add_pose(const char* function, const std::string& argument, const Space& space, const PlayPose& pose,
              Points& points) {
    if (pose.segment) {
        const ClipSegment& segment = segment_of(function, space, {pose.segment, 0});
        const std::int64_t last = segment.end - segment.begin - 1;
        const std::int64_t row = segment.begin + checked_whole(function, "frame", pose.frame, 0, last);
        points.add(space.latent->points().row(row));
        return;
    }
    const std::int64_t width = space.dimension();
    if (std::ssize(pose.point) != width) {
        throw bad_argument(function, argument, std::to_string(pose.point.size()) + " numbers",
                           "(segment, frame), or a latent point of " + std::to_string(width) + " numbers");
    }
    for (const double x : pose.point) {
        if (!std::isfinite(x)) throw bad_argument(function, argument, "not finite everywhere", "finite");
    }
    points.add(pose.point.data());
}

bool is_straight(const char* function, const std::string& along) {
    if (along == "data" || along == "straight") return along == "straight";
    throw bad_argument(function, "along", "'" + along + "'", "\"data\" or \"straight\"");
}

std::string point_text(const double* point, std::int64_t width) {
    std::string text = "[";
    for (std::int64_t axis = 0; axis < width; ++axis) text += (axis > 0 ? ", " : "") + number_text(point[axis]);
    return text + "]";
}

}  // namespace

const char* command_name(PlayCommand::Kind kind) {
    switch (kind) {
        case PlayCommand::Kind::idle:
            return "idle";
        case PlayCommand::Kind::move:
            return "move";
        case PlayCommand::Kind::transition:
            return "transition";
        default:
            return "play";
    }
}

PlayCommand idle_command(const Synthesizer& synth, const std::string& label,
                         const std::optional<std::vector<PlayPose>>& poses, std::optional<double> hold,
                         const std::string& along) {
    PlayCommand command{.kind = PlayCommand::Kind::idle, .label = synth.label_index("idle", label)};
    const Space& space = synth.space(command.label);
    command.straight = is_straight("idle", along);
    std::string words;
    if (poses) {
        if (poses->empty()) throw bad_argument("idle", "poses", "empty", "a list of poses");
        Points points{space.dimension(), {}};
        for (std::size_t i = 0; i < poses->size(); ++i) {
            add_pose("idle", "poses[" + std::to_string(i) + "]", space, (*poses)[i], points);
            words += (i > 0 ? ", " : ", poses=[") + point_text(points[points.size() - 1], points.width);
        }
        words += "]";
        command.poses = std::make_shared<const Points>(std::move(points));
    }
    if (hold) {
        check_bounds("idle", "hold", *hold, 0.0, false, longest_hold);
        command.hold = hold;
        words += ", hold=" + number_text(*hold);
    }
    command.text = "idle(" + label + words + ", along=" + along + ")";
    return command;
}

PlayCommand move_command(const Synthesizer& synth, const std::string& label, const PlayPose& to,
                         const std::string& along) {
    PlayCommand command{.kind = PlayCommand::Kind::move, .label = synth.label_index("move", label)};
    const Space& space = synth.space(command.label);
    Points points{space.dimension(), {}};
    add_pose("move", "to", space, to, points);
    command.straight = is_straight("move", along);
    command.text = "move(" + label + ", to=" + point_text(points[0], points.width) + ", along=" + along + ")";
    command.poses = std::make_shared<const Points>(std::move(points));
    return command;
}

PlayCommand transition_command(const Synthesizer& synth, const std::string& label) {
    PlayCommand command{.kind = PlayCommand::Kind::transition, .label = synth.label_index("transition", label)};
    command.text = "transition(" + label + ")";
    return command;
}

PlayCommand play_command(const Synthesizer& synth, const std::string& label, const PlaySegment& segment,
                         std::int64_t begin, std::optional<std::int64_t> end) {
    PlayCommand command{.kind = PlayCommand::Kind::play, .label = synth.label_index("play", label)};
    const ClipSegment& clip = segment_of("play", synth.space(command.label), segment);
    const std::int64_t frames = clip.end - clip.begin;
    checked_whole("play", "begin", begin, 0, frames - 1);
    const std::int64_t stop = checked_whole("play", "end", end.value_or(frames), begin + 1, frames);
    command.begin = clip.begin + begin;
    command.end = clip.begin + stop;
    command.text = "play(" + label + ", " + clip.name + ", frames " + std::to_string(begin) + " to " +
                   std::to_string(stop - 1) + ")";
    return command;
}

}  // namespace rigcast::synthesis
