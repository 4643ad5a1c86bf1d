#include "rigwright/rig/skinning/mush_mesh.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rigwright/core/error.h"
#include "rigwright/mesh/submesh.h"
#include "rigwright/mesh/topology.h"
#include "rigwright/rig/skinning/skin_weights.h"

namespace rigwright::rig {

MushMesh::MushMesh(const Character& character) : rest_vertices(character.rest_vertices), faces(character.faces) {
    const TensorFile& tensors = *character.tensors;
    if (!tensors.contains("mush.rest_vertices") && !tensors.contains("mush.faces") &&
        !tensors.contains("mush.output")) {
        return;
    }
    rest_vertices = tensors.get<float, 2>("mush.rest_vertices", {-1, 3});
    faces = tensors.get<std::int32_t, 2>("mush.faces", {-1, 4});
    output = tensors.get<std::int32_t, 1>("mush.output", {character.num_vertices()});
    mesh::check_faces("load", faces, num_vertices(), "mush.faces");
    for (const std::int32_t v : output) {
        if (v < 0 || v >= num_vertices()) {
            throw bad_argument("load", "mush.output", std::to_string(v) + " somewhere",
                               "vertex indices below " + std::to_string(num_vertices()));
        }
    }
}

void MushMesh::add_part(const TensorFile& source, View<const std::int32_t, 1> vertices, int iterations,
                        TensorFile* file) const {
    const std::int64_t count = vertices.extent(0);
    std::vector<std::int32_t> places;
    for (const std::int32_t v : vertices) places.push_back(static_cast<std::int32_t>(place(v)));
    const mesh::Submesh part = mesh::smoothing_submesh(faces, num_vertices(), {places.data(), {count}}, iterations);
    const std::int64_t size = static_cast<std::int64_t>(part.vertices.size());
    std::vector<float> rest;
    for (const std::int32_t v : part.vertices) rest.insert(rest.end(), rest_vertices.row(v), rest_vertices.row(v + 1));
    for (std::int32_t& p : places) {
        p = static_cast<std::int32_t>(std::lower_bound(part.vertices.begin(), part.vertices.end(), p) -
                                      part.vertices.begin());
    }
    file->add("mush.rest_vertices", {size, 3}, rest.data());
    file->add("mush.faces", {static_cast<std::int64_t>(part.faces.size()) / 4, 4}, part.faces.data());
    file->add("mush.output", {count}, places.data());
    add_skin_rows(source, {part.vertices.data(), {size}}, file);
}

}  // namespace rigwright::rig
