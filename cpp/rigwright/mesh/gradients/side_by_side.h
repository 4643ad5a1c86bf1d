#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/mesh/gradients/elements.h"

namespace rigwright::mesh {

/// Shapes of one mesh side by side: a number of the mesh is `width` contiguous ones here, one a shape, so that what is
/// the same for all shapes (corners, frames, weights) is read once and the arithmetic fills vectors. Each shape takes
/// the same operations in the same order whatever the width and its place: its bytes do not depend on its neighbors.
struct SideBySide {
    static constexpr int widest = 8;

    /// Room for `count` <= widest shapes of `vertices` vertices and sums of `rows` rows, all 0.
    void reset(int count, std::int64_t vertices, std::int64_t rows);

    int width = 0;                // 1, 2, 4 or 8
    std::vector<double> offsets;  // (V, 3, width): what shapes add to the placed source
    std::vector<char> moves;      // (V): in one of the shapes
    std::vector<double> sums;     // (rows, 3, width): right-hand sides, then what they are solved to
};

/// Adds side_change of all elements to the sums as add_to_sums does; `row` (V) says where a vertex has its sums,
/// `source` (V, 3) are the neutral points. Elements at rest are passed over: most shapes move a part of a face.
void add_elements(const std::vector<Element>& elements, const std::vector<std::int32_t>& row, const double* source,
                  SideBySide* shapes);

}  // namespace rigwright::mesh
