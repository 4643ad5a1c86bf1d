#include "rigcast/synthesis/player/simulation.h"

#include <algorithm>
#include <array>

#include "rigcast/core/parallel.h"
#include "rigcast/synthesis/playing/particle.h"

namespace rigcast::synthesis {
namespace {

/// The ground of a label, whose paths turn as its clips do.
std::unique_ptr<const Ground> ground_of(const Synthesizer& synth, const Space& space, const PlaySettings& settings) {
    std::vector<Points> features;
    std::vector<std::array<std::int64_t, 2>> ends;
    for (const ClipSegment& segment : space.segments) {
        Points rows{std::max<std::int64_t>(synth.num_features(), 1), {}};
        rows.numbers.resize(static_cast<std::size_t>(rows.width * (segment.end - segment.begin)));
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            synth.write_features(space.frames.data() + synth.num_controls() * i, rows[i - segment.begin]);
        }
        features.push_back(std::move(rows));
        ends.push_back({segment.begin, segment.end});
    }
    return std::make_unique<const Ground>(space.latent, ends, settings, rounding_width(features));
}

std::vector<double> widened(const float* row, std::int64_t width) {
    return {row, row + width};
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Synthesizer> synth, const PlaySettings& settings)
    : synth_(std::move(synth)), settings_(settings) {
    check_play_settings("PlaySettings", settings);
    for (const Space& space : synth_->spaces()) grounds_.push_back(ground_of(*synth_, space, settings));
}

void Simulation::write_controls(std::int64_t label, const double* x, float* out) const {
    synth_->write_controls(label, {x, {1, ground(label).dimension()}}, {out, {1, synth_->num_controls()}}, 1);
}

void Simulation::simulate(const std::vector<Item*>& items) const {
    for (std::int64_t label = 0; label < std::ssize(grounds_); ++label) {
        std::vector<ItemTrack*> tracks;
        std::vector<std::int64_t> first;
        for (Item* item : items) {
            for (ItemTrack& track : item->tracks) {
                if (track.label != label) continue;
                tracks.push_back(&track);
                first.push_back(item->first);
            }
        }
        if (!tracks.empty()) step(label, tracks, first);
    }
    parallel_for(std::ssize(items), 1, settings_.threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) mix(*items[static_cast<std::size_t>(i)]);
    });
}

void Simulation::step(std::int64_t label, const std::vector<ItemTrack*>& tracks,
                      const std::vector<std::int64_t>& first) const {
    const Ground& on = ground(label);
    const std::int64_t width = on.dimension(), count = std::ssize(tracks), controls = synth_->num_controls();
    Points positions{width, {}}, velocities{width, {}}, path{width, {}}, at{width, {}}, speeds{width, {}};
    std::vector<double> radii;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> seeds;
    for (const ItemTrack* track : tracks) {
        positions.add(track->x.data());
        velocities.add(track->v.data());
        path.numbers.insert(path.numbers.end(), track->path.numbers.begin(), track->path.numbers.end());
        radii.insert(radii.end(), track->radii.begin(), track->radii.end());
        offsets.push_back(path.size());
        seeds.push_back(track->seed);
    }
    const std::int64_t rows = path.size();
    at.numbers.resize(path.numbers.size());
    speeds.numbers.resize(path.numbers.size());
    const double push = settings_.wander * settings_.drag * on.step() * synth_->fps();
    const ParticleSettings settings{.frame_time = 1.0 / synth_->fps(),
                                    .alpha = settings_.stiffness,
                                    .beta = settings_.stiffness,
                                    .drag = settings_.drag,
                                    .likelihood_strength = settings_.likelihood * push,
                                    .likelihood_level = on.slow(),
                                    .likelihood_width = std::max(on.level() - on.slow(), 1e-3),
                                    .random_strength = push,
                                    .random_timescale = settings_.timescale};
    const ParticlePaths paths{path.view(),
                              {radii.data(), {rows}},
                              {offsets.data(), {count + 1}},
                              {first.data(), {count}},
                              {seeds.data(), {count}}};
    step_particles(&on.field(), settings, positions.view(), velocities.view(), paths,
                   {{at.numbers.data(), {rows, width}}, {speeds.numbers.data(), {rows, width}}}, settings_.threads);
    std::vector<float> shown(static_cast<std::size_t>(rows * controls));
    synth_->write_controls(label, at.view(), {shown.data(), {rows, controls}}, settings_.threads);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t begin = offsets[static_cast<std::size_t>(i)], end = offsets[static_cast<std::size_t>(i) + 1];
        ItemTrack& track = *tracks[static_cast<std::size_t>(i)];
        track.positions = at.slice(begin, end);
        track.velocities = speeds.slice(begin, end);
        track.controls.assign(shown.data() + controls * begin, shown.data() + controls * end);
    }
}

void Simulation::mix(Item& item) const {
    const Controls& controls = synth_->controls();
    const std::int64_t width = controls.size();
    item.controls.resize(static_cast<std::size_t>(width * item.count));
    const std::vector<float>& frames = synth_->space(item.label).frames;
    if (item.kind == Item::Kind::clip) {
        for (std::int64_t i = 0; i < item.count; ++i) {
            const float* frame = frames.data() + width * item.rows[static_cast<std::size_t>(i)];
            controls.clip(widened(frame, width).data(), item.controls.data() + width * i);
        }
        return;
    }
    const std::vector<float>& own = item.tracks.front().controls;
    item.after = item.decays;
    if (item.jump > 0) {
        item.after.push_back(Decay::across(controls, item.first, item.previous.data(), own.data(), item.jump));
    }
    std::vector<double> mixed(static_cast<std::size_t>(width)), offset(mixed.size());
    for (std::int64_t i = 0; i < item.count; ++i) {
        float* out = item.controls.data() + width * i;
        std::vector<double> row = widened(own.data() + width * (i + 1), width);
        for (const Decay& decay : item.after) {
            decay.at(item.first + i + 1, offset.data());
            shift(controls, row.data(), offset.data(), mixed.data());
            row = mixed;
        }
        controls.clip(row.data(), out);
        if (item.kind == Item::Kind::follow) continue;
        const float* other = item.kind == Item::Kind::blend
                                 ? item.tracks[1].controls.data() + width * (i + 1)
                                 : frames.data() + width * item.rows[static_cast<std::size_t>(i)];
        blend(controls, widened(out, width).data(), widened(other, width).data(), smooth_share(i, item.count),
              mixed.data());
        controls.clip(mixed.data(), out);
    }
}

}  // namespace rigcast::synthesis
