#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/mesh/topology.h"

namespace rigwright::metrics {

/// Writes (T, F) angles in degrees between the normals of the faces of two animations a and b, (T, V, 3), of a
/// mesh; NaN where a face has no area in one of them. Throws ArgumentError where shapes differ, a value is not
/// finite or a corner is no vertex.
void face_normal_angles(View<const float, 3> a, View<const float, 3> b, View<const std::int32_t, 2> faces,
                        View<float, 2> angles, int threads);

/// What an animation b does to a hinge (an edge with two faces) of animation a, averaged over the T frames.
struct HingeErrors {
    std::vector<mesh::Hinge> hinges;
    std::vector<double> angle;   // degrees: |difference of the signed dihedral angles|; NaN without a valid frame
    std::vector<double> length;  // scene units: |difference of the edge's lengths|
};

/// Dihedral angle at a hinge with unit edge e and face normals n, m: the angle about e between the normals seen along
/// e, atan2((n x m) . e, n . m - (n . e)(m . e)); the last term is 0 but where a quad is warped. Frames in which one of
/// the faces has no area are left out of the hinge's angle. Throws as face_normal_angles does.
HingeErrors hinge_errors(View<const float, 3> a, View<const float, 3> b, View<const std::int32_t, 2> faces,
                         int threads);

}  // namespace rigwright::metrics
