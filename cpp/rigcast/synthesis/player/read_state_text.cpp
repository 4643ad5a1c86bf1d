#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "rigcast/core/error.h"
#include "rigcast/core/files/metadata.h"
#include "rigcast/synthesis/player/state_names.h"
#include "rigcast/synthesis/player/state_text.h"

namespace rigcast::synthesis {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t latest = std::int64_t{1} << 53;  // frames, and other whole numbers
constexpr int deepest = 16;

/// What is wrong with a text; read_state_text makes a sentence of it.
struct WrongState : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void require(bool good, const std::string& what) {
    if (!good) throw WrongState(what);
}

/// Reads the entries of a JSON text, each checked.
class StateReader {
public:
    explicit StateReader(const Simulation& simulation)
        : simulation_(simulation), synth_(simulation.synth()), controls_(synth_.num_controls()) {}

    SavedState read(const Json& text, std::int64_t scheduled) {
        SavedState saved;
        const Json& plain = text.at("character");
        CharacterState& state = saved.state;
        saved.told = whole(text, "told", 0, scheduled);
        state.seed = seed(plain);
        require(seed(text) == state.seed, "seed");
        state.label = label(plain);
        state.frame = whole(plain, "frame", 0, latest);
        state.decisions = whole(plain, "decisions", 0, latest);
        state.jump = whole(plain, "jump", 0, latest);
        state.blends = chosen(plain, "transitions", {"inertialize", "blend"}) == 1;
        saved.record = record(plain.at("record"));
        state.command = command(plain, saved.record);
        const std::int64_t width = synth_.space(state.label).dimension();
        state.x = numbers(plain, "x", width);
        state.v = numbers(plain, "v", width);
        state.path = points(plain, "path", width);
        state.radii = radii(plain, state.path.size());
        state.previous = previous(plain);
        state.decays = decays(plain);
        for (const Json& task : list(plain, "tasks")) state.tasks.push_back(read_task(task, saved.record));
        if (!plain.at("item").is_null()) {
            Item item = read_item(plain.at("item"), saved.record);
            state.used = whole(plain, "used", 0, item.count - 1);
            simulation_.simulate({&item});
            state.item = std::make_shared<const Item>(std::move(item));
        } else {
            whole(plain, "used", 0, 0);
        }
        return saved;
    }

private:
    static const Json& list(const Json& plain, const char* name) {
        const Json& entry = plain.at(name);
        require(entry.is_array(), name);
        return entry;
    }
    static std::int64_t as_whole(const Json& entry, const char* name, std::int64_t least, std::int64_t most) {
        require(entry.is_number_integer() &&
                    !(entry.is_number_unsigned() && entry.get<std::uint64_t>() > std::uint64_t{latest}),
                name);
        const auto value = entry.get<std::int64_t>();
        require(value >= least && value <= most, name);
        return value;
    }
    static std::int64_t whole(const Json& plain, const char* name, std::int64_t least, std::int64_t most) {
        return as_whole(plain.at(name), name, least, most);
    }
    static std::uint64_t seed(const Json& plain) {
        const Json& entry = plain.at("seed");
        require(entry.is_number_unsigned(), "seed");
        return entry.get<std::uint64_t>();
    }
    static double number(const Json& entry, const char* name) {
        require(entry.is_number(), name);
        const auto value = entry.get<double>();
        require(std::isfinite(value), name);
        return value;
    }
    static std::vector<double> as_numbers(const Json& entry, const char* name, std::int64_t count) {
        require(entry.is_array() && (count < 0 || std::cmp_equal(entry.size(), count)), name);
        std::vector<double> found;
        for (const Json& one : entry) found.push_back(number(one, name));
        return found;
    }
    static std::vector<double> numbers(const Json& plain, const char* name, std::int64_t count) {
        return as_numbers(plain.at(name), name, count);
    }
    static Points points(const Json& plain, const char* name, std::int64_t width) {
        Points found{width, {}};
        for (const Json& row : list(plain, name)) found.add(as_numbers(row, name, width).data());
        require(found.size() > 0, name);
        return found;
    }
    static std::vector<double> radii(const Json& plain, std::int64_t count) {
        std::vector<double> found = numbers(plain, "radii", count);
        require(std::all_of(found.begin(), found.end(), [](double x) { return x >= 0.0; }), "radii");
        return found;
    }
    static std::size_t chosen(const Json& plain, const char* name, const std::vector<const char*>& names) {
        const auto text = plain.at(name).get<std::string>();
        const auto found = std::find(names.begin(), names.end(), text);
        require(found != names.end(), name);
        return static_cast<std::size_t>(found - names.begin());
    }
    std::int64_t label(const Json& plain) const {
        const auto text = plain.at("label").get<std::string>();
        const auto found = std::find(synth_.labels().begin(), synth_.labels().end(), text);
        require(found != synth_.labels().end(), "label");
        return found - synth_.labels().begin();
    }
    static std::int64_t command(const Json& plain, const EventRecord& record) {
        const std::int64_t number = whole(plain, "command", -1, latest);
        require(number == -1 || record.events().count(number) != 0, "command");
        return number;
    }
    std::vector<float> previous(const Json& plain) const {
        const Points rows = points(plain, "previous", controls_);
        require(rows.size() == 2, "previous");
        return {rows.numbers.begin(), rows.numbers.end()};
    }
    std::vector<Decay> decays(const Json& plain) const {
        std::vector<Decay> found;
        for (const Json& one : list(plain, "decays")) {
            found.push_back({whole(one, "begin", 0, latest), numbers(one, "offset", controls_),
                             numbers(one, "rate", controls_), whole(one, "frames", 1, latest)});
        }
        return found;
    }

