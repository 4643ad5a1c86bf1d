#include "rigcast/rig/skinning/mush_mesh.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/mesh/submesh.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::rig {

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

void MushMesh::add_restricted(const TensorFile& source, View<const std::int32_t, 1> vertices, int iterations,
                              TensorFile* file) const {
    const std::int64_t count = vertices.extent(0);
    std::vector<std::int32_t> indices;  // in this mesh, then in the submesh
    for (const std::int32_t v : vertices) indices.push_back(static_cast<std::int32_t>(vertex(v)));
    const mesh::Submesh submesh = mesh::smoothing_submesh(faces, num_vertices(), {indices.data(), {count}}, iterations);
    const std::int64_t size = static_cast<std::int64_t>(submesh.vertices.size());
    std::vector<float> rest;
    for (const std::int32_t v : submesh.vertices)
        rest.insert(rest.end(), rest_vertices.row(v), rest_vertices.row(v + 1));
    for (std::int32_t& index : indices) {
        index = static_cast<std::int32_t>(std::lower_bound(submesh.vertices.begin(), submesh.vertices.end(), index) -
                                          submesh.vertices.begin());
    }
    file->add("mush.rest_vertices", {size, 3}, rest.data());
    file->add("mush.faces", {static_cast<std::int64_t>(submesh.faces.size()) / 4, 4}, submesh.faces.data());
    file->add("mush.output", {count}, indices.data());
    add_skin_rows(source, {submesh.vertices.data(), {size}}, file);
}

}  // namespace rigcast::rig
