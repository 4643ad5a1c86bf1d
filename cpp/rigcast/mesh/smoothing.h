#pragma once
#include <cstdint>

#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {

/// Laplacian smoothing: each iteration moves every vertex toward the mean of its neighbors N(k),
///   s_k <- (1 - step) s_k + step mean_{m in N(k)} s_m.
/// Linear in the vertices. Loose vertices stay fixed.
class Smoothing {
public:
    Smoothing(View<const std::int32_t, 2> faces, std::int64_t num_vertices, int iterations, float step)
        : neighbors_(faces, num_vertices), num_vertices_(num_vertices), iterations_(iterations), step_(step) {}

    /// Smooths `points` (V, 3) in place. `scratch` has 3 V floats.
    void apply(float* points, float* scratch) const;
    /// Applies the transposed operator in place: from the gradient with respect to smoothed points to the gradient with
    /// respect to the points.
    void apply_transposed(float* gradient, float* scratch) const;

private:
    Neighbors neighbors_;
    std::int64_t num_vertices_;
    int iterations_;
    float step_;
};

}  // namespace rigcast::mesh
