#include "rigcast/synthesis/player/state_text.h"

#include <nlohmann/json.hpp>

#include "rigcast/synthesis/player/state_names.h"

namespace rigcast::synthesis {
namespace {

using Json = nlohmann::json;

template <class T>
Json rows_of(const std::vector<T>& numbers, std::int64_t width) {
    Json rows = Json::array();
    for (std::int64_t i = 0; i < std::ssize(numbers); i += width) {
        rows.push_back(std::vector<T>(numbers.begin() + i, numbers.begin() + i + width));
    }
    return rows;
}

Json decays_of(const std::vector<Decay>& decays) {
    Json list = Json::array();
    for (const Decay& decay : decays) {
        list.push_back(
            {{"begin", decay.begin}, {"frames", decay.frames}, {"offset", decay.offset}, {"rate", decay.rate}});
    }
    return list;
}

Json task_of(const Task& task, const std::vector<std::string>& labels) {
    Json plain{{"do", task_names[static_cast<std::size_t>(task.kind)]}};
    switch (task.kind) {
        case Task::Kind::begin:
            plain["command"] = task.command;
            break;
        case Task::Kind::go:
            plain["to"] = task.to;
            plain["along"] = task.straight ? "straight" : "data";
            plain["meet"] = task.meet;
            break;
        case Task::Kind::hold:
            plain["frames"] = task.frames;
            plain["share"] = task.share;
            break;
        case Task::Kind::wander:
            plain["poses"] = task.poses == nullptr ? Json() : rows_of(task.poses->numbers, task.poses->width);
            plain["frames"] = task.frames;
            plain["along"] = task.straight ? "straight" : "data";
            plain["visited"] = task.visited;
            plain["order"] = task.order;
            break;
        case Task::Kind::change:
            plain["to"] = task.to;
            [[fallthrough]];
        case Task::Kind::enter:
            plain["label"] = labels[static_cast<std::size_t>(task.label)];
            break;
        case Task::Kind::join:
            plain["begin"] = task.begin;
            break;
        case Task::Kind::clip:
            plain["begin"] = task.begin;
            plain["end"] = task.end;
            break;
    }
    return plain;
}

Json item_of(const Item& item, const std::vector<std::string>& labels, std::int64_t controls) {
    Json tracks = Json::array();
    for (const ItemTrack& track : item.tracks) {
        tracks.push_back({{"label", labels[static_cast<std::size_t>(track.label)]},
                          {"seed", track.seed},
                          {"path", rows_of(track.path.numbers, track.path.width)},
                          {"radii", track.radii},
                          {"x", track.x},
                          {"v", track.v}});
    }
    return {{"kind", item_names[static_cast<std::size_t>(item.kind)]},
            {"label", labels[static_cast<std::size_t>(item.label)]},
            {"first", item.first},
            {"count", item.count},
            {"command", item.command},
            {"tracks", std::move(tracks)},
            {"rows", item.rows},
            {"decays", decays_of(item.decays)},
            {"jump", item.jump},
            {"previous", rows_of(item.previous, controls)}};
}

Json record_of(const EventRecord& record) {
    Json events = Json::array();
    for (const auto& [number, event] : record.events()) {
        Json plain{{"frame", event.frame}, {"command", event.command}, {"name", event.name}, {"label", event.label}};
        if (event.began) plain["began"] = *event.began;
        events.push_back({number, std::move(plain)});
    }
    return {{"next", record.next()}, {"events", std::move(events)}};
}

}  // namespace

std::string events_text(const std::vector<PlayEvent>& events) {
    constexpr const char* kinds[] = {"command", "note", "second"};
    Json list = Json::array();
    for (const PlayEvent& event : events) {
        list.push_back({{"seconds", event.seconds},
                        {"kind", kinds[static_cast<int>(event.kind)]},
                        {"command", event.command},
                        {"label", event.label},
                        {"nearest", event.nearest},
                        {"distance", event.distance},
                        {"variance", event.variance}});
    }
    return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string state_text(const Simulation& simulation, const CharacterState& state, const EventRecord& record,
                       std::int64_t told) {
    const std::vector<std::string>& labels = simulation.synth().labels();
    const std::int64_t controls = simulation.synth().num_controls();
    Json tasks = Json::array();
    for (const Task& task : state.tasks) tasks.push_back(task_of(task, labels));
    const Json character{
        {"frame", state.frame},
        {"decisions", state.decisions},
        {"used", state.used},
        {"jump", state.jump},
        {"command", state.command},
        {"label", labels[static_cast<std::size_t>(state.label)]},
        {"seed", state.seed},
        {"transitions", state.blends ? "blend" : "inertialize"},
        {"tasks", std::move(tasks)},
        {"decays", decays_of(state.decays)},
        {"x", state.x},
        {"v", state.v},
        {"path", rows_of(state.path.numbers, state.path.width)},
        {"radii", state.radii},
        {"previous", rows_of(state.previous, controls)},
        {"record", record_of(record)},
        {"item", state.item == nullptr ? Json() : item_of(*state.item, labels, controls)},
    };
    return Json{{"told", told}, {"seed", state.seed}, {"character", character}}.dump(-1, ' ', false,
                                                                                     Json::error_handler_t::replace);
}

}  // namespace rigcast::synthesis
