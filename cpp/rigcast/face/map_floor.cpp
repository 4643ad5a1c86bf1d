#include "rigcast/face/map_floor.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::face {
namespace {

constexpr const char* map_floor_name = "map_floor";
constexpr double ridge = 1e-9;                // decides texels that nothing samples, and moves no distance visibly
constexpr std::int64_t frames_per_piece = 8;  // solved together: 24 right-hand sides

std::int64_t texel(const TexelSample& sample, int corner, std::int64_t resolution) {
    return sample.first + corner % 2 + corner / 2 * resolution;
}

std::int64_t checked_resolution(std::int64_t resolution) {
    if (resolution < MapFloor::smallest_resolution || resolution > MapFloor::largest_resolution) {
        throw bad_argument(map_floor_name, "resolution", std::to_string(resolution),
                           "from " + std::to_string(MapFloor::smallest_resolution) + " to " +
                               std::to_string(MapFloor::largest_resolution));
    }
    return resolution;
}

constexpr const char* distinct_frames_name = "distinct_frames";
constexpr double stop = 1e-4;  // squared length of what is left, of the largest frame's
constexpr int lanes = 4;       // sums of a product: the compiler keeps their order, and they do not wait for each other

double product(const float* a, const double* b, std::int64_t count) {
    double sum[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (int lane = 0; lane < lanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    }
    for (; i < count; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

TexelSample texel_sample(double u, double v, std::int64_t resolution) {
    const double last = static_cast<double>(resolution - 1);
    const double x = std::clamp(u, 0.0, 1.0) * last;
    const double y = std::clamp(v, 0.0, 1.0) * last;
    const std::int64_t i = std::min(static_cast<std::int64_t>(x), resolution - 2);
    const std::int64_t j = std::min(static_cast<std::int64_t>(y), resolution - 2);
    const double a = x - static_cast<double>(i);
    const double b = y - static_cast<double>(j);
    return {j * resolution + i, {(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b, a * b}};
}

MapFloor::MapFloor(View<const double, 2> uvs, std::int64_t resolution, View<const float, 1> weights)
    : resolution_(checked_resolution(resolution)), normal_(resolution * resolution, resolution + 1) {
    const std::int64_t count = uvs.extent(0);
    const bool weighted = weights.extent(0) > 0;
    check_shape<const double, 2>(map_floor_name, "uvs", uvs, {-1, 2});
    check_finite(map_floor_name, "uvs", uvs);
    if (count == 0) throw bad_argument(map_floor_name, "uvs", "empty", "coordinates of at least one vertex");
    if (weighted) check_shape<const float, 1>(map_floor_name, "weights", weights, {count});
    check_finite(map_floor_name, "weights", weights);
    samples_.reserve(count);
    for (std::int64_t v = 0; v < count; ++v) {
        TexelSample sample = texel_sample(uvs(v, 0), uvs(v, 1), resolution);
        for (double& x : sample.weights) x *= weighted ? weights(v) : 1.0;
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b <= a; ++b) {
                normal_.lower(texel(sample, a, resolution), texel(sample, b, resolution)) +=
                    sample.weights[a] * sample.weights[b];
            }
        }
        samples_.push_back(sample);
    }
    for (std::int64_t i = 0; i < normal_.rows(); ++i) normal_.lower(i, i) += ridge;
    if (!normal_.factorize()) throw NumericalError("map_floor: the normal equations are not positive definite");
}

void MapFloor::distances(View<const float, 3> offsets, View<double, 2> distances, int threads) const {
    check_shape<const float, 3>(map_floor_name, "offsets", offsets, {-1, num_vertices(), 3});
    check_shape<double, 2>(map_floor_name, "distances", distances, {offsets.extent(0), num_vertices()});
    check_finite(map_floor_name, "offsets", offsets);
    const auto write = [&](std::int64_t t, std::int64_t v, const double* left) {
        distances(t, v) = std::sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
    };
    parallel_for(offsets.extent(0), frames_per_piece, threads,
                 [&](std::int64_t begin, std::int64_t end) { solve(offsets, begin, end, write); });
}

void MapFloor::residuals(View<const float, 3> offsets, View<float, 3> residuals, int threads) const {
    check_shape<const float, 3>(map_floor_name, "offsets", offsets, {-1, num_vertices(), 3});
    check_shape<float, 3>(map_floor_name, "residuals", residuals, {offsets.extent(0), num_vertices(), 3});
    check_finite(map_floor_name, "offsets", offsets);
    const auto write = [&](std::int64_t t, std::int64_t v, const double* left) {
        for (int axis = 0; axis < 3; ++axis) residuals(t, v, axis) = static_cast<float>(left[axis]);
    };
    parallel_for(offsets.extent(0), frames_per_piece, threads,
                 [&](std::int64_t begin, std::int64_t end) { solve(offsets, begin, end, write); });
}

template <class Visit>
void MapFloor::solve(View<const float, 3> offsets, std::int64_t begin, std::int64_t end, Visit&& visit) const {
    const std::int64_t columns = 3 * (end - begin);
    std::vector<double> map(normal_.rows() * columns, 0.0);
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        for (int corner = 0; corner < 4; ++corner) {
            double* const row = map.data() + texel(samples_[v], corner, resolution_) * columns;
            for (std::int64_t t = begin; t < end; ++t) {
                for (int axis = 0; axis < 3; ++axis) {
                    row[3 * (t - begin) + axis] += samples_[v].weights[corner] * offsets(t, v, axis);
                }
            }
        }
    }
    normal_.solve(map.data(), columns);
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        for (std::int64_t t = begin; t < end; ++t) {
            double left[3];
            for (int axis = 0; axis < 3; ++axis) {
                left[axis] = offsets(t, v, axis);
                for (int corner = 0; corner < 4; ++corner) {
                    left[axis] -= samples_[v].weights[corner] *
                                  map[texel(samples_[v], corner, resolution_) * columns + 3 * (t - begin) + axis];
                }
            }
            visit(t, v, left);
        }
    }
}

std::vector<std::int64_t> distinct_frames(View<const float, 3> offsets, std::int64_t count, int threads) {
    const std::int64_t frames = offsets.extent(0);
    const std::int64_t size = offsets.extent(1) * offsets.extent(2);
    check_finite(distinct_frames_name, "offsets", offsets);
    check_threads(distinct_frames_name, threads);
    if (count < 1) throw bad_argument(distinct_frames_name, "count", std::to_string(count), "1 or more");
    std::vector<double> left(frames);                // squared length outside the span
    std::vector<std::vector<double>> along(0);       // (picks, T) coefficients of the frames
    std::vector<std::vector<double>> directions(0);  // (picks, 3 V) orthonormal
    std::vector<std::int64_t> result;
    for (std::int64_t t = 0; t < frames; ++t) {
        const std::vector<double> own(offsets.row(t), offsets.row(t) + size);
        left[t] = product(offsets.row(t), own.data(), size);
    }
    const double largest = frames > 0 ? *std::max_element(left.begin(), left.end()) : 0.0;
    while (static_cast<std::int64_t>(result.size()) < std::min(count, frames)) {
        const std::int64_t pick = std::max_element(left.begin(), left.end()) - left.begin();
        if (!(left[pick] > stop * largest)) break;
        std::vector<double> direction(offsets.row(pick), offsets.row(pick) + size);
        for (std::size_t k = 0; k < directions.size(); ++k) {
            for (std::int64_t i = 0; i < size; ++i) direction[i] -= along[k][pick] * directions[k][i];
        }
        const double scale = 1.0 / std::sqrt(left[pick]);
        for (double& x : direction) x *= scale;
        std::vector<double> coefficients(frames);
        parallel_for(frames, 16, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                coefficients[t] = product(offsets.row(t), direction.data(), size);
                left[t] -= coefficients[t] * coefficients[t];
            }
        });
        left[pick] = 0.0;
        result.push_back(pick);
        directions.push_back(std::move(direction));
        along.push_back(std::move(coefficients));
    }
    return result;
}

}  // namespace rigcast::face
