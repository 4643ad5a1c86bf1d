#pragma once
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/rig/skeleton.h"

namespace rigwright::rig {

/// How badly each joint alone explains each vertex: writes (V, J) sums over the T poses
///   E_kj = sum_t |G_tj (G_j^0)^-1 v_k^0 - v_tk|^2
/// (Bailey et al. 2018, section 3.1.1), accumulated in double precision; the smallest entry of a row is the
/// vertex's best joint. poses (T, C >= 12 J), vertices (T, V, 3). The same bytes for any number of threads.
/// Throws ArgumentError where shapes do not fit or a value is not finite.
void rigid_errors(const Skeleton& skeleton, View<const float, 2> rest_vertices, View<const float, 2> poses,
                  View<const float, 3> vertices, View<double, 2> errors, int threads);

/// The skinning transforms G_tj (G_j^0)^-1 of T poses in double precision: (T, J, 3, 4). Throws ArgumentError,
/// naming `function`, where poses are too narrow or not finite.
std::vector<double> skinning_transforms(const char* function, const Skeleton& skeleton, View<const float, 2> poses,
                                        int threads);

/// Adds to errors (V, J) the sums over T frames of |S_tj v_k^0 - v_tk|^2, for any transforms S (T, J, 12).
/// Throws ArgumentError where shapes do not fit.
void add_rigid_errors(View<const double, 3> transforms, View<const float, 2> rest_vertices,
                      View<const float, 3> vertices, View<double, 2> errors, int threads);

}  // namespace rigwright::rig
