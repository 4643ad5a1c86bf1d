#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/tensors.h"
#include "bindings/features/synthesis.h"
#include "rigcast/synthesis/model/read_synthesizer.h"
#include "rigcast/synthesis/player/players.h"

namespace rigcast::bindings {
namespace {

using synthesis::Layer;
using synthesis::PlayCommand;
using synthesis::Players;
using synthesis::PlayPose;
using synthesis::PlaySettings;
using synthesis::Synthesizer;

using GivenPose = std::pair<std::optional<std::string>, std::vector<double>>;  // (clip, [frame]) or (None, point)

std::shared_ptr<const Synthesizer> synthesizer_of(const py::dict& tensors, const std::string& metadata) {
    const TensorFile file = from_arrays(tensors, metadata, "load");
    const ReleasedGil released;
    return synthesis::read_synthesizer(file, 0);
}

PlayPose pose_of(const GivenPose& given) {
    if (!given.first) return {std::nullopt, 0, given.second};
    return {given.first, static_cast<std::int64_t>(given.second.at(0)), {}};
}

std::optional<std::vector<PlayPose>> poses_of(const std::optional<std::vector<GivenPose>>& given) {
    if (!given) return std::nullopt;
    std::vector<PlayPose> poses;
    for (const GivenPose& pose : *given) poses.push_back(pose_of(pose));
    return poses;
}

std::unique_ptr<PlaySettings> play_settings(double speed, double radius, double wander, double likelihood,
                                            double timescale, double drag, double stiffness, double hold,
                                            std::int64_t blend, std::int64_t settle, double power, double slow,
                                            double least, bool blends, int threads) {
    auto settings =
        std::make_unique<PlaySettings>(PlaySettings{speed, radius, wander, likelihood, timescale, drag, stiffness, hold,
                                                    power, slow, least, blend, settle, blends, threads});
    synthesis::check_play_settings("PlaySettings", *settings);
    return settings;
}

std::unique_ptr<Layer> made_layer(const std::string& kind, const std::string& name, double strength, std::uint64_t seed,
                                  std::optional<double> frozen_at, double per_minute, double length, double timescale,
                                  const std::vector<Layer::Amounts>& amounts) {
    const auto which = kind == "blinks" ? Layer::Kind::blinks : kind == "gaze" ? Layer::Kind::gaze : Layer::Kind::sway;
    auto layer =
        std::make_unique<Layer>(Layer{which, name, strength, seed, frozen_at, per_minute, length, timescale, amounts});
    layer->check();
    return layer;
}

Array<double> layer_values(const Layer& layer, const ArrayLike& seconds, const ArrayLike& seeds) {
    const auto times = as_array<double, 1>("Layer.values", "seconds", seconds, "numbers (T,)");
    const auto players = as_array<std::uint64_t, 1>("Layer.values", "seeds", seeds, "integers (H,)");
    const auto width = static_cast<py::ssize_t>(layer.amounts.size());
    Array<double> values({players.shape(0), times.shape(0), width});
    const auto out = writable<double, 3>(values);
    for (std::int64_t h = 0; h < players.shape(0); ++h) {
        layer.values(view<double, 1>(times), players.at(h), {out.row(h), {times.shape(0), width}});
    }
    return values;
}

std::unique_ptr<Players> made_players(const std::string& function, std::shared_ptr<const Synthesizer> synth,
                                      const std::vector<std::uint64_t>& seeds, const std::vector<std::string>& labels,
                                      std::vector<std::vector<synthesis::TimedCommand>> schedules,
                                      std::vector<Layer> layers, const PlaySettings& settings,
                                      std::size_t kept_seconds) {
    const ReleasedGil released;
    std::vector<std::int64_t> places;
    for (const std::string& label : labels) places.push_back(synth->label_index(function.c_str(), label));
    return std::make_unique<Players>(
        function.c_str(), std::move(synth),
        synthesis::PlayersStart{seeds, places, std::move(schedules), std::move(layers), settings, kept_seconds});
}

Array<float> stepped_players(Players& players, const std::string& function, std::int64_t frames,
                             const std::vector<std::string>& without) {
    Array<float> out({static_cast<py::ssize_t>(players.size()), static_cast<py::ssize_t>(frames),
                      static_cast<py::ssize_t>(players.synth().num_controls())});
    const auto result = writable<float, 3>(out);
    const ReleasedGil released;
    players.step(function.c_str(), without, result);
    return out;
}

using PlainEvent = std::tuple<double, std::string, std::string, std::string, std::string, double, double>;

std::vector<PlainEvent> player_events(const Players& players, std::int64_t character) {
    constexpr const char* kinds[] = {"command", "note", "second"};
    std::vector<PlainEvent> found;
    for (const synthesis::PlayEvent& event : players.events(character)) {
        found.emplace_back(event.seconds, kinds[static_cast<int>(event.kind)], event.command, event.label,
                           event.nearest, event.distance, event.variance);
    }
    return found;
}

void bind_play_commands(py::module_& module) {
    py::class_<PlayCommand>(module, "PlayCommand", "A command of a player with checked arguments.")
        .def_property_readonly("label", [](const PlayCommand& command) { return command.label; })
        .def("__str__", [](const PlayCommand& command) { return command.text; });
    py::class_<Synthesizer, std::shared_ptr<Synthesizer>>(
        module, "Synthesizer", "Latent spaces of labelled clips as players play them. Immutable and thread-safe.")
        .def(py::init([](const py::dict& tensors, const std::string& metadata) {
                 return std::const_pointer_cast<Synthesizer>(synthesizer_of(tensors, metadata));
             }),
             py::arg("tensors"), py::arg("metadata"), "Of the tensors and metadata of a file of kind synthesis.")
        .def_property_readonly("labels", &Synthesizer::labels)
        .def(
            "frame_name",
            [](const Synthesizer& synth, const std::string& label, std::int64_t row) {
                return synth.frame_name(synth.label_index("Synthesizer.frame_name", label), row);
            },
            py::arg("label"), py::arg("row"), "Clip and frame of a training row, as \"walk 12\".")
        .def(
            "latent",
            [](const Synthesizer& synth, const std::string& label) {
                return std::const_pointer_cast<synthesis::LatentSpace>(
                    synth.space(synth.label_index("Synthesizer.latent", label)).latent);
            },
            py::arg("label"), "The Gaussian process of a label.")
        .def(
            "route",
            [](const Synthesizer& synth, const std::string& start, const std::string& end) {
                std::vector<std::string> names;
                for (const std::int64_t label : synth.route(synth.label_index("Synthesizer.route", start),
                                                            synth.label_index("Synthesizer.route", end))) {
                    names.push_back(synth.labels()[static_cast<std::size_t>(label)]);
                }
                return names;
            },
            py::arg("start"), py::arg("end"), "Labels through which `end` is reached.")
        .def(
            "idle",
            [](const Synthesizer& synth, const std::string& label, const std::optional<std::vector<GivenPose>>& poses,
               std::optional<double> hold,
               const std::string& along) { return idle_command(synth, label, poses_of(poses), hold, along); },
            py::arg("label"), py::arg("poses"), py::arg("hold"), py::arg("along"))
        .def(
            "move",
            [](const Synthesizer& synth, const std::string& label, const GivenPose& to, const std::string& along) {
                return move_command(synth, label, pose_of(to), along);
            },
            py::arg("label"), py::arg("to"), py::arg("along"))
        .def("transition", &synthesis::transition_command, py::arg("label"))
        .def(
            "play",
            [](const Synthesizer& synth, const std::string& label, std::optional<std::string> segment,
               std::int64_t number, std::int64_t begin, std::optional<std::int64_t> end) {
                return play_command(synth, label, {std::move(segment), number}, begin, end);
            },
            py::arg("label"), py::arg("segment"), py::arg("number"), py::arg("begin"), py::arg("end"));
    module.def(
        "cheapest_route",
        [](std::int64_t labels, const std::vector<std::tuple<std::int64_t, std::int64_t, double>>& edges,
           std::int64_t start, std::int64_t end) {
            std::vector<synthesis::LabelEdge> ways;
            for (const auto& [from, to, cost] : edges) ways.push_back({from, to, cost});
            return synthesis::cheapest_route(labels, ways, start, end);
        },
        py::arg("labels"), py::arg("edges"), py::arg("start"), py::arg("end"),
        "The cheapest chain from start to end over edges (from, to, cost); empty if there is none.");
}

void bind_play_settings(py::module_& module) {
    const PlaySettings usual;
    py::class_<PlaySettings>(module, "PlaySettings", "Checked settings of a player; see rc.synthesis.PlaySettings.")
        .def(py::init(&play_settings), py::kw_only(), py::arg("speed") = usual.speed, py::arg("radius") = usual.radius,
             py::arg("wander") = usual.wander, py::arg("likelihood") = usual.likelihood,
             py::arg("timescale") = usual.timescale, py::arg("drag") = usual.drag,
             py::arg("stiffness") = usual.stiffness, py::arg("hold") = usual.hold, py::arg("blend") = usual.blend,
             py::arg("settle") = usual.settle, py::arg("power") = usual.power, py::arg("slow") = usual.slow,
             py::arg("least") = usual.least, py::arg("blends") = usual.blends, py::arg("threads") = usual.threads);
    py::class_<Layer>(module, "PlayLayer", "A checked layer: blinks, gaze or sway; see rc.synthesis.Layer.")
        .def(py::init(&made_layer), py::kw_only(), py::arg("kind"), py::arg("name"), py::arg("strength"),
             py::arg("seed"), py::arg("frozen_at"), py::arg("per_minute") = 15.0, py::arg("length") = 0.25,
             py::arg("timescale") = 1.5, py::arg("amounts"))
        .def("values", &layer_values, py::arg("seconds"), py::arg("seeds"),
             "(H, T, n) values of players with seeds (H,) at times (T,) in seconds.");
}

}  // namespace

void bind_synthesis_players(py::module_& module) {
    bind_play_commands(module);
    bind_play_settings(module);
    using Released = py::call_guard<py::gil_scoped_release>;
    py::class_<Players>(module, "Players", "Characters of one synthesizer, stepped together.")
        .def(py::init(&made_players), py::arg("function"), py::arg("synth"), py::arg("seeds"), py::arg("labels"),
             py::arg("schedules"), py::arg("layers"), py::arg("settings"), py::arg("kept_seconds"))
        .def("__len__", &Players::size)
        .def(
            "tell",
            [](Players& players, const PlayCommand& command, const std::vector<std::int64_t>& who, bool later) {
                players.tell(command, who, later);
            },
            py::arg("command"), py::arg("who"), py::arg("later"), Released(),
            "Begin a command of all characters, or of those with the given indices.")
        .def("step", &stepped_players, py::arg("function"), py::arg("frames"), py::arg("without"),
             "(H, frames, N) controls of the next frames.")
        .def("frame", &Players::frame, py::arg("character"), Released())
        .def("seed", &Players::seed, py::arg("character"), Released())
        .def(
            "label",
            [](const Players& players, std::int64_t character) {
                return players.synth().labels()[static_cast<std::size_t>(players.label(character))];
            },
            py::arg("character"), Released())
        .def("events", &player_events, py::arg("character"), Released(),
             "Seconds, kind, command, label, nearest, distance and variance of each event.")
        .def("state", &Players::state, py::arg("character"), Released())
        .def(
            "restore",
            [](Players& players, const std::string& function, std::int64_t character, const std::string& state) {
                players.restore(function.c_str(), character, state);
            },
            py::arg("function"), py::arg("character"), py::arg("state"), Released());
}

}  // namespace rigcast::bindings
