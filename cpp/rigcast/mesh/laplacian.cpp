#include "rigcast/mesh/laplacian.h"

#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {

Entries graph_laplacian(View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    const Neighbors neighbors(faces, num_vertices);
    Entries entries;
    const auto add = [&](std::int32_t row, std::int32_t column, double value) {
        entries.row.push_back(row);
        entries.column.push_back(column);
        entries.value.push_back(value);
    };
    for (std::int32_t k = 0; k < num_vertices; ++k) {
        const std::int32_t begin = neighbors.start[k];
        const std::int32_t end = neighbors.start[k + 1];
        std::int32_t e = begin;
        for (; e < end && neighbors.vertex[e] < k; ++e) add(k, neighbors.vertex[e], -1.0);
        add(k, k, end - begin);
        for (; e < end; ++e) add(k, neighbors.vertex[e], -1.0);
    }
    return entries;
}

}  // namespace rigcast::mesh
