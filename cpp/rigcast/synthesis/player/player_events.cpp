#include "rigcast/synthesis/player/player_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rigcast::synthesis {
namespace {

/// Features (n, R) of the frames of a label.
std::vector<double> features_of(const Synthesizer& synth, std::int64_t label) {
    const Space& space = synth.space(label);
    std::vector<double> features(static_cast<std::size_t>(space.size() * synth.num_features()));
    for (std::int64_t i = 0; i < space.size(); ++i) {
        synth.write_features(space.frames.data() + synth.num_controls() * i,
                             features.data() + synth.num_features() * i);
    }
    return features;
}

PlayEvent second_of(const Simulation& simulation, const Character& character, const Sample& sample,
                    const std::vector<double>& clips) {
    const Synthesizer& synth = simulation.synth();
    const std::int64_t width = synth.num_features();
    std::vector<double> own(static_cast<std::size_t>(width));
    synth.write_features(sample.controls.data(), own.data());
    std::int64_t row = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < synth.space(sample.label).size(); ++i) {
        const double away = distance(clips.data() + width * i, own.data(), width);
        if (away >= nearest) continue;
        nearest = away;
        row = i;
    }
    const Ground& ground = simulation.ground(sample.label);
    const double density = ground.density({ground.dimension(), sample.place}).front();
    return {static_cast<double>(sample.frame) / synth.fps(),
            PlayEvent::Kind::second,
            character.record().command(sample.command),
            synth.labels()[static_cast<std::size_t>(sample.label)],
            synth.frame_name(sample.label, row),
            nearest,
            std::exp(-2.0 * density)};
}

}  // namespace

std::vector<PlayEvent> events_of(const Simulation& simulation, const Character& character) {
    const double fps = simulation.synth().fps();
    std::vector<PlayEvent> found;
    for (const auto& [number, event] : character.record().events()) {
        const auto kind = event.is_note ? PlayEvent::Kind::note : PlayEvent::Kind::command;
        const auto frame = static_cast<double>(event.began.value_or(event.frame));
        found.push_back({frame / fps, kind, event.command, event.label, "", 0.0, 0.0});
    }
    std::map<std::int64_t, std::vector<double>> features;
    for (const Sample& sample : character.samples()) {
        const auto known = features.find(sample.label);
        const auto& clips =
            known != features.end()
                ? known->second
                : features.emplace(sample.label, features_of(simulation.synth(), sample.label)).first->second;
        found.push_back(second_of(simulation, character, sample, clips));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const PlayEvent& a, const PlayEvent& b) { return a.seconds < b.seconds; });
    return found;
}

}  // namespace rigcast::synthesis
