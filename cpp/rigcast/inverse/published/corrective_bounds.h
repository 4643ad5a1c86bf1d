#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/optimize/products/product_model.h"

namespace rigcast::inverse {

/// Bounds of the second-order part of a rig's combinations, per coordinate of the mesh: constants of a rig for
/// MajorizeMinimize. Only coordinates that a combination moves are listed.
struct CorrectiveBounds {
    std::vector<std::int64_t> coordinate;  // 3 * vertex + axis, ascending
    std::vector<double> lowest;            // lambda_min(D^(i)) <= 0, of the products of two weights
    std::vector<double> highest;           // lambda_max(D^(i)) >= 0
    std::vector<double> other;             // lambda_max(A^(i)) >= 0, of all other products
};

/// Computes the bounds for columns (N, M, 3) and a box (K, 2) that encloses all weights.
///
/// Products of two weights. They give the symmetric matrix D^(i) with D_jk = b_i^{jk} / 2 (Rackovic et al. 2022,
/// section 4.2). Its trace is 0, hence the signs of its extreme eigenvalues.
///
/// Other products: of more drivers, or with tents. They have no constant D. For steps from w to w + v that cross no
/// knot, every driver is affine, phi(w + v) = phi(w) + s v, and telescoping the product twice gives exactly the part
/// beyond its linear one,
///   prod_f (phi_f + s_f v_f) - prod_f phi_f - sum_k s_k v_k prod_{f != k} phi_f
///     = sum_{k < l} s_k v_k s_l v_l (prod_{f < l, f != k} phi_f(w)) (prod_{f > l} phi_f(w + v)).
/// All values of drivers are those of weights in the box, so the coefficient of v_k v_l is at most
/// S_k S_l prod_{f != k, l} M_f, with the largest slope S and the largest absolute value M of a driver over the box.
/// Half of these coefficients times |b_i|, summed over columns, are the symmetric matrix A^(i), and that part is at
/// most |v|^T A |v| <= lambda_max(A) |v|^2.
CorrectiveBounds corrective_bounds(const optimize::ProductModel& products, View<const float, 3> columns,
                                   View<const double, 2> box, int threads);

}  // namespace rigcast::inverse
