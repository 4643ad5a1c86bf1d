#include "rigcast/crowd/crowd.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::crowd {
namespace {

/// Some of the heads, in another order.
struct ChosenHeads {
    ChosenHeads(const Heads& heads, const std::vector<std::int32_t>& chosen) {
        for (const std::int32_t h : chosen) {
            clip.push_back(heads.clip(h));
            frame.push_back(heads.frame(h));
            prefix.push_back(heads.prefix(h));
        }
    }
    Heads heads() const {
        const auto count = static_cast<std::int64_t>(clip.size());
        return {{clip.data(), {count}}, {frame.data(), {count}}, {prefix.data(), {count}}};
    }

    std::vector<std::int32_t> clip, prefix;
    std::vector<double> frame;
};

std::vector<std::int32_t> order_of(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> order) {
    if (order.extent(0) > 0) {
        rig::check_prefix("Crowd", {order, {nullptr, {0}}}, rig.num_shapes(), 0);
        return {order.begin(), order.end()};
    }
    std::vector<std::int32_t> ascending(static_cast<std::size_t>(rig.num_shapes()));
    std::iota(ascending.begin(), ascending.end(), 0);
    return ascending;
}

}  // namespace

Crowd::Crowd(std::shared_ptr<const rig::BlendshapeRig> rig, View<const float, 2> weights,
             View<const std::int64_t, 1> num_frames, View<const std::int32_t, 1> order)
    : rig_(std::move(rig)), clips_(*rig_, weights, num_frames), order_(order_of(*rig_, order)) {}

void Crowd::weights(const Heads& heads, View<float, 2> weights) const {
    clips_.check("weights", heads);
    check_shape<float, 2>("weights", "weights", weights, {heads.size(), rig_->num_shapes()});
    for (std::int64_t h = 0; h < heads.size(); ++h) clips_.mix(clips_.place(heads, h), weights.row(h));
}

States Crowd::states(const char* function, const Heads& heads) const {
    clips_.check(function, heads);
    if (heads.size() > std::numeric_limits<std::int32_t>::max()) {
        throw bad_argument(function, "clip", std::to_string(heads.size()) + " long", "at most 2^31 - 1");
    }
    const auto key = [&](std::int32_t h) { return std::tuple(heads.prefix(h), heads.clip(h), heads.frame(h)); };
    std::vector<std::int32_t> sorted(static_cast<std::size_t>(heads.size()));
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return key(a) < key(b); });
    States states;
    states.of_head.resize(sorted.size());
    for (const std::int32_t h : sorted) {
        if (states.first.empty() || key(states.first.back()) != key(h)) states.first.push_back(h);
        states.of_head[static_cast<std::size_t>(h)] = static_cast<std::int32_t>(states.first.size()) - 1;
    }
    return states;
}

void Crowd::evaluate(const Heads& heads, View<float, 3> vertices, int threads) const {
    evaluate(heads, vertices, threads,
             [&](const Heads& some, View<float, 3> out) { evaluate_each(some, out, threads); });
}

void Crowd::evaluate(const Heads& heads, View<float, 3> vertices, int threads,
                     const std::function<void(const Heads&, View<float, 3>)>& each) const {
    const States states = this->states("evaluate", heads);
    const std::int64_t count = rig_->character().num_vertices();
    check_shape<float, 3>("evaluate", "out", vertices, {heads.size(), count, 3});
    const auto distinct = static_cast<std::int64_t>(states.first.size());
    // Nothing is shared: sorting by prefix would gain no more than its copy costs.
    if (distinct == heads.size()) return each(heads, vertices);
    std::vector<float> once(static_cast<std::size_t>(distinct * count * 3));
    const View<float, 3> shown(once.data(), {distinct, count, 3});
    each(ChosenHeads(heads, states.first).heads(), shown);
    parallel_for(heads.size(), 16, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t h = begin; h < end; ++h) {
            std::copy_n(shown.row(states.of_head[static_cast<std::size_t>(h)]), 3 * count, vertices.row(h));
        }
    });
}

void Crowd::evaluate_each(const Heads& heads, View<float, 3> vertices, int threads) const {
    const std::int64_t shapes = rig_->num_shapes();
    std::vector<float> rows(static_cast<std::size_t>(heads.size() * shapes));
    const View<float, 2> poses(rows.data(), {heads.size(), shapes});
    weights(heads, poses);
    const bool whole = std::all_of(heads.prefix.begin(), heads.prefix.end(), [&](auto p) { return p == shapes; });
    if (whole) return rig_->evaluate(poses, vertices, threads);
    rig_->evaluate_prefix(poses, prefix(heads), vertices, threads);
}

}  // namespace rigcast::crowd
