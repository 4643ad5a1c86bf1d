#include "rigcast/synthesis/model/synthesizer.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::synthesis {
namespace {

constexpr std::int64_t rows_per_piece = 8;

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

std::vector<std::int64_t> cheapest_route(std::int64_t labels, const std::vector<LabelEdge>& edges, std::int64_t start,
                                         std::int64_t end) {
    using Way = std::pair<double, std::vector<std::int64_t>>;
    std::priority_queue<Way, std::vector<Way>, std::greater<>> queue;
    queue.push({0.0, {start}});
    std::vector<bool> done(static_cast<std::size_t>(labels), false);
    while (!queue.empty()) {
        const auto [cost, way] = queue.top();
        queue.pop();
        const std::int64_t here = way.back();
        if (done[static_cast<std::size_t>(here)]) continue;
        done[static_cast<std::size_t>(here)] = true;
        if (here == end) return way;
        for (const LabelEdge& edge : edges) {
            if (edge.from != here || done[static_cast<std::size_t>(edge.to)]) continue;
            std::vector<std::int64_t> longer = way;
            longer.push_back(edge.to);
            queue.push({cost + edge.cost, std::move(longer)});
        }
    }
    return {};
}

Synthesizer::Synthesizer(SynthesizerParts parts)
    : parts_(std::move(parts)), features_(num_controls() == 0 ? 0 : std::ssize(parts_.effects) / num_controls()) {
    for (const Space& one : parts_.spaces) labels_.push_back(one.label);
}

std::int64_t Synthesizer::label_index(const char* function, const std::string& label) const {
    const auto found = std::find(labels_.begin(), labels_.end(), label);
    if (found == labels_.end()) throw bad_argument(function, "label", "'" + label + "'", "one of " + listed(labels_));
    return found - labels_.begin();
}

const Bridge* Synthesizer::bridge(std::int64_t from, std::int64_t to) const {
    for (const Bridge& one : parts_.bridges) {
        if (one.from == from && one.to == to) return &one;
    }
    return nullptr;
}

std::vector<std::int64_t> Synthesizer::route(std::int64_t start, std::int64_t end) const {
    std::vector<LabelEdge> edges;
    for (const Bridge& one : parts_.bridges) {
        const double far = one.distances.front() / std::max(parts_.threshold, 1e-12);
        edges.push_back({one.from, one.to, one.within ? 1.0 : std::max(1.0, far)});
    }
    std::vector<std::int64_t> way = cheapest_route(std::ssize(labels_), edges, start, end);
    if (way.empty()) {
        throw bad_argument("Synthesizer.route", "end",
                           "'" + labels_[static_cast<std::size_t>(end)] + "', which no bridge reaches",
                           "a label with a bridge");
    }
    return way;
}

std::string Synthesizer::frame_name(std::int64_t label, std::int64_t row) const {
    for (const ClipSegment& segment : space(label).segments) {
        if (row >= segment.begin && row < segment.end) return segment.name + " " + std::to_string(row - segment.begin);
    }
    return "";
}

void Synthesizer::write_controls(std::int64_t label, View<const double, 2> x, View<float, 2> out, int threads) const {
    const Space& in = space(label);
    const LatentSpace& latent = *in.latent;
    const std::int64_t count = x.extent(0), width = num_controls(), components = latent.num_outputs();
    check_shape<const double, 2>("Synthesizer.controls", "x", x, {-1, latent.dimension()});
    check_finite("Synthesizer.controls", "x", x);
    check_shape<float, 2>("Synthesizer.controls", "out", out, {count, width});
    parallel_for(count, rows_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<double> memory(static_cast<std::size_t>(latent.workspace_size() + components + 2 * width));
        double* values = memory.data() + latent.workspace_size();
        double* coordinates = values + components;
        double* controls_of = coordinates + width;
        for (std::int64_t t = begin; t < end; ++t) {
            latent.mean(x.row(t), values, memory.data());
            std::copy(in.center.begin(), in.center.end(), coordinates);
            for (std::int64_t p = 0; p < components; ++p) {
                const double* basis = in.basis.data() + width * p;
                for (std::int64_t i = 0; i < width; ++i) coordinates[i] += values[p] * basis[i];
            }
            parts_.around->unclipped(coordinates, controls_of);
            controls().clip(controls_of, out.row(t));
        }
    });
}

void Synthesizer::write_features(const float* given, double* out) const {
    const std::int64_t width = num_controls();
    const Scratch::Lease<double> memory(static_cast<std::size_t>(width));
    parts_.around->of(given, memory.data());
    std::fill_n(out, features_, 0.0);
    for (std::int64_t i = 0; i < width; ++i) {
        const double* effect = parts_.effects.data() + features_ * i;
        for (std::int64_t r = 0; r < features_; ++r) out[r] += memory.data()[i] * effect[r];
    }
}

}  // namespace rigcast::synthesis
