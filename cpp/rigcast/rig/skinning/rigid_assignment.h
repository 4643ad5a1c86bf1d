#pragma once
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/rig/channels/skeleton.h"

namespace rigcast::rig {

/// Writes the errors (V, J) of attaching each vertex rigidly to each joint, over T frames (Bailey et al. 2018, section
/// 3.1.1):
///   E_kj = sum_t |G_tj (G_j^0)^-1 v_k^0 - v_tk|^2,
/// in double precision. The smallest entry of a row is the vertex's best joint.
/// poses (T, C), C >= 12 J; vertices (T, V, 3). The bytes do not depend on the number of threads.
/// Throws ArgumentError if shapes do not match or a value is not finite.
void rigid_errors(const Skeleton& skeleton, View<const float, 2> rest_vertices, View<const float, 2> poses,
                  View<const float, 3> vertices, View<double, 2> errors, int threads);

/// The skinning transforms G_tj (G_j^0)^-1 of T poses in double precision: (T, J, 3, 4). Throws ArgumentError, which
/// names `function`, if the poses are narrower than 12 J or not finite.
std::vector<double> skinning_transforms(const char* function, const Skeleton& skeleton, View<const float, 2> poses,
                                        int threads);

/// Adds sum_t |S_tj v_k^0 - v_tk|^2 to errors (V, J), for any transforms S (T, J, 12). Throws ArgumentError if shapes
/// do not match.
void add_rigid_errors(View<const double, 3> transforms, View<const float, 2> rest_vertices,
                      View<const float, 3> vertices, View<double, 2> errors, int threads);

}  // namespace rigcast::rig
