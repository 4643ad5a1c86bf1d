#include "rigcast/synthesis/player/players.h"

#include <algorithm>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/synthesis/player/character.h"
#include "rigcast/synthesis/player/player_events.h"
#include "rigcast/synthesis/player/state_text.h"

namespace rigcast::synthesis {
namespace {

constexpr std::int64_t most_characters = 1000000;
constexpr std::size_t most_scheduled = 1000000;  // commands of one character

void check_start(const char* function, const Synthesizer& synth, const PlayersStart& start) {
    const auto count = std::ssize(start.seeds);
    if (count < 1 || count > most_characters) {
        throw bad_argument(function, "count", std::to_string(count),
                           "a whole number from 1 to " + std::to_string(most_characters));
    }
    if (start.labels.empty()) throw bad_argument(function, "labels", "empty", "at least one");
    for (const std::int64_t label : start.labels) {
        if (label < 0 || label >= std::ssize(synth.labels())) {
            throw bad_argument(function, "label", std::to_string(label), "the index of a label");
        }
    }
    for (const std::vector<TimedCommand>& schedule : start.schedules) {
        std::int64_t before = 0;
        for (const auto& [frame, command] : schedule) {
            if (frame < before) {
                throw bad_argument(function, "schedule", "not in the order of its frames", "in that order, from 0 on");
            }
            before = frame;
        }
    }
}

}  // namespace

Players::Players(const char* function, std::shared_ptr<const Synthesizer> synth, PlayersStart start)
    : synth_(std::move(synth)),
      count_(std::ssize(start.seeds)),
      schedules_(std::move(start.schedules)),
      layers_(function, std::move(start.layers), synth_->controls().names()) {
    start.schedules = schedules_;
    check_start(function, *synth_, start);
    if (schedules_.empty()) schedules_.emplace_back();
    simulation_ = std::make_unique<const Simulation>(synth_, start.settings);
    for (std::int64_t h = 0; h < count_; ++h) {
        const auto place = static_cast<std::size_t>(h);
        characters_.emplace_back(*simulation_, start.seeds[place], start.labels[place % start.labels.size()],
                                 start.kept_seconds);
    }
    given_.assign(characters_.size(), 0);
}

Players::~Players() = default;

std::int64_t Players::checked(const char* function, std::int64_t character) const {
    if (character >= 0 && character < count_) return character;
    throw bad_argument(function, "character", std::to_string(character),
                       "a whole number from 0 to " + std::to_string(count_ - 1));
}

std::vector<std::size_t> Players::chosen(std::span<const std::int64_t> who) const {
    std::vector<std::size_t> found;
    for (std::int64_t h = 0; who.empty() && h < count_; ++h) found.push_back(static_cast<std::size_t>(h));
    for (const std::int64_t h : who) {
        if (h < 0 || h >= count_) {
            throw bad_argument("PlayerCrowd", "who", std::to_string(h),
                               "integers from 0 to " + std::to_string(count_ - 1));
        }
        found.push_back(static_cast<std::size_t>(h));
    }
    return found;
}

void Players::tell(const PlayCommand& command, std::span<const std::int64_t> who, bool later) {
    const std::lock_guard<std::mutex> guard(lock_);
    const std::vector<std::size_t> told = chosen(who);
    for (const std::size_t h : told) characters_[h].check_waiting(command, later);
    for (const std::size_t h : told) characters_[h].tell(command, later);
}

void Players::schedule(std::int64_t frame, const PlayCommand& command, std::span<const std::int64_t> who) {
    const std::lock_guard<std::mutex> guard(lock_);
    const std::vector<std::size_t> told = chosen(who);
    const std::size_t shared = schedules_.size();
    for (std::size_t h = shared; h < characters_.size(); ++h) schedules_.emplace_back(schedules_[h % shared]);
    for (const std::size_t h : told) {
        const std::int64_t least =
            std::max(characters_[h].frame(), schedules_[h].empty() ? 0 : schedules_[h].back().first);
        if (frame < least || schedules_[h].size() >= most_scheduled) {
            throw bad_argument(command_name(command.kind), "frame", std::to_string(frame),
                               "at least " + std::to_string(least) + ", and of at most " +
                                   std::to_string(most_scheduled) + " commands");
        }
    }
    for (const std::size_t h : told) schedules_[h].emplace_back(frame, command);
}

void Players::step(const char* function, std::span<const std::string> without, View<float, 3> out) {
    const std::lock_guard<std::mutex> guard(lock_);
    const std::int64_t frames = out.extent(1);
    check_shape<float, 3>(function, "out", out, {count_, -1, synth_->num_controls()});
    if (frames > most_frames) {
        throw bad_argument(function, "frames", std::to_string(frames), "at most " + std::to_string(most_frames));
    }
    const std::vector<bool> shown = layers_.without(function, without);
    std::vector<Character::Mark> marks;
    const std::vector<std::size_t> given = given_;
    if (!layers_.empty() || needs_items(frames)) {
        for (const Character& character : characters_) marks.push_back(character.mark());
    }
    try {
        const std::int64_t first = characters_.front().frame();
        play(out);
        if (!layers_.empty()) add_layers(shown, first, out);
    } catch (...) {
        for (std::size_t h = 0; h < marks.size(); ++h) characters_[h].undo(std::move(marks[h]));
        given_ = given;
        throw;
    }
}

bool Players::needs_items(std::int64_t frames) const {
    for (std::size_t h = 0; h < characters_.size(); ++h) {
        const auto& schedule = schedules_[h % schedules_.size()];
        if (characters_[h].left() < frames || given_[h] < schedule.size()) return true;
    }
    return false;
}

void Players::play(View<float, 3> out) {
    const std::int64_t frames = out.extent(1), width = out.extent(2);
    std::vector<std::int64_t> done(characters_.size(), 0);
    for (bool active = frames > 0; active;) {
        std::vector<std::size_t> waiting;
        for (std::size_t h = 0; h < characters_.size(); ++h) {
            if (done[h] == frames) continue;
            const auto& schedule = schedules_[h % schedules_.size()];
            while (given_[h] < schedule.size() && schedule[given_[h]].first <= characters_[h].frame()) {
                characters_[h].tell(schedule[given_[h]++].second, false);
            }
            if (characters_[h].needs_item()) waiting.push_back(h);
        }
        std::vector<std::shared_ptr<Item>> made(waiting.size());
        std::vector<Item*> items(waiting.size());
        parallel_for(std::ssize(waiting), 1, simulation_->settings().threads,
                     [&](std::int64_t begin, std::int64_t end) {
                         for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                             made[i] = std::make_shared<Item>(characters_[waiting[i]].next_item());
                             items[i] = made[i].get();
                         }
                     });
        simulation_->simulate(items);
        for (std::size_t i = 0; i < waiting.size(); ++i) characters_[waiting[i]].begin(std::move(made[i]));
        active = false;
        for (std::size_t h = 0; h < characters_.size(); ++h) {
            if (done[h] == frames) continue;
            const auto& schedule = schedules_[h % schedules_.size()];
            std::int64_t count = std::min(characters_[h].left(), frames - done[h]);
            if (given_[h] < schedule.size()) {
                count = std::min(count, schedule[given_[h]].first - characters_[h].frame());
            }
            characters_[h].take(count, out.row(static_cast<std::int64_t>(h)) + width * done[h]);
            done[h] += count;
            active = active || done[h] < frames;
        }
    }
}

