#include "rigcast/differential/anchored_mesh.h"

#include <algorithm>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/mesh/components.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::differential {

void check_mesh(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    if (num_vertices < 1) throw bad_argument(function, "num_vertices", std::to_string(num_vertices), "at least 1");
    mesh::check_faces(function, faces, num_vertices);
}

MeshComponents::MeshComponents(View<const std::int32_t, 2> faces, std::int64_t num_vertices) {
    mesh::Components components(mesh::triangulate(faces), num_vertices);
    of = std::move(components.of);
    count = components.count;
}

void check_anchors(const char* function, View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                   View<const std::int32_t, 1> anchors) {
    const MeshComponents components(faces, num_vertices);
    std::vector<bool> is_anchor(num_vertices);
    std::vector<bool> is_anchored(components.count);
    for (const std::int32_t v : anchors) {
        if (v < 0 || v >= num_vertices) {
            throw bad_argument(function, "anchors", "holding " + std::to_string(v),
                               "vertices below " + std::to_string(num_vertices));
        }
        if (is_anchor[v]) throw bad_argument(function, "anchors", "holding " + std::to_string(v) + " twice", "unique");
        is_anchor[v] = true;
        is_anchored[components.of[v]] = true;
    }
    const auto loose = std::find(is_anchored.begin(), is_anchored.end(), false);
    if (loose == is_anchored.end()) return;
    const std::int32_t component = static_cast<std::int32_t>(loose - is_anchored.begin());
    const auto first = std::find(components.of.begin(), components.of.end(), component);
    const auto size = std::count(components.of.begin(), components.of.end(), component);
    throw bad_argument(
        function, "anchors",
        "without a vertex of component " + std::to_string(component) + " (" + std::to_string(size) +
            " vertices, the first is " + std::to_string(first - components.of.begin()) + ")",
        "at least one vertex of each of the " + std::to_string(components.count) + " connected components");
}

}  // namespace rigcast::differential
