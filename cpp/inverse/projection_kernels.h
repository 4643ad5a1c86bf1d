#pragma once
#include <cstdint>

namespace rigwright::inverse {

/// What of a projection touches floats.
struct ProjectionKernels {
    /// One frame's targets in another order, minus the neutral, times the vertices' weights: out (count, 3). Vertex i
    /// stands at targets + 3 source[i]. Returns the weighted sum of squares. `neutral` and `out` have room for one
    /// number more.
    double (*pack)(const float* targets, const std::int32_t* source, const float* neutral, const double* weight,
                   std::int64_t count, double* out);
    /// out (rows, 16) = targets (rows, length; rows `stride` apart) times panel (length, 16), summed in double.
    void (*product)(const double* targets, std::int64_t stride, std::int64_t rows, const float* panel,
                    std::int64_t length, double* out);
};

/// Those of the instruction set that this process uses.
const ProjectionKernels& projection_kernels();

}  // namespace rigwright::inverse
