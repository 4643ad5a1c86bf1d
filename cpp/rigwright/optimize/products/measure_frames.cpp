#include "rigwright/optimize/products/measure_frames.h"

#include "rigwright/core/parallel.h"
#include "rigwright/optimize/products/gram_point.h"

namespace rigwright::optimize {

void measure_frames(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                    View<const double, 2> points, int threads, const FrameMeasures& result) {
    constexpr std::int64_t grain = 64;  // frames
    parallel_for(points.extent(0), grain, threads, [&](std::int64_t begin, std::int64_t end) {
        GramPoint frame(products, gram);
        for (std::int64_t t = begin; t < end; ++t) {
            frame.load(shot.terms(t));
            frame.set(points.row(t));
            result.objective(t) = frame.objective();
            frame.slopes(result.right.row(t));
            for (std::int64_t k = 0; k < products.num_variables(); ++k) {
                result.left(t, k) = products.knots(k).empty() ? result.right(t, k) : frame.slope(k, -1);
            }
        }
    });
}

}  // namespace rigwright::optimize
