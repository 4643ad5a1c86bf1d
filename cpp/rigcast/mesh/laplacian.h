#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// The entries of a sparse V x V matrix, in coordinate format.
struct Entries {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    std::vector<double> value;
};

/// The graph Laplacian L = D - A of a mesh: D is the diagonal matrix of the numbers of neighbors, and A has a 1 for
/// each pair of vertices with an edge. Symmetric, positive semidefinite, row sums 0. Entries are sorted by row, then
/// column; every row has a diagonal entry (0 for a loose vertex).
Entries graph_laplacian(View<const std::int32_t, 2> faces, std::int64_t num_vertices);

}  // namespace rigcast::mesh
