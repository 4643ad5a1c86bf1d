#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::face {

/// Offsets in space as motions of texture coordinates: by the linear map A (3, 2) that minimizes
/// sum_v |(x_v - mean x) A - (uv_v - mean uv)|^2 over rest vertices x.
class TextureMotion {
public:
    /// uvs (V, 2), rest (V, 3), offsets (T, V, 3), which must outlive it. A flat mesh has the A of least norm, nearly.
    TextureMotion(View<const double, 2> uvs, View<const float, 2> rest, View<const float, 3> offsets);
    /// Adds `factor` times the motion of a frame to coordinates (V, 2).
    void add(std::int64_t frame, double factor, double* uvs) const;

private:
    View<const float, 3> offsets_;
    std::array<double, 6> map_{};  // A
};

/// How much the offsets (T, V, 3) of the two ends of each edge differ, over all frames: root of the sum of squares.
std::vector<double> edge_changes(const std::vector<mesh::Edge>& edges, View<const float, 3> offsets);

/// Triangles of the texture that wind against the majority: the layout overlaps itself there. Faces (F, 4) with -1
/// padding, a quad as the two triangles at its first corner.
std::int64_t num_folded(View<const double, 2> uvs, View<const std::int32_t, 2> faces);

}  // namespace rigcast::face
