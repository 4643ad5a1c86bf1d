#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/optimize/products/product_model.h"

namespace rigwright::inverse {

/// How strongly the columns that couple weights can bend each coordinate of the mesh: constants of a rig, used by
/// MajorizeMinimize. Only coordinates that such a column moves are listed, in ascending order.
struct CorrectiveBounds {
    std::vector<std::int64_t> coordinate;  // 3 * vertex + axis
    std::vector<double> lowest;            // lambda_min(D^(i)) <= 0, of the products of two weights
    std::vector<double> highest;           // lambda_max(D^(i)) >= 0
    std::vector<double> other;             // lambda_max(A^(i)) >= 0, of all other products
};

/// Columns are (N, M, 3), the box (K, 2) encloses every weight that will be asked for.
///
/// Products of two plain weights give the symmetric D^(i) with D_jk = b_i^{jk} / 2 (Rackovic et al. 2022, section
/// 4.2); its trace is 0, hence the signs. Products with more drivers or with tents have no fixed D. For steps from w
/// to w + v that cross no knot every factor is affine, phi(w + v) = phi(w) + s v, and telescoping the product twice
/// gives what exceeds its linear part exactly,
///   prod_f (phi_f + s_f v_f) - prod_f phi_f - sum_k s_k v_k prod_{f != k} phi_f
///     = sum_{k < l} s_k v_k s_l v_l (prod_{f < l, f != k} phi_f(w)) (prod_{f > l} phi_f(w + v)).
/// All values of drivers lie in the box, so the coefficient of v_k v_l is at most S_k S_l prod_{f != k, l} M_f, with
/// the largest slope S and the largest absolute value M of a factor over the box. With half of these coefficients times
/// |b_i|, summed over columns, as the symmetric matrix A^(i), the excess is at most |v|^T A |v| <= lambda_max(A) |v|^2.
CorrectiveBounds corrective_bounds(const optimize::ProductModel& products, View<const float, 3> columns,
                                   View<const double, 2> box, int threads);

}  // namespace rigwright::inverse
