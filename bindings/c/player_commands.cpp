#include "bindings/c/player.h"
#include "rigcast/synthesis/player/play_command.h"

namespace c = rigcast::c;
namespace synthesis = rigcast::synthesis;

namespace rigcast::c {
namespace {

std::vector<synthesis::PlayPose> poses_of(const std::string& function, const rigcast_command& given) {
    if (given.pose_count < 0 || (given.pose_count > 0 && given.poses == nullptr)) {
        throw bad_argument(function, "poses", "NULL, or of a negative count", "a list of poses");
    }
    std::vector<synthesis::PlayPose> poses;
    for (std::int64_t i = 0; i < given.pose_count; ++i) {
        const rigcast_play_pose& pose = given.poses[i];
        if (pose.clip != nullptr) {
            poses.push_back({pose.clip, pose.frame, {}});
            continue;
        }
        const auto point = needed_array<1>(function.c_str(), "poses.point", pose.point, {pose.point.count});
        poses.push_back({std::nullopt, 0, {point.begin(), point.end()}});
    }
    return poses;
}

synthesis::PlayCommand command_of(const synthesis::Synthesizer& synth, const rigcast_command& given) {
    const std::string name = needed_text("tell", "command->name", given.name);
    const std::string label = needed_text(name.c_str(), "label", given.label);
    const std::string along = given.along == nullptr ? "data" : given.along;
    std::vector<synthesis::PlayPose> poses = poses_of(name, given);
    if (name == "transition") return transition_command(synth, label);
    if (name == "move") {
        if (poses.size() == 1) return move_command(synth, label, poses.front(), along);
        throw bad_argument(name, "poses", std::to_string(poses.size()) + " long", "one pose");
    }
    if (name == "play") {
        synthesis::PlaySegment segment{std::nullopt, given.clip_number};
        if (given.clip != nullptr) segment.name = given.clip;
        const std::optional<std::int64_t> end = given.end == 0 ? std::nullopt : std::optional(given.end);
        return play_command(synth, label, segment, given.begin, end);
    }
    if (name != "idle") {
        throw bad_argument("tell", "command->name", "'" + name + "'", "one of idle, move, transition, play");
    }
    const auto hold = given_array<1>("idle", "hold", given.hold, {1});
    return idle_command(synth, label, poses.empty() ? std::nullopt : std::optional(std::move(poses)),
                        hold.size() == 0 ? std::nullopt : std::optional(hold(0)), along);
}

}  // namespace
}  // namespace rigcast::c

rigcast_status rigcast_player_tell(rigcast_player* player, const rigcast_command* command) {
    return c::guarded([&] {
        synthesis::Players& players = c::object("player", player).players;
        const rigcast_command given = c::structure("tell", "command", command);
        const synthesis::PlayCommand made = c::command_of(players.synth(), given);
        const auto who = c::array<const std::int64_t, 1>("tell", "who", given.who, given.who_count, {given.who_count});
        const std::span<const std::int64_t> chosen(who.data(), static_cast<std::size_t>(who.size()));
        if (given.is_scheduled != 0) {
            players.schedule(given.frame, made, chosen);
        } else {
            players.tell(made, chosen, given.is_later != 0);
        }
    });
}
