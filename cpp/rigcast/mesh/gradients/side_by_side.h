#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/mesh/gradients/elements.h"

namespace rigcast::mesh {

/// Several shapes of one mesh in SIMD lanes (structure of arrays): each value of the mesh is stored as `width`
/// successive numbers, one per shape. Data that all shapes share (corners, frames, weights) is read once, and
/// arithmetic uses full vectors. Guarantee: each shape undergoes the same operations in the same order, so its bytes
/// depend neither on the width nor on the other shapes.
struct SideBySide {
    static constexpr int max_shapes = 8;  // one AVX-512 vector of doubles

    /// Resizes for `count` <= max_shapes shapes, V vertices and `rows` right-hand sides, and sets all numbers to 0.
    void reset(int count, std::int64_t num_vertices, std::int64_t rows);

    int width = 0;                // lanes: 1, 2, 4 or 8, at least the number of shapes
    std::vector<double> offsets;  // (V, 3, width) offsets of the shapes from the neutral
    std::vector<char> moves;      // (V) 1 if some shape moves the vertex
    std::vector<double> sums;     // (rows, 3, width) right-hand sides, later the solution
};

/// Adds the contributions of all elements to the right-hand sides `sums`: for each shape the same as side_change and
/// add_to_sums. `row` (V) is the row of each vertex in `sums`; `source` (V, 3) are the neutral points. Skips elements
/// that no shape moves.
void add_elements(const std::vector<Element>& elements, const std::vector<std::int32_t>& row, const double* source,
                  SideBySide* shapes);

}  // namespace rigcast::mesh
