#pragma once
#include <cstdint>

namespace rigwright::inverse {

/// Vertices in the order of packed columns: of each one's place there, where it stands in targets, the neutral, the
/// weight. `order` lists places so that targets are read ascending.
struct PackedVertices {
    const std::int32_t* order;
    const std::int32_t* source;
    const float* neutral;  // (M, 3)
    const double* weight;
};

/// Columns of a block of vertices: `tiles` times (length, 8) numbers, with the columns' indices (tiles, 8).
struct PackedColumns {
    const float* panels;
    const std::int32_t* columns;
    std::int64_t tiles, length;
};

/// What of a projection touches floats. Frames stand side by side: number i of frame f at [i * rows + f]. Every sum
/// takes its terms one after another, whatever `rows` is: frames have the same bytes in any company.
struct ProjectionKernels {
    /// Targets minus the neutral times weights, of order[begin ... end - 1], to `out`, where the vertex at place p has
    /// numbers 3 (p - first) ... ; adds the weighted squares of each axis to energies (3, rows). Frames are
    /// `targets_stride` apart, vertex p stands at targets + 3 source[p].
    void (*pack)(const float* targets, std::int64_t targets_stride, std::int64_t rows, const PackedVertices& vertices,
                 std::int64_t begin, std::int64_t end, std::int64_t first, double* out, double* energies);
    /// Adds the products of packed columns with targets (length, rows) to sums (columns, rows).
    void (*product)(const double* targets, std::int64_t rows, const PackedColumns& columns, double* sums);
};

/// Those of the instruction set that this process uses.
const ProjectionKernels& projection_kernels();

}  // namespace rigwright::inverse
