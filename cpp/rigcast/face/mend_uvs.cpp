#include "rigcast/face/mend_uvs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/face/map_floor.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::face {
namespace {

constexpr int intervals = 64;        // more follow single edges
constexpr int smoothed = 2;          // neighbors on each side that an interval's change is averaged with
constexpr double still_share = 0.1;  // room for intervals without motion, of the mean: more wastes texels on the scalp
constexpr double least = 1e-4;       // an edge's shortest length along the axis, of the axis

using Density = std::array<double, intervals>;

/// The change that edges add to each interval; `x` are the coordinates scaled to [0, 1].
Density change_along(const std::vector<double>& x, const std::vector<mesh::Edge>& edges,
                     const std::vector<double>& change) {
    Density density{};
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const double low = std::min(x[edges[e].a], x[edges[e].b]);
        const double high = std::max(x[edges[e].a], x[edges[e].b]);
        const double share = change[e] / std::max(high - low, least);
        const int first = std::min(static_cast<int>(low * intervals), intervals - 1);
        const int last = std::min(static_cast<int>(high * intervals), intervals - 1);
        for (int k = first; k <= last; ++k) {
            const double begin = static_cast<double>(k) / intervals;
            density[k] += share * std::max(std::min(high, begin + 1.0 / intervals) - std::max(low, begin), 0.0);
        }
    }
    return density;
}

Density smooth(const Density& density) {
    Density result{};
    for (int k = 0; k < intervals; ++k) {
        for (int n = k - smoothed; n <= k + smoothed; ++n) result[k] += density[std::clamp(n, 0, intervals - 1)];
        result[k] /= 2 * smoothed + 1;
    }
    return result;
}

/// The new coordinate at the begin of each interval and at the end of the last one, from 0 to 1.
std::array<double, intervals + 1> integral(const Density& density) {
    double mean = 0.0;
    for (const double x : density) mean += x / intervals;
    std::array<double, intervals + 1> sum{};
    for (int k = 0; k < intervals; ++k) {
        const double root = std::sqrt(mean > 0.0 ? density[k] / mean : 1.0);
        sum[k + 1] = sum[k] + still_share + root * std::sqrt(root);
    }
    for (double& x : sum) x /= sum[intervals];
    return sum;
}

constexpr const char* mend_uvs_name = "mend_uvs";
constexpr double moves = 1e-4;          // of the largest offset: a vertex that is moved farther counts
constexpr double worst_weight = 0.3;    // of the largest distances against the mean
constexpr double worth_trying = 0.995;  // a frame stays if it lowers the cost to this share
constexpr double worth_refining = 0.999;
constexpr std::array<double, 12> first_factors = {-0.8, -0.6, -0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8};
constexpr std::array<double, 4> refinements = {-0.1, -0.05, 0.05, 0.1};
constexpr int sweeps = 2;

struct Judged {
    double cost = 0.0;
    MendedUvs::Floor floor;
    std::vector<double> left;  // (T) of each frame: the sum of the eighth powers of its distances
};

/// What texture coordinates cost for the offsets of a mesh.
class Judge {
public:
    Judge(View<const double, 2> uvs, View<const float, 2> rest, View<const std::int32_t, 2> faces,
          View<const float, 3> offsets, std::int64_t resolution)
        : uvs_(uvs),
          offsets_(offsets),
          resolution_(resolution),
          edges_(mesh::edges(faces)),
          change_(edge_changes(edges_, offsets)),
          motion_(uvs, rest, offsets) {
        double largest = 0.0;
        for (std::int64_t i = 0; i < offsets.extent(0) * offsets.extent(1); ++i) {
            largest = std::max(largest, squared_length(i));
        }
        if (!(largest > 0.0))
            throw bad_argument(mend_uvs_name, "offsets", "0 everywhere", "offsets that move a vertex");
        smallest_ = moves * moves * largest;
    }

    /// Spaced coordinates (V, 2) for a factor of each frame.
    std::vector<double> placed(const std::vector<double>& factors) const {
        std::vector<double> moved(uvs_.begin(), uvs_.end());
        for (std::int64_t t = 0; t < offsets_.extent(0); ++t) motion_.add(t, factors[t], moved.data());
        return space_uvs({moved.data(), {uvs_.extent(0), 2}}, edges_, change_);
    }

    Judged operator()(const std::vector<double>& uvs, int threads) const {
        const std::int64_t frames = offsets_.extent(0);
        const std::int64_t vertices = offsets_.extent(1);
        std::vector<double> distance(frames * vertices);
        MapFloor({uvs.data(), {vertices, 2}}, resolution_)
            .distances(offsets_, {distance.data(), {frames, vertices}}, threads);
        Judged judged;
        judged.left.resize(frames);
        double eighth = 0.0;
        std::int64_t count = 0;
        for (std::int64_t t = 0; t < frames; ++t) {
            for (std::int64_t i = t * vertices; i < (t + 1) * vertices; ++i) {
                if (squared_length(i) <= smallest_) continue;
                const double square = distance[i] * distance[i];
                judged.floor.mean += distance[i];
                judged.floor.max = std::max(judged.floor.max, distance[i]);
                judged.left[t] += square * square * square * square;
                ++count;
            }
            eighth += judged.left[t];
        }
        judged.floor.mean /= static_cast<double>(count);
        const double root = std::sqrt(std::sqrt(std::sqrt(eighth / static_cast<double>(count))));
        judged.cost = judged.floor.mean + worst_weight * root;
        return judged;
    }

private:
    double squared_length(std::int64_t i) const {
        const float* const d = offsets_.data() + 3 * i;
        return double{d[0]} * d[0] + double{d[1]} * d[1] + double{d[2]} * d[2];
    }

