#include "rigcast/inverse/published/majorize_minimize.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/inverse/published/frame_state.h"

namespace rigcast::inverse {
namespace {

constexpr const char* class_name = "MajorizeMinimize";

std::vector<std::vector<std::int32_t>> groups_of(View<const std::int64_t, 1> ties) {
    std::vector<std::vector<std::int32_t>> by_owner(ties.size());
    std::vector<std::vector<std::int32_t>> groups;
    for (std::int64_t k = 0; k < ties.size(); ++k) by_owner[ties(k)].push_back(static_cast<std::int32_t>(k));
    for (auto& group : by_owner) {
        if (!group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

MajorizeMinimize::MajorizeMinimize(optimize::ProductModel products, View<const float, 3> columns,
                                   View<const double, 2> gram, View<const double, 1> vertex_weights,
                                   View<const double, 2> box, View<const std::int64_t, 1> ties, int threads)
    : products_(std::move(products)), num_vertices_(columns.extent(1)), gram_(gram.begin(), gram.end()) {
    const std::int64_t num_columns = products_.num_columns();
    check_shape(class_name, "columns", columns, {num_columns, -1, 3});
    check_shape(class_name, "gram", gram, {num_columns, num_columns});
    check_shape(class_name, "vertex_weights", vertex_weights, {num_vertices_});
    check_shape(class_name, "box", box, {num_shapes(), 2});
    check_shape(class_name, "ties", ties, {num_shapes()});
    for (const std::int64_t owner : ties) {
        if (owner >= 0 && owner < num_shapes()) continue;
        throw bad_argument(class_name, "ties", std::to_string(owner) + " somewhere",
                           "shape indices below " + std::to_string(num_shapes()));
    }
    groups_ = groups_of(ties);
    bounds_ = corrective_bounds(products_, columns, box, threads);
    const std::size_t count = bounds_.coordinate.size();
    coordinate_columns_.resize(static_cast<std::size_t>(num_columns) * count);
    for (std::int64_t n = 0; n < num_columns; ++n) {
        for (std::size_t i = 0; i < count; ++i) {
            coordinate_columns_[n * count + i] = columns.row(n)[bounds_.coordinate[i]];
        }
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double sigma = std::max(-bounds_.lowest[i], bounds_.highest[i]) + bounds_.other[i];
        coordinate_weights_.push_back(vertex_weights(bounds_.coordinate[i] / 3));
        sum += coordinate_weights_[i] * sigma * sigma;
    }
    lipschitz_ = std::sqrt(sum);
}

void MajorizeMinimize::check(const Frames& frames) const {
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "offsets", frames.offsets, {count, num_vertices_, 3});
    check_shape(class_name, "projections", frames.projections, {count, products_.num_columns()});
    check_shape(class_name, "energies", frames.energies, {count});
    check_shape(class_name, "linear", frames.linear, {count, num_shapes()});
    check_shape(class_name, "curvature", frames.curvature, {count, num_shapes()});
    check_shape(class_name, "lower", frames.lower, {count, num_shapes()});
    check_shape(class_name, "upper", frames.upper, {count, num_shapes()});
}

void MajorizeMinimize::solve(const Frames& frames, const Rule& rule, View<double, 2> weights,
                             View<std::int64_t, 1> iterations, View<bool, 1> converged, int threads) const {
    check(frames);
    const std::int64_t count = frames.offsets.extent(0);
    check_shape(class_name, "weights", weights, {count, num_shapes()});
    check_shape(class_name, "iterations", iterations, {count});
    check_shape(class_name, "converged", converged, {count});
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            FrameState state(*this, frames, t);
            const double least_decrease = rule.tolerance * frames.energies(t);
            double* w = weights.row(t);
            converged(t) = false;
            std::int64_t steps = 0;
            while (steps < rule.max_iterations && !converged(t)) {
                if (!std::isfinite(state.majorize(w).value)) break;  // overflow: the surrogate's decrease is NaN
                converged(t) = state.step(w) <= least_decrease && !state.stopped_at_knot();
                ++steps;
            }
            iterations(t) = steps;
        }
    });
}

Surrogate MajorizeMinimize::surrogate(const Frames& frames, std::int64_t frame, View<const double, 1> weights) const {
    check(frames);
    check_shape(class_name, "weights", weights, {num_shapes()});
    if (frame < 0 || frame >= frames.offsets.extent(0)) {
        throw bad_argument(class_name, "frame", std::to_string(frame),
                           "a frame index below " + std::to_string(frames.offsets.extent(0)));
    }
    return FrameState(*this, frames, frame).majorize(weights.data());
}

}  // namespace rigcast::inverse
