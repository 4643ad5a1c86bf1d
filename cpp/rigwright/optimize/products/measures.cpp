#include "rigwright/optimize/products/measures.h"

#include "rigwright/core/parallel.h"
#include "rigwright/optimize/products/frame.h"

namespace rigwright::optimize {

void measure_frames(const Structure& structure, const linalg::GramMatrix& gram, const Shot& shot,
                    View<const double, 2> points, int threads, const FrameMeasures& result) {
    constexpr std::int64_t grain = 64;  // frames
    parallel_for(points.extent(0), grain, threads, [&](std::int64_t begin, std::int64_t end) {
        Frame frame(structure, gram);
        for (std::int64_t t = begin; t < end; ++t) {
            frame.load(shot.terms(t));
            frame.set(points.row(t));
            result.objective(t) = frame.objective();
            frame.slopes(result.right.row(t));
            for (std::int64_t k = 0; k < structure.num_variables(); ++k) {
                result.left(t, k) = structure.knots(k).empty() ? result.right(t, k) : frame.slope(k, -1);
            }
        }
    });
}

}  // namespace rigwright::optimize
