#include <algorithm>
#include <memory>
#include <vector>

#include "bindings/c/calls.h"
#include "rigcast/mesh/normals.h"
#include "rigcast/mesh/packed_vertices.h"
#include "rigcast/mesh/search/surface_picker.h"

/// What a page needs beside the C library to draw a mesh and to find what is under the cursor. No part of the library's
/// ABI: module and page come together.
namespace {

using rigcast::View;

struct Surface {
    std::vector<std::int32_t> faces;  // (F, 4)
    std::int64_t vertices = 0;
    std::unique_ptr<rigcast::mesh::SurfacePicker> picker;

    View<const std::int32_t, 2> corners() const {
        return {faces.data(), {static_cast<std::int64_t>(faces.size() / 4), 4}};
    }
};

}  // namespace

extern "C" {

/// A surface of vertices (V, 3) and faces (F, 4); NULL if they do not fit, which rigcast_error explains.
RIGCAST_API Surface* rigcast_surface_new(const float* vertices, std::int32_t num_vertices, const std::int32_t* faces,
                                         std::int32_t num_faces) {
    auto surface = std::make_unique<Surface>();
    const rigcast_status status = rigcast::c::guarded([&] {
        surface->faces.assign(faces, faces + 4 * static_cast<std::ptrdiff_t>(num_faces));
        surface->vertices = num_vertices;
        surface->picker = std::make_unique<rigcast::mesh::SurfacePicker>(
            View<const float, 2>{vertices, {num_vertices, 3}}, surface->corners());
    });
    return status == RIGCAST_OK ? surface.release() : nullptr;
}

/// Moves a surface to vertices (V, 3), and packs them as graphics hardware reads them: packed (V, 12), with marks (V)
/// or NULL. box: (2, 3), the low and the high corner.
RIGCAST_API rigcast_status rigcast_surface_pack(Surface* surface, const float* vertices, const std::uint8_t* marks,
                                                std::uint8_t* packed, float* box) {
    return rigcast::c::guarded([&] {
        const std::array<std::int64_t, 2> shape{surface->vertices, 3};
        const View<const float, 2> points{vertices, shape};
        std::vector<float> normals(static_cast<std::size_t>(3 * surface->vertices));
        std::vector<std::uint8_t> plain;
        if (marks == nullptr) {
            plain.assign(static_cast<std::size_t>(surface->vertices), 0);
            marks = plain.data();
        }
        rigcast::mesh::vertex_normals(points, surface->corners(), {normals.data(), shape});
        const rigcast::mesh::PackedBox found =
            rigcast::mesh::pack_vertices(points, {normals.data(), shape}, {marks, {surface->vertices}},
                                         {packed, {surface->vertices, rigcast::mesh::bytes_per_packed_vertex}});
        std::copy(found.low.begin(), found.low.end(), box);
        std::copy(found.high.begin(), found.high.end(), box + 3);
        surface->picker->refit(points);
    });
}

/// What a ray meets first. ray: (2, 3), origin and direction. hit: (7), the three corners, their weights, and the
/// distance along the ray. Returns 1, or 0 if it meets nothing.
RIGCAST_API std::int32_t rigcast_surface_pick(const Surface* surface, const double* ray, double* hit) {
    rigcast::mesh::SurfaceHit found;
    rigcast::c::guarded(
        [&] { found = surface->picker->pick(rigcast::linalg::Vec3::at(ray), rigcast::linalg::Vec3::at(ray + 3)); });
    if (found.face < 0) return 0;
    for (int k = 0; k < 3; ++k) {
        hit[k] = found.corner[static_cast<std::size_t>(k)];
        hit[3 + k] = found.weight.data()[k];
    }
    hit[6] = found.distance;
    return 1;
}

RIGCAST_API void rigcast_surface_free(Surface* surface) {
    delete surface;
}

}  // extern "C"
