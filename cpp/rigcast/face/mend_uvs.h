#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::face {

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