    View<const double, 2> uvs_;
    View<const float, 3> offsets_;
    std::int64_t resolution_;
    std::vector<mesh::Edge> edges_;
    std::vector<double> change_;  // (E)
    TextureMotion motion_;
    double smallest_ = 0.0;  // squared length of an offset that counts
};

/// Factors of all frames, and their cost.
struct State {
    std::vector<double> factors;
    Judged judged;
};

/// Tries factors for one frame and takes the best if it lowers the cost to `worth` of what it is.
bool improve(const Judge& judge, std::int64_t frame, const std::vector<double>& tried, double worth, int threads,
             State* state) {
    std::vector<Judged> judged(tried.size());
    const auto with = [&](std::size_t k) {
        std::vector<double> factors = state->factors;
        factors[frame] = tried[k];
        return factors;
    };
    parallel_for(static_cast<std::int64_t>(tried.size()), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) judged[k] = judge(judge.placed(with(k)), 1);
    });
    const auto best = std::min_element(judged.begin(), judged.end(),
                                       [](const Judged& a, const Judged& b) { return a.cost < b.cost; });
    if (!(best->cost < worth * state->judged.cost)) return false;
    state->factors = with(best - judged.begin());
    state->judged = *best;
    return true;
}

/// The frame of which the floor leaves most, among those not tried yet; -1 if there is none.
std::int64_t next_frame(const Judged& judged, const std::vector<bool>& tried) {
    std::int64_t best = -1;
    for (std::size_t t = 0; t < tried.size(); ++t) {
        if (!tried[t] && judged.left[t] > (best < 0 ? 0.0 : judged.left[best])) best = static_cast<std::int64_t>(t);
    }
    return best;
}

State search(const Judge& judge, std::int64_t num_frames, int fields, int threads) {
    State state{std::vector<double>(num_frames, 0.0), {}};
    state.judged = judge(judge.placed(state.factors), threads);
    std::vector<bool> tried(num_frames, false);
    for (int field = 0; field < fields; ++field) {
        const std::int64_t frame = next_frame(state.judged, tried);
        if (frame < 0) break;
        tried[frame] = true;
        improve(judge, frame, {first_factors.begin(), first_factors.end()}, worth_trying, threads, &state);
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::int64_t t = 0; t < num_frames; ++t) {
            if (!tried[t]) continue;
            std::vector<double> near;
            for (const double step : refinements) near.push_back(state.factors[t] + step);
            improve(judge, t, near, worth_refining, threads, &state);
        }
    }
    return state;
}

/// Texture coordinates stretched to the unit square.
std::vector<double> stretched(View<const double, 2> uvs) {
    return space_uvs(uvs, {}, {});
}

}  // namespace

std::vector<double> space_uvs(View<const double, 2> uvs, const std::vector<mesh::Edge>& edges,
                              const std::vector<double>& change) {
    const std::int64_t count = uvs.extent(0);
    std::vector<double> result(2 * count, 0.5);
    std::vector<double> x(count);
    for (int axis = 0; axis < 2; ++axis) {
        double low = uvs(0, axis);
        double high = low;
        for (std::int64_t v = 0; v < count; ++v) {
            low = std::min(low, uvs(v, axis));
            high = std::max(high, uvs(v, axis));
        }
        if (!(high > low)) continue;
        for (std::int64_t v = 0; v < count; ++v) x[v] = (uvs(v, axis) - low) / (high - low);
        const std::array<double, intervals + 1> placed = integral(smooth(change_along(x, edges, change)));
        for (std::int64_t v = 0; v < count; ++v) {
            const int k = std::min(static_cast<int>(x[v] * intervals), intervals - 1);
            const double within = x[v] * intervals - k;
            result[2 * v + axis] = placed[k] + within * (placed[k + 1] - placed[k]);
        }
    }
    return result;
}

MendedUvs mend_uvs(View<const double, 2> uvs, View<const float, 2> rest_vertices, View<const std::int32_t, 2> faces,
                   View<const float, 3> offsets, std::int64_t resolution, int fields, int threads) {
    const std::int64_t vertices = uvs.extent(0);
    check_shape<const double, 2>(mend_uvs_name, "uvs", uvs, {-1, 2});
    check_shape<const float, 2>(mend_uvs_name, "rest_vertices", rest_vertices, {vertices, 3});
    check_shape<const float, 3>(mend_uvs_name, "offsets", offsets, {-1, vertices, 3});
    check_finite(mend_uvs_name, "uvs", uvs);
    check_finite(mend_uvs_name, "rest_vertices", rest_vertices);
    check_finite(mend_uvs_name, "offsets", offsets);
    check_threads(mend_uvs_name, threads);
    if (fields < 0) throw bad_argument(mend_uvs_name, "fields", std::to_string(fields), "0 or more");
    mesh::check_faces(mend_uvs_name, faces, vertices);
    const Judge judge(uvs, rest_vertices, faces, offsets, resolution);
    MendedUvs result;
    const std::vector<double> plain = stretched(uvs);
    const Judged before = judge(plain, threads);
    const State state = search(judge, offsets.extent(0), fields, threads);
    const bool better = state.judged.cost < before.cost;
    result.uvs = better ? judge.placed(state.factors) : plain;
    result.before = before.floor;
    result.after = better ? state.judged.floor : before.floor;
    for (std::int64_t t = 0; better && t < offsets.extent(0); ++t) {
        if (state.factors[t] != 0.0) result.moves.push_back({t, state.factors[t]});
    }
    result.folded_before = num_folded({plain.data(), {vertices, 2}}, faces);
    result.folded_after = num_folded({result.uvs.data(), {vertices, 2}}, faces);
    return result;
}

}  // namespace rigcast::face
