#pragma once
#include "rigwright/core/view.h"
#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"
#include "rigwright/optimize/products/shot.h"

namespace rigwright::optimize {

/// What points say of each frame, the temporal term left out.
struct FrameMeasures {
    View<double, 1> objective;  // (T): see Terms
    View<double, 2> right;      // (T, K): its slope along each variable, to the right
    View<double, 2> left;       // (T, K): and to the left; the two differ at knots
};

/// Measures points (T, K) inside the box.
void measure_frames(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                    View<const double, 2> points, int threads, const FrameMeasures& result);

}  // namespace rigwright::optimize
