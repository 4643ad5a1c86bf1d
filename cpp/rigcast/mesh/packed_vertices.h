#pragma once
#include <array>
#include <cstdint>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// The box that the positions of packed vertices are relative to.
struct PackedBox {
    std::array<float, 3> low;
    std::array<float, 3> high;
};

inline constexpr std::int64_t bytes_per_packed_vertex = 12;

/// Packs vertices as graphics hardware reads them, twelve bytes each in native byte order: position (3 x uint16, 0 at
/// the low side of the box of all vertices and 65535 at the high side), mark (uint8), a zero byte, and the normal as
/// octahedral coordinates (2 x int16; Cigolle et al. 2014, section 3.1; (0, 0, 0) becomes (0, 0)).
/// points, normals: (V, 3). marks: (V). packed: (V, 12). Returns the box; all zero if V = 0.
/// Throws ArgumentError if shapes do not match or a position is not finite.
PackedBox pack_vertices(View<const float, 2> points, View<const float, 2> normals, View<const std::uint8_t, 1> marks,
                        View<std::uint8_t, 2> packed);

}  // namespace rigcast::mesh
