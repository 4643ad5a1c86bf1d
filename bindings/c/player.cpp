#include "bindings/c/player.h"

#include "rigcast/synthesis/player/event_record.h"

namespace c = rigcast::c;
namespace synthesis = rigcast::synthesis;

namespace rigcast::c {

std::vector<std::string> texts_in(const char* function, const char* argument, const char* const* given,
                                  std::int64_t count) {
    if (count < 0 || (count > 0 && given == nullptr)) {
        throw bad_argument(function, argument, count < 0 ? std::to_string(count) + " long" : "NULL", "a list of texts");
    }
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < count; ++i) {
        texts.push_back(needed_text(function, std::string(argument) + "[" + std::to_string(i) + "]", given[i]));
    }
    return texts;
}

namespace {

const std::shared_ptr<const synthesis::Synthesizer>& synthesizer_of(const char* function, const rigcast_model* model) {
    const rigcast_model& opened = object<const rigcast_model>("model", model);
    if (opened.synthesizer != nullptr) return opened.synthesizer;
    throw bad_argument(function, "model", "of kind '" + std::string(opened.description.kind) + "'",
                       "a synthesizer, of kind 'synthesis'");
}

double or_usual(double given, double usual) {
    return given == 0.0 ? usual : given;
}

synthesis::Layer layer_of(const rigcast_layer& given) {
    using Kind = synthesis::Layer::Kind;
    const std::string kind = needed_text("Player", "layers.kind", given.kind);
    if (kind != "blinks" && kind != "gaze" && kind != "sway") {
        throw bad_argument("Player", "layers.kind", "'" + kind + "'", "one of blinks, gaze, sway");
    }
    synthesis::Layer layer;
    layer.kind = kind == "blinks" ? Kind::blinks : kind == "gaze" ? Kind::gaze : Kind::sway;
    layer.name = given.name == nullptr ? kind : given.name;
    layer.strength = given.strength;
    layer.seed = given.seed;
    if (!(given.frozen_at < 0.0)) layer.frozen_at = given.frozen_at;
    layer.per_minute = or_usual(given.per_minute, layer.kind == Kind::gaze ? 40.0 : 15.0);
    layer.length = or_usual(given.length, layer.kind == Kind::gaze ? 0.08 : 0.25);
    layer.timescale = or_usual(given.timescale, 1.5);
    const std::vector<std::string> names = texts_in("Player", "layers.controls", given.controls, given.count);
    const auto amounts = array<const double, 1>("Player", "layers.amounts", given.amounts, given.count, {given.count});
    if (layer.kind != Kind::sway) layer.amounts.resize(layer.kind == Kind::gaze ? 2 : 1);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double amount = amounts(static_cast<std::int64_t>(i));
        if (layer.kind == Kind::sway) {
            layer.amounts.push_back({{names[i], amount}});
            continue;
        }
        layer.amounts[0].emplace_back(names[i], amount);
        if (layer.kind == Kind::gaze && given.vertical != nullptr) {
            layer.amounts[1].emplace_back(names[i], given.vertical[i]);
        }
    }
    return layer;
}

rigcast_player_settings usual_settings() {
    const synthesis::PlaySettings usual;
    rigcast_player_settings s{};
    s.size = sizeof s;
    s.speed = usual.speed;
    s.radius = usual.radius;
    s.wander = usual.wander;
    s.likelihood = usual.likelihood;
    s.timescale = usual.timescale;
    s.drag = usual.drag;
    s.stiffness = usual.stiffness;
    s.hold = usual.hold;
    s.power = usual.power;
    s.slow = usual.slow;
    s.least = usual.least;
    s.blend = usual.blend;
    s.settle = usual.settle;
    s.kept_seconds = static_cast<std::int64_t>(synthesis::PlayersStart{}.kept_seconds);
    return s;
}

void use_settings(const rigcast_player_settings& given, synthesis::PlayersStart& start) {
    start.settings = {given.speed, given.radius,    given.wander, given.likelihood,  given.timescale,
                      given.drag,  given.stiffness, given.hold,   given.power,       given.slow,
                      given.least, given.blend,     given.settle, given.blends != 0, given.threads};
    if (given.kept_seconds < 0 || given.kept_seconds > synthesis::Players::most_frames) {
        throw bad_argument("Player", "kept_seconds", std::to_string(given.kept_seconds), "from 0 to 1,000,000");
    }
    start.kept_seconds = static_cast<std::size_t>(given.kept_seconds);
    if (given.layer_count < 0 || (given.layer_count > 0 && given.layers == nullptr)) {
        throw bad_argument("Player", "layers", "NULL, or of a negative count", "a list of layers");
    }
    for (std::int64_t i = 0; i < given.layer_count; ++i) start.layers.push_back(layer_of(given.layers[i]));
}

