#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

/// What lies on the mesh of a model with V vertices and F faces (F, 4): named parts (each vertex belongs to one at
/// most), the materials of faces, and texture coordinates per corner of a face, so that a vertex may have several, in
/// any tile. In a model file:
///
///     metadata "parts"      names of the P parts        surface.vertex_parts    I32[V]     -1: in no part
///     metadata "materials"  names of the M materials    surface.face_materials  I32[F]     -1: without material
///     surface.uvs F32[U, 2]                             surface.uv_faces        I32[F, 4]  rows of surface.uvs
///
/// uv_faces is -1 where the face is padded, and at all corners of a face without texture coordinates.
/// Each line is there as a whole or not at all. Deformation does not depend on any of it.
struct Surface {
    std::vector<std::string> parts;
    View<const std::int32_t, 1> vertex_parts;  // (V), or (0) without parts
    std::vector<std::string> materials;
    View<const std::int32_t, 1> face_materials;             // (F), or (0) without materials
    View<const float, 2> uvs{nullptr, {0, 2}};              // (U, 2)
    View<const std::int32_t, 2> uv_faces{nullptr, {0, 4}};  // (F, 4), or (0, 4) without coordinates
};

/// Reads it from the file of a model, whose arrays the views refer to. Throws ArgumentError if an entry is without the
/// other of its line, malformed, of another size than the mesh, or an index is out of range.
Surface read_surface(const TensorFile& file, std::int64_t num_vertices, View<const std::int32_t, 2> faces);

/// Adds to `result` what of it lies on the given vertices and faces, in these orders; texture coordinates that no face
/// uses are left out. The names stay as they are.
void add_restricted_surface(const TensorFile& source, const Surface& surface, View<const std::int32_t, 1> vertices,
                            const std::vector<std::int32_t>& faces, TensorFile& result);

}  // namespace rigcast::rig
