#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// Entries of a sparse V x V matrix.
struct Entries {
    std::vector<std::int32_t> row, column;
    std::vector<double> value;
};

/// The graph Laplacian L = D - A of a mesh: symmetric, positive semidefinite, rows sum to 0; D the number of
/// neighbors, A 1 where an edge joins two vertices. Row by row, columns ascending, a diagonal entry in every
/// row (0 at a loose vertex).
Entries graph_laplacian(View<const std::int32_t, 2> faces, std::int64_t num_vertices);

}  // namespace rigwright::mesh
