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

/// Triangles of the texture whose middle lies inside the texture of another triangle with which they share no vertex:
/// the layout puts two places of the mesh there. uvs (V, 2), faces (F, 4) checked, quads as two triangles. Triangles
/// next to a fold share vertices: num_folded counts them.
std::int64_t num_overlapped(View<const double, 2> uvs, View<const std::int32_t, 2> faces);

/// Stretches each axis of texture coordinates uvs (V, 2) to the unit interval so that places where the motion changes
/// fast from vertex to vertex get more texels.
/// `change` (E) is how much the offsets of the two ends of each edge differ. Along an axis, each edge adds its change
/// to the interval that it covers; the new coordinate is the integral of base + (change / mean change)^(3/4), piecewise
/// linear over 64 intervals. It rises everywhere, so neighbors along the axis keep their order.
/// Returns (V, 2). An axis without extent becomes 1/2.
std::vector<double> space_uvs(View<const double, 2> uvs, const std::vector<mesh::Edge>& edges,
                              const std::vector<double>& change);

/// What `mend_uvs` did.
struct MendedUvs {
    /// Texture coordinates are moved by `factor` times the offsets of frame `frame`, projected to the texture.
    struct Move {
        std::int64_t frame = 0;
        double factor = 0.0;
    };
    /// Distances of MapFloor over vertices that move.
    struct Floor {
        double mean = 0.0;
        double max = 0.0;
    };

    std::vector<double> uvs;  // (V, 2) in the unit square
    std::vector<Move> moves;
    Floor before, after;
    std::int64_t folded_before = 0, folded_after = 0;  // triangles whose texture winds against the other ones
};

/// Mends texture coordinates for deformation maps of R x R texels: lips and lids whose vertices share texels in the
/// artist's layout move apart, and texels go where the motion changes.
///
/// Method: coordinates move by multiples of the offsets (T, V, 3) of single frames, projected to the texture by the
/// linear map that fits uvs to the rest vertices best; then space_uvs. Frames are tried in the order of what MapFloor
/// leaves of them, each with a grid of factors; then all factors are refined in turns. The cost is mean + 0.3 |.|_8 of
/// MapFloor's distances over vertices that move, |.|_8 the mean of eighth powers to the 1/8, which follows the largest.
/// Guarantee: the same bytes with every instruction set and number of threads; the cost is never above that of the
/// coordinates stretched to the unit square.
/// Cost: about 12 `fields` floors, of 2 R^4 + 12 T R^3 multiplications each.
///
/// uvs and rest_vertices (V, 2), (V, 3); faces (F, 4), without those across a seam; offsets from the rest in the unit
/// of rest_vertices (the factors that are tried suit it); `fields` frames at most are tried. Throws ArgumentError for
/// wrong shapes or numbers, or offsets without motion.
MendedUvs mend_uvs(View<const double, 2> uvs, View<const float, 2> rest_vertices, View<const std::int32_t, 2> faces,
                   View<const float, 3> offsets, std::int64_t resolution, int fields, int threads);

}  // namespace rigcast::face
