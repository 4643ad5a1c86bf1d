#include "rigcast/optimize/products/measure_frames.h"

#include "rigcast/core/parallel.h"
#include "rigcast/optimize/products/gram_point.h"

namespace rigcast::optimize {
namespace {

constexpr std::int64_t frames_per_task = 64;

}  // namespace

void measure_frames(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                    View<const double, 2> points, int threads, const FrameMeasures& result) {
    parallel_for(points.extent(0), frames_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        GramPoint point(products, gram);
        for (std::int64_t t = begin; t < end; ++t) {
            point.load(shot.terms(t));
            point.set(points.row(t));
            result.objective(t) = point.objective();
            point.slopes(result.right.row(t));
            for (std::int64_t k = 0; k < products.num_variables(); ++k) {
                result.left(t, k) = products.knots(k).empty() ? result.right(t, k) : point.slope(k, -1);
            }
        }
    });
}

}  // namespace rigcast::optimize
