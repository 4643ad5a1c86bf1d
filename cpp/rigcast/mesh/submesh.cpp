#include "rigcast/mesh/submesh.h"

#include <algorithm>

#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {
namespace {

using Faces = View<const std::int32_t, 2>;
using Members = std::vector<char>;  // per vertex: 1 if it is a member

bool touches(const Members& members, const std::int32_t* face) {
    return std::any_of(face, face + num_corners(face), [&](std::int32_t v) { return members[v] != 0; });
}

/// The members, and all corners of the faces that have a member as a corner.
Members with_faces(Faces faces, const Members& members) {
    Members result = members;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        if (!touches(members, face)) continue;
        for (int corner = 0; corner < num_corners(face); ++corner) result[face[corner]] = 1;
    }
    return result;
}

/// Adds the neighbors of the members, `rings` times.
void add_rings(const Neighbors& neighbors, int rings, Members* members) {
    std::vector<std::int32_t> ring;
    std::vector<std::int32_t> next;
    for (std::size_t v = 0; v < members->size(); ++v) {
        if ((*members)[v]) ring.push_back(static_cast<std::int32_t>(v));
    }
    for (int r = 0; r < rings && !ring.empty(); ++r) {
        next.clear();
        for (const std::int32_t v : ring) {
            for (std::int32_t e = neighbors.start[v]; e < neighbors.start[v + 1]; ++e) {
                const std::int32_t m = neighbors.vertex[e];
                if ((*members)[m]) continue;
                (*members)[m] = 1;
                next.push_back(m);
            }
        }
        ring.swap(next);
    }
}

}  // namespace

/// An iteration reads a vertex and its neighbors, so each iteration needs one more ring. Of the outermost ring only
/// points are read, but its faces with members are needed, because their edges define the members' neighbors.
Submesh smoothing_submesh(Faces faces, std::int64_t num_vertices, View<const std::int32_t, 1> vertices,
                          int iterations) {
    Members inner(static_cast<std::size_t>(num_vertices));
    for (const std::int32_t v : vertices) inner[v] = 1;
    if (iterations > 0) {
        inner = with_faces(faces, inner);  // a frame depends on the faces around its vertex
        add_rings(Neighbors(faces, num_vertices), iterations - 1, &inner);
    }
    const Members all = with_faces(faces, inner);

    Submesh result;
    std::vector<std::int32_t> new_index(static_cast<std::size_t>(num_vertices), -1);
    for (std::int32_t v = 0; v < num_vertices; ++v) {
        if (!all[v]) continue;
        new_index[v] = static_cast<std::int32_t>(result.vertices.size());
        result.vertices.push_back(v);
    }
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        if (!touches(inner, face)) continue;
        for (int corner = 0; corner < 4; ++corner)
            result.faces.push_back(face[corner] < 0 ? -1 : new_index[face[corner]]);
    }
    return result;
}

}  // namespace rigcast::mesh