    static EventRecord record(const Json& plain) {
        const std::int64_t next = whole(plain, "next", 0, latest);
        std::map<std::int64_t, RecordedEvent> events;
        for (const Json& pair : list(plain, "events")) {
            require(pair.is_array() && pair.size() == 2, "events");
            const Json& one = pair[1];
            RecordedEvent event{whole(one, "frame", 0, latest),
                                std::nullopt,
                                false,
                                one.at("name").get<std::string>(),
                                one.at("command").get<std::string>(),
                                one.at("label").get<std::string>()};
            if (one.contains("began")) event.began = whole(one, "began", 0, latest);
            event.is_note = event.name == "note";
            events.emplace(as_whole(pair[0], "events", 0, next - 1), std::move(event));
        }
        EventRecord found;
        found.set(next, std::move(events));
        return found;
    }

    Task read_task(const Json& plain, const EventRecord& record) const {
        Task task;
        task.kind = static_cast<Task::Kind>(chosen(plain, "do", {task_names.begin(), task_names.end()}));
        switch (task.kind) {
            case Task::Kind::begin:
                task.command = command(plain, record);
                break;
            case Task::Kind::go:
                task.to = numbers(plain, "to", -1);
                task.meet = plain.at("meet").get<bool>();
                task.straight = chosen(plain, "along", {"data", "straight"}) == 1;
                break;
            case Task::Kind::hold:
                task.frames = whole(plain, "frames", 0, latest);
                task.share = number(plain.at("share"), "share");
                require(task.share >= 0.0 && task.share <= 1.0, "share");
                break;
            case Task::Kind::wander:
                read_wander(plain, task);
                break;
            case Task::Kind::change:
                task.to = numbers(plain, "to", -1);
                [[fallthrough]];
            case Task::Kind::enter:
                task.label = label(plain);
                break;
            case Task::Kind::join:
                task.begin = whole(plain, "begin", 0, latest);
                break;
            case Task::Kind::clip:
                task.begin = whole(plain, "begin", 0, latest);
                task.end = whole(plain, "end", task.begin + 1, latest);
                break;
        }
        return task;
    }
    static void read_wander(const Json& plain, Task& task) {
        task.frames = whole(plain, "frames", 0, latest);
        task.visited = whole(plain, "visited", 0, latest);
        task.order = whole(plain, "order", 0, latest);
        task.straight = chosen(plain, "along", {"data", "straight"}) == 1;
        const Json& poses = plain.at("poses");
        if (poses.is_null()) return;
        require(poses.is_array() && !poses.empty() && poses[0].is_array() && !poses[0].empty(), "poses");
        task.poses = std::make_shared<const Points>(points(plain, "poses", std::ssize(poses[0])));
    }

    Item read_item(const Json& plain, const EventRecord& record) const {
        Item item;
        item.kind = static_cast<Item::Kind>(chosen(plain, "kind", {item_names.begin(), item_names.end()}));
        item.label = label(plain);
        item.first = whole(plain, "first", 0, latest);
        item.count = whole(plain, "count", 1, 1000);
        item.command = command(plain, record);
        item.jump = whole(plain, "jump", 0, latest);
        item.previous = previous(plain);
        item.decays = decays(plain);
        for (const Json& row : list(plain, "rows")) {
            item.rows.push_back(as_whole(row, "rows", 0, synth_.space(item.label).size() - 1));
        }
        for (const Json& one : list(plain, "tracks")) item.tracks.push_back(read_track(one, item.count));
        const std::size_t tracks = item.kind == Item::Kind::clip ? 0 : item.kind == Item::Kind::blend ? 2 : 1;
        const bool has_rows = item.kind == Item::Kind::clip || item.kind == Item::Kind::join;
        require(item.tracks.size() == tracks, "tracks");
        require(item.tracks.empty() || item.tracks.back().label == item.label, "tracks");
        require(std::ssize(item.rows) == (has_rows ? item.count : 0), "rows");
        return item;
    }
    ItemTrack read_track(const Json& plain, std::int64_t count) const {
        ItemTrack track;
        track.label = label(plain);
        const std::int64_t width = synth_.space(track.label).dimension();
        track.path = points(plain, "path", width);
        require(track.path.size() == count + 1, "path");
        track.radii = radii(plain, count + 1);
        track.x = numbers(plain, "x", width);
        track.v = numbers(plain, "v", width);
        track.seed = seed(plain);
        return track;
    }

    const Simulation& simulation_;
    const Synthesizer& synth_;
    std::int64_t controls_;
};

}  // namespace

SavedState read_state_text(const char* function, const Simulation& simulation, const std::string& text,
                           std::int64_t scheduled) {
    std::string wrong;
    try {
        require(json_depth(text) <= deepest, "nested too deep");
        return StateReader(simulation).read(Json::parse(text), scheduled);
    } catch (const WrongState& error) {
        wrong = error.what();
    } catch (const Json::exception& error) {
        wrong = error.what();
    } catch (const ArgumentError& error) {
        wrong = error.what();
    }
    throw bad_argument(function, "state", "incomplete (" + wrong + ")", "what Player.state gave");
}

}  // namespace rigcast::synthesis
