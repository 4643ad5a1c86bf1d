#include "rigcast/synthesis/playing/layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rigcast/core/check.h"
#include "rigcast/synthesis/playing/play_settings.h"
#include "rigcast/synthesis/playing/smooth_noise.h"

namespace rigcast::synthesis {
namespace {

constexpr double most = 1e6, latest = 1e9, fastest_per_minute = 600.0;

const char* kind_name(Layer::Kind kind) {
    return kind == Layer::Kind::blinks ? "Blinks" : kind == Layer::Kind::gaze ? "Gaze" : "Sway";
}

double smooth(double share) {
    return share * share * (3.0 - 2.0 * share);
}

/// FNV-1a (Fowler, Noll & Vo).
std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// Events at random moments, one per interval of a player's own: common ones would leave moments without any event.
class RandomMoments {
public:
    RandomMoments(std::uint64_t seed, double per_minute, double length)
        : seed_(seed), interval_(60.0 / per_minute), length_(length), shift_(interval_ * uniform_at(seed, 1, 0)) {}

    /// The interval of a time, and the seconds since its event; negative before.
    std::pair<std::int64_t, double> since(double seconds) const {
        const double shifted = seconds + shift_, number = std::floor(shifted / interval_);
        if (!(std::abs(number) < 0x1p53)) {
            throw bad_argument("step", "frame", "too late for a layer", "within 2^53 intervals of its events");
        }
        const auto index = static_cast<std::int64_t>(number);
        const double begin = number * interval_ + (interval_ - length_) * drawn(0, index);
        return {index, shifted - begin};
    }
    double drawn(std::uint64_t channel, std::int64_t index) const {
        return uniform_at(seed_, channel, static_cast<std::uint64_t>(index));
    }

private:
    std::uint64_t seed_;
    double interval_, length_, shift_;
};

void write_blinks(const Layer& layer, std::uint64_t seed, double seconds, double* out) {
    const double place = RandomMoments(seed, layer.per_minute, layer.length).since(seconds).second / layer.length;
    out[0] = smooth(std::min(std::clamp(place / 0.4, 0.0, 1.0), std::clamp((1.0 - place) / 0.6, 0.0, 1.0)));
}

void write_gaze(const Layer& layer, std::uint64_t seed, double seconds, double* out) {
    const RandomMoments jumps(seed, layer.per_minute, layer.length);
    const auto [index, since] = jumps.since(seconds);
    const double share = smooth(std::clamp(since / layer.length, 0.0, 1.0));
    for (std::uint64_t axis = 0; axis < 2; ++axis) {
        const double before = 2.0 * jumps.drawn(2 + axis, index - 1) - 1.0;
        const double after = 2.0 * jumps.drawn(2 + axis, index) - 1.0;
        out[axis] = before + share * (after - before);
    }
}

void write_sway(const SmoothNoise& noise, std::uint64_t seed, double seconds, std::size_t channels, double* out) {
    if (!noise.reaches(seconds)) {
        throw bad_argument("step", "frame", "too late for a layer", "within 2^50 timescales of 0");
    }
    const SmoothNoise::Window window = noise.window(seconds, seconds);
    std::vector<double> heights(static_cast<std::size_t>(window.count)), weights(heights.size());
    noise.weights(seconds, window, weights.data());
    for (std::size_t channel = 0; channel < channels; ++channel) {
        noise.heights(seed, channel, window, heights.data());
        double sum = 0.0;
        for (std::size_t i = 0; i < heights.size(); ++i) sum += weights[i] * heights[i];
        out[channel] = sum;
    }
}

}  // namespace

void Layer::check() const {
    const char* function = kind_name(kind);
    if (name.empty()) throw bad_argument(function, "name", "empty", "a name");
    check_bounds(function, "strength", strength, 0.0, false, most);
    if (frozen_at) check_bounds(function, "frozen_at", *frozen_at, 0.0, false, latest);
    if (kind == Kind::sway) {
        check_bounds(function, "timescale", timescale, shortest_timescale, false, most);
    } else {
        check_bounds(function, "per_minute", per_minute, 0.0, true, fastest_per_minute);
        check_bounds(function, kind == Kind::gaze ? "jump" : "length", length, 0.0, true, 30.0 / per_minute);
    }
    const std::size_t values_of = kind == Kind::blinks ? 1 : kind == Kind::gaze ? 2 : amounts.size();
    if (amounts.size() != values_of) {
        throw bad_argument(function, "amounts", std::to_string(amounts.size()) + " long", std::to_string(values_of));
    }
    for (const Amounts& of : amounts) {
        for (const auto& [control, amount] : of) {
            check_bounds(function, "amount of '" + control + "'", amount, -most, false, most);
        }
    }
}

void Layer::values(View<const double, 1> seconds, std::uint64_t player, View<double, 2> out) const {
    const std::uint64_t own = seed * 0x9e3779b97f4a7c15u + hash_of(name);
    const std::uint64_t mixed = player * 0xbf58476d1ce4e5b9u + own;
    const SmoothNoise noise(timescale);
    for (std::int64_t t = 0; t < seconds.extent(0); ++t) {
        const double at = frozen_at ? std::min(seconds(t), *frozen_at) : seconds(t);
        if (kind == Kind::blinks) write_blinks(*this, mixed, at, out.row(t));
        if (kind == Kind::gaze) write_gaze(*this, mixed, at, out.row(t));
        if (kind == Kind::sway) write_sway(noise, mixed, at, amounts.size(), out.row(t));
    }
}

Layers::Layers(const char* function, std::vector<Layer> layers, const std::vector<std::string>& control_names)
    : layers_(std::move(layers)) {
    std::map<std::string, std::int64_t> column;
    std::map<std::string, std::string> owner;
    std::set<std::string> names;
    for (const std::string& name : control_names) column.emplace(name, std::ssize(column));
    for (const Layer& layer : layers_) {
        layer.check();
        weights_.emplace_back();
        for (std::size_t value = 0; value < layer.amounts.size(); ++value) {
            for (const auto& [control, amount] : layer.amounts[value]) {
                const std::string which = "layer '" + layer.name + "'";
                const auto found = column.find(control);
                if (found == column.end()) {
                    throw bad_argument(function, which, "of '" + control + "'", "of known controls");
                }
                const std::string& other = owner.emplace(control, layer.name).first->second;
                if (other != layer.name) {
                    throw bad_argument(function, which, "of '" + control + "', which layer '" + other + "' owns",
                                       "of controls of its own");
                }
                weights_.back().push_back({static_cast<std::int64_t>(value), found->second, layer.strength * amount});
            }
        }
        if (!names.insert(layer.name).second) {
            throw bad_argument(function, "layers", "a list with '" + layer.name + "' twice",
                               "a list of different, non-empty names");
        }
    }
}

std::vector<bool> Layers::without(const char* function, std::span<const std::string> names) const {
    std::vector<bool> chosen(layers_.size(), true);
    for (const std::string& name : names) {
        bool known = false;
        std::string all;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            all += (all.empty() ? "" : ", ") + layers_[i].name;
            if (layers_[i].name != name) continue;
            known = true;
            chosen[i] = false;
        }
        if (known) continue;
        throw bad_argument(function, "without", "'" + name + "'", "one of " + (all.empty() ? "no layers" : all));
    }
    return chosen;
}

void Layers::add(const std::vector<bool>& chosen, View<const double, 1> seconds, std::uint64_t player,
                 View<double, 2> controls) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (!chosen[i]) continue;
        const std::int64_t width = std::ssize(layers_[i].amounts), frames = seconds.extent(0);
        values.resize(static_cast<std::size_t>(width * frames));
        layers_[i].values(seconds, player, {values.data(), {frames, width}});
        for (std::int64_t t = 0; t < frames; ++t) {
            for (const Weight& weight : weights_[i]) {
                controls(t, weight.control) +=
                    weight.amount * values[static_cast<std::size_t>(width * t + weight.value)];
            }
        }
    }
}

}  // namespace rigcast::synthesis
