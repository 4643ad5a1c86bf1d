#pragma once
#include <cstdint>

namespace rigcast::inverse {

/// Columns of a tile that are packed side by side: a full vector of doubles on AVX-512, two on AVX2.
constexpr std::int64_t columns_per_strip = 8;
/// Fewer follow the borders of sparse columns more closely, more load and store the columns' sums less often. Chosen,
/// not tuned.
constexpr std::int64_t vertices_per_tile = 8;
constexpr std::int64_t max_coordinates = 3 * vertices_per_tile;  // of a tile

/// The M vertices in the order in which they are read from targets.
struct TargetVertices {
    const std::int32_t* source;  // (M): index in a frame's targets
    const std::int32_t* slot;    // (M): index in the output
    const float* neutral;        // (M, 3)
    const double* weight;        // (M)
};

/// The columns of one tile of vertices.
struct TileColumns {
    const float* numbers;          // (num_strips, num_coordinates, columns_per_strip)
    const std::int32_t* column;    // (num_strips, columns_per_strip): index in the sums
    std::int64_t num_strips;       // of columns_per_strip columns
    std::int64_t num_coordinates;  // 3 per vertex of the tile
};

/// The two inner loops of Projection. Working arrays have frames side by side: number i of frame f is at
/// [i * frames + f]. Each sum adds its terms in one order, whatever `frames` is: a frame has the same bytes in any
/// batch.
struct ProjectionKernels {
    /// Writes weight * (target - neutral) of vertices begin ... end - 1 in reading order; the coordinates of the vertex
    /// with slot s go to out[3 (s - begin) ...]. Adds weight * (target - neutral)^2 per axis to energies (3, frames).
    /// Frames are `targets_stride` floats apart.
    void (*weigh)(const float* targets, std::int64_t targets_stride, std::int64_t frames,
                  const TargetVertices& vertices, std::int64_t begin, std::int64_t end, double* out, double* energies);
    /// Adds the products of a tile's columns with its weighted coordinates (num_coordinates, frames) to the columns'
    /// sums (N + 1, frames).
    void (*multiply)(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums);
    /// Adds the products of a tile's columns with each other, A^T diag(weight) A with A (num_coordinates, columns), to
    /// a matrix (N + 1, stride), stride a multiple of columns_per_strip: in its upper triangle, and somewhere below the
    /// diagonal. `work` has 2 num_strips num_coordinates columns_per_strip numbers.
    void (*gram)(const TileColumns& tile, const double* weight, double* work, double* matrix, std::int64_t stride);
};

/// The kernels of the instruction set that this process uses.
const ProjectionKernels& projection_kernels();

}  // namespace rigcast::inverse
