#include "rigcast/rig/surface.h"

#include <set>

#include "rigcast/core/error.h"
#include "rigcast/rig/chosen_rows.h"

namespace rigcast::rig {
namespace {

constexpr const char* vertex_parts = "surface.vertex_parts";
constexpr const char* face_materials = "surface.face_materials";
constexpr const char* uvs = "surface.uvs";
constexpr const char* uv_faces = "surface.uv_faces";

/// Returns true if both entries are there; throws if only one is.
bool both(bool first, bool second, const std::string& a, const std::string& b) {
    if (first != second) throw bad_argument("load", first ? a : b, "given without " + (first ? b : a), "given with it");
    return first;
}

std::vector<std::string> read_names(const TensorFile& file, const std::string& key) {
    std::vector<std::string> names = file.metadata().names(key);
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
        throw bad_argument("load", "metadata." + key, "a list that holds a name twice", "different names");
    }
    return names;
}

void check_indices(const char* name, View<const std::int32_t, 1> indices, std::int64_t count) {
    for (const std::int32_t index : indices) {
        if (index < -1 || index >= count) {
            throw bad_argument("load", name, std::to_string(index) + " somewhere",
                               "from -1 to " + std::to_string(count - 1));
        }
    }
}

/// A corner has coordinates exactly where the face has a corner, or nowhere on the face.
void check_corners(View<const std::int32_t, 2> corners, View<const std::int32_t, 2> faces, std::int64_t count) {
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const bool none = corners(f, 0) == -1;
        for (int i = 0; i < 4; ++i) {
            const std::int32_t index = corners(f, i);
            if ((index == -1) != (none || faces(f, i) < 0) || index < -1 || index >= count) {
                throw bad_argument("load", uv_faces, std::to_string(index) + " in row " + std::to_string(f),
                                   "below " + std::to_string(count) + " at all corners of the face, or -1 at all");
            }
        }
    }
}

void add_chosen_uvs(const Surface& surface, View<const std::int32_t, 1> faces, TensorFile& result) {
    std::vector<std::int32_t> corners = chosen_rows(surface.uv_faces.data(), 4, faces);
    std::vector<std::int32_t> place(static_cast<std::size_t>(surface.uvs.extent(0)), -1);
    for (const std::int32_t corner : corners) {
        if (corner >= 0) place[corner] = 0;
    }
    std::vector<std::int32_t> used;
    for (std::size_t i = 0; i < place.size(); ++i) {
        if (place[i] < 0) continue;
        place[i] = static_cast<std::int32_t>(used.size());
        used.push_back(static_cast<std::int32_t>(i));
    }
    for (std::int32_t& corner : corners) corner = corner < 0 ? -1 : place[corner];
    const std::int64_t count = static_cast<std::int64_t>(used.size());
    result.add(uvs, {count, 2}, chosen_rows(surface.uvs.data(), 2, {used.data(), {count}}).data());
    result.add(uv_faces, {faces.extent(0), 4}, corners.data());
}

}  // namespace

Surface read_surface(const TensorFile& file, std::int64_t num_vertices, View<const std::int32_t, 2> faces) {
    const Metadata& metadata = file.metadata();
    Surface surface;
    if (both(metadata.contains("parts"), file.contains(vertex_parts), "metadata.parts", vertex_parts)) {
        surface.parts = read_names(file, "parts");
        surface.vertex_parts = file.get<std::int32_t, 1>(vertex_parts, {num_vertices});
        check_indices(vertex_parts, surface.vertex_parts, static_cast<std::int64_t>(surface.parts.size()));
    }
    if (both(metadata.contains("materials"), file.contains(face_materials), "metadata.materials", face_materials)) {
        surface.materials = read_names(file, "materials");
        surface.face_materials = file.get<std::int32_t, 1>(face_materials, {faces.extent(0)});
        check_indices(face_materials, surface.face_materials, static_cast<std::int64_t>(surface.materials.size()));
    }
    if (both(file.contains(uvs), file.contains(uv_faces), uvs, uv_faces)) {
        surface.uvs = file.get<float, 2>(uvs, {-1, 2});
        surface.uv_faces = file.get<std::int32_t, 2>(uv_faces, {faces.extent(0), 4});
        check_corners(surface.uv_faces, faces, surface.uvs.extent(0));
    }
    return surface;
}

void add_restricted_surface(const TensorFile& source, const Surface& surface, View<const std::int32_t, 1> vertices,
                            const std::vector<std::int32_t>& faces, TensorFile& result) {
    const View<const std::int32_t, 1> kept(faces.data(), {static_cast<std::int64_t>(faces.size())});
    if (source.contains(vertex_parts)) {
        result.add(vertex_parts, {vertices.extent(0)}, chosen_rows(surface.vertex_parts.data(), 1, vertices).data());
    }
    if (source.contains(face_materials)) {
        result.add(face_materials, {kept.extent(0)}, chosen_rows(surface.face_materials.data(), 1, kept).data());
    }
    if (source.contains(uvs)) add_chosen_uvs(surface, kept, result);
}

}  // namespace rigcast::rig
