#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::metrics {

/// Writes the angles (T, F), in degrees, between the face normals of two animations (T, V, 3) of a mesh; NaN if
/// a face has no area in one of them. Throws ArgumentError if shapes do not match, a value is not finite or a face
/// index is out of range.
void face_normal_angles(View<const float, 3> truth, View<const float, 3> approximation,
                        View<const std::int32_t, 2> faces, View<float, 2> angles, int threads);

/// The differences between two animations at the hinges of a mesh (edges with two faces), averaged over T frames.
struct HingeErrors {
    std::vector<mesh::Hinge> hinges;
    std::vector<double> angle;   // degrees: mean |difference of signed dihedral angles|; NaN if no frame is valid
    std::vector<double> length;  // scene units: mean |difference of edge lengths|
};

/// Compares the hinges of two animations (T, V, 3). The signed dihedral angle of a hinge with unit edge e and face
/// normals n and m is their angle about e, atan2((n x m) . e, n . m - (n . e)(m . e)); the last term is 0 except for
/// warped quads. Frames in which a face has no area are invalid for the hinge's angle. Throws what face_normal_angles
/// throws.
HingeErrors hinge_errors(View<const float, 3> truth, View<const float, 3> approximation,
                         View<const std::int32_t, 2> faces, int threads);

}  // namespace rigcast::metrics
