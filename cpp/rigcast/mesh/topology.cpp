#include "rigcast/mesh/topology.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "rigcast/core/error.h"

namespace rigcast::mesh {
namespace {

/// An edge of a face.
struct Side {
    Edge edge;
    std::int32_t face;
    friend auto operator<=>(const Side&, const Side&) = default;
};

/// The sides of all faces, sorted by edge, then face. Each edge of a face occurs once.
std::vector<Side> sides(View<const std::int32_t, 2> faces) {
    std::vector<Side> result;
    result.reserve(4 * faces.extent(0));
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* face = faces.row(f);
        const int count = num_corners(face);
        for (int c = 0; c < count; ++c) {
            const std::int32_t a = face[c];
            const std::int32_t b = face[(c + 1) % count];
            if (a != b) result.push_back({{std::min(a, b), std::max(a, b)}, static_cast<std::int32_t>(f)});
        }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace

void check_faces(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                 const char* argument) {
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        for (int corner = 0; corner < 4; ++corner) {
            const std::int32_t v = faces(f, corner);
            const bool pad = corner == 3 && v == -1;
            if (!pad && (v < 0 || v >= num_vertices)) {
                throw bad_argument(function, argument, std::to_string(v) + " in face " + std::to_string(f),
                                   "a vertex index below " + std::to_string(num_vertices));
            }
        }
    }
}

std::vector<Edge> edges(View<const std::int32_t, 2> faces) {
    std::vector<Edge> result;
    for (const Side& side : sides(faces)) {
        if (result.empty() || result.back() != side.edge) result.push_back(side.edge);
    }
    return result;
}

std::vector<Hinge> hinges(View<const std::int32_t, 2> faces) {
    const std::vector<Side> all = sides(faces);
    std::vector<Hinge> result;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].edge == all[begin].edge) ++end;
        if (end - begin == 2) result.push_back({all[begin].edge, all[begin].face, all[begin + 1].face});
    }
    return result;
}

Neighbors::Neighbors(View<const std::int32_t, 2> faces, std::int64_t num_vertices) : start(num_vertices + 1, 0) {
    const std::vector<Edge> all = edges(faces);
    for (const Edge& edge : all) {
        ++start[edge.a + 1];
        ++start[edge.b + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    vertex.resize(2 * all.size());
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    for (const Edge& edge : all) vertex[next[edge.b]++] = edge.a;  // the lower neighbors of a vertex come first
    for (const Edge& edge : all) vertex[next[edge.a]++] = edge.b;
}

}  // namespace rigcast::mesh