void Players::add_layers(const std::vector<bool>& shown, std::int64_t first, View<float, 3> out) const {
    const std::int64_t frames = out.extent(1), width = out.extent(2);
    std::vector<double> seconds(static_cast<std::size_t>(frames));
    for (std::int64_t t = 0; t < frames; ++t) {
        seconds[static_cast<std::size_t>(t)] = static_cast<double>(first + 1 + t) / synth_->fps();
    }
    parallel_for(count_, 1, simulation_->settings().threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t h = begin; h < end; ++h) {
            std::vector<double> sum(out.row(h), out.row(h) + frames * width);
            layers_.add(shown, {seconds.data(), {frames}}, characters_[static_cast<std::size_t>(h)].seed(),
                        {sum.data(), {frames, width}});
            for (std::int64_t t = 0; t < frames; ++t) {
                synth_->controls().clip(sum.data() + width * t, out.row(h) + width * t);
            }
        }
    });
}

std::int64_t Players::frame(std::int64_t character) const {
    const std::lock_guard<std::mutex> guard(lock_);
    return characters_[static_cast<std::size_t>(checked("PlayerCrowd.frame", character))].frame();
}

std::uint64_t Players::seed(std::int64_t character) const {
    const std::lock_guard<std::mutex> guard(lock_);
    return characters_[static_cast<std::size_t>(checked("PlayerCrowd.seeds", character))].seed();
}

std::int64_t Players::label(std::int64_t character) const {
    const std::lock_guard<std::mutex> guard(lock_);
    return characters_[static_cast<std::size_t>(checked("PlayerCrowd.labels", character))].label();
}

std::vector<PlayEvent> Players::events(std::int64_t character) const {
    const std::lock_guard<std::mutex> guard(lock_);
    return events_of(*simulation_, characters_[static_cast<std::size_t>(checked("PlayerCrowd.events", character))]);
}

std::string Players::state(std::int64_t character) const {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto h = static_cast<std::size_t>(checked("PlayerCrowd.state", character));
    return state_text(*simulation_, characters_[h].state(), characters_[h].record(),
                      static_cast<std::int64_t>(given_[h]));
}

void Players::restore(const char* function, std::int64_t character, const std::string& state) {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto h = static_cast<std::size_t>(checked(function, character));
    SavedState saved = read_state_text(function, *simulation_, state, std::ssize(schedules_[h % schedules_.size()]));
    characters_[h].restore(std::move(saved.state), std::move(saved.record));
    given_[h] = static_cast<std::size_t>(saved.told);
}

}  // namespace rigcast::synthesis
