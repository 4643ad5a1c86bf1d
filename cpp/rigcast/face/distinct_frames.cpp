#include "rigcast/face/distinct_frames.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::face {
namespace {

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
