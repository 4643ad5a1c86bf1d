#include "rigcast/metrics/vertex_error.h"

#include <cmath>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"

namespace rigcast::metrics {

void vertex_distances(View<const float, 3> truth, View<const float, 3> approximation, View<float, 2> distances,
                      int threads) {
    check_shape<const float, 3>("vertex_error", "truth", truth, {-1, -1, 3});
    check_shape<const float, 3>("vertex_error", "approximation", approximation, truth.extents());
    check_shape<float, 2>("vertex_error", "distances", distances, {truth.extent(0), truth.extent(1)});
    check_finite("vertex_error", "truth", truth);
    check_finite("vertex_error", "approximation", approximation);
    constexpr std::int64_t vertices_per_task = 4096;  // not sensitive: a task is far longer than its start
    parallel_for(distances.size(), vertices_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const float* p = truth.data() + 3 * i;
            const float* q = approximation.data() + 3 * i;
            const double x = double(p[0]) - q[0];
            const double y = double(p[1]) - q[1];
            const double z = double(p[2]) - q[2];
            distances.data()[i] = static_cast<float>(std::sqrt(x * x + y * y + z * z));
        }
    });
}

}  // namespace rigcast::metrics
