#pragma once
#include "rigcast/core/view.h"
#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::optimize {

/// The objective of every frame at given points, and its slopes.
struct FrameMeasures {
    View<double, 1> objective;  // (T): see Terms
    View<double, 2> right;      // (T, K): slope along each variable, to its right
    View<double, 2> left;       // (T, K): to its left; differs from `right` at knots only
};

/// Evaluates `points` (T, K), inside the box, and writes `result`. The shot's temporal term is left out.
void measure_frames(const ProductModel& products, const linalg::GramMatrix& gram, const Shot& shot,
                    View<const double, 2> points, int threads, const FrameMeasures& result);

}  // namespace rigcast::optimize