void write_text(const char* function, const std::string& made, char* text, std::int64_t capacity,
                std::int64_t* length) {
    if (length == nullptr) throw bad_argument(function, "length", "NULL", "where to write a number");
    if (capacity < 0 || (capacity > 0 && text == nullptr)) {
        throw bad_argument(function, "text", "NULL, or of a negative capacity", "room for a text");
    }
    *length = std::ssize(made);
    if (capacity >= *length && text != nullptr) std::copy(made.begin(), made.end(), text);
}

}  // namespace
}  // namespace rigcast::c

rigcast_model::rigcast_model(std::shared_ptr<const synthesis::Synthesizer> shared, std::string metadata)
    : synthesizer(std::move(shared)),
      labels(c::texts_of(synthesizer->labels())),
      controls(c::texts_of(synthesizer->controls().names())),
      metadata_text(std::move(metadata)) {
    description.kind = "synthesis";
}

rigcast_status rigcast_describe_synthesis(const rigcast_model* model, rigcast_synthesis* synthesis) {
    return c::guarded([&] {
        const auto& synth = *c::synthesizer_of("describe_synthesis", model);
        const std::size_t size = c::size_of("describe_synthesis", "synthesis", synthesis);
        const rigcast_synthesis made{size,
                                     synth.fps(),
                                     std::ssize(model->labels),
                                     std::ssize(model->controls),
                                     model->labels.data(),
                                     model->controls.empty() ? nullptr : model->controls.data(),
                                     synth.controls().limits().data(),
                                     model->metadata_text.c_str()};
        std::memset(synthesis, 0, size);
        std::memcpy(synthesis, &made, std::min(size, sizeof made));
    });
}

rigcast_status rigcast_player_defaults(rigcast_player_settings* settings) {
    return c::guarded([&] {
        const std::size_t size = c::size_of("player_defaults", "settings", settings);
        const rigcast_player_settings usual = c::usual_settings();
        std::memset(settings, 0, size);
        std::memcpy(settings, &usual, std::min(size, sizeof usual));
        settings->size = size;
    });
}

rigcast_status rigcast_player_new(const rigcast_model* model, const uint64_t* seeds, int64_t characters,
                                  const char* const* labels, int64_t label_count,
                                  const rigcast_player_settings* settings, rigcast_player** player) {
    return c::guarded([&] {
        rigcast_player*& out = c::place("player", player);
        const auto& synth = c::synthesizer_of("Player", model);
        synthesis::PlayersStart start;
        const auto own = c::array<const uint64_t, 1>("Player", "seeds", seeds, characters, {characters});
        start.seeds.assign(own.begin(), own.end());
        for (const std::string& label : c::texts_in("Player", "labels", labels, label_count)) {
            start.labels.push_back(synth->label_index("Player", label));
        }
        if (start.labels.empty()) start.labels.push_back(0);
        c::use_settings(settings == nullptr ? c::usual_settings() : c::structure("Player", "settings", settings),
                        start);
        out = c::handed_out(std::make_unique<rigcast_player>(synth, std::move(start)));
    });
}

rigcast_status rigcast_player_step(rigcast_player* player, int64_t frames, const char* const* without,
                                   int64_t without_count, float* controls, int64_t control_count) {
    return c::guarded([&] {
        synthesis::Players& players = c::object("player", player).players;
        const std::vector<std::string> names = c::texts_in("Player.step", "without", without, without_count);
        players.step("Player.step", names,
                     c::array<float, 3>("Player.step", "controls", controls, control_count,
                                        {players.size(), frames, players.synth().num_controls()}));
    });
}

rigcast_status rigcast_player_where(const rigcast_player* player, int64_t character, int64_t* frame, int64_t* label,
                                    uint64_t* seed) {
    return c::guarded([&] {
        const synthesis::Players& players = c::object("player", player).players;
        const std::int64_t here = players.label(character);
        if (frame != nullptr) *frame = players.frame(character);
        if (label != nullptr) *label = here;
        if (seed != nullptr) *seed = players.seed(character);
    });
}

rigcast_status rigcast_player_state(const rigcast_player* player, int64_t character, char* text, int64_t capacity,
                                    int64_t* length) {
    return c::guarded([&] {
        const synthesis::Players& players = c::object("player", player).players;
        c::write_text("Player.state", players.state(character), text, capacity, length);
    });
}

rigcast_status rigcast_player_events(const rigcast_player* player, int64_t character, char* text, int64_t capacity,
                                     int64_t* length) {
    return c::guarded([&] {
        const synthesis::Players& players = c::object("player", player).players;
        c::write_text("Player.events", synthesis::events_text(players.events(character)), text, capacity, length);
    });
}

rigcast_status rigcast_player_restore(rigcast_player* player, int64_t character, const char* text, int64_t length) {
    return c::guarded([&] {
        synthesis::Players& players = c::object("player", player).players;
        const auto given = c::array<const char, 1>("Player.restore", "state", text, length, {length});
        players.restore("Player.restore", character, {given.begin(), given.end()});
    });
}

void rigcast_player_free(rigcast_player* player) {
    c::free_object(player);
}
