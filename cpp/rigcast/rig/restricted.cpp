#include "rigcast/rig/restricted.h"

#include <algorithm>
#include <string>

#include "rigcast/rig/chosen_rows.h"
#include "rigcast/rig/surface.h"

namespace rigcast::rig {
namespace {

/// No model checks the shapes of error.*: only those with one number per vertex are restricted. The tensors
/// bound.vertex.* have a row per vertex (see ErrorBound).
bool has_rows_of_vertices(std::string_view name, const TensorFile::Entry& entry, const Character& character) {
    if (name.starts_with("bound.vertex.")) {
        return (entry.shape.size() == 1 || entry.shape.size() == 2) && entry.shape[0] == character.num_vertices();
    }
    return name.starts_with("error.") && entry.dtype == DType::f32 &&
           entry.shape == std::vector<std::int64_t>{character.num_vertices()};
}

/// Adds the rows of some vertices of a tensor whose rows belong to vertices.
void add_rows(const std::string& name, const TensorFile& source, const TensorFile::Entry& entry,
              View<const std::int32_t, 1> vertices, TensorFile& result) {
    std::vector<std::int64_t> shape = entry.shape;
    shape[0] = vertices.extent(0);
    const std::int64_t width = shape.size() > 1 ? shape[1] : 1;
    if (entry.dtype == DType::f32) {
        result.add(name, shape, chosen_rows(source.data<float>(entry), width, vertices).data());
    } else {
        result.add(name, shape, chosen_rows(source.data<std::int32_t>(entry), width, vertices).data());
    }
}

/// The faces whose corners are all among the restricted vertices, ascending.
std::vector<std::int32_t> whole_faces(View<const std::int32_t, 2> faces, const RestrictedPlaces& places) {
    std::vector<std::int32_t> whole;
    for (std::int64_t f = 0; f < faces.extent(0); ++f) {
        const std::int32_t* corners = &faces(f, 0);
        const auto is_there = [&](std::int32_t v) { return v < 0 || !places.of(v).empty(); };
        if (std::all_of(corners, corners + 4, is_there)) whole.push_back(static_cast<std::int32_t>(f));
    }
    return whole;
}

/// Some faces in indices of the restricted vertices. If a vertex repeats, faces use its first position.
std::vector<std::int32_t> renumbered(View<const std::int32_t, 2> faces, const std::vector<std::int32_t>& chosen,
                                     const RestrictedPlaces& places) {
    std::vector<std::int32_t> result;
    for (const std::int32_t f : chosen) {
        for (int i = 0; i < 4; ++i) result.push_back(faces(f, i) < 0 ? -1 : places.of(faces(f, i)).front());
    }
    return result;
}

}  // namespace

RestrictedPlaces::RestrictedPlaces(View<const std::int32_t, 1> vertices, std::int64_t num_vertices)
    : begin_(static_cast<std::size_t>(num_vertices) + 1), place_(static_cast<std::size_t>(vertices.extent(0))) {
    for (const std::int32_t v : vertices) ++begin_[v + 1];
    for (std::int64_t v = 0; v < num_vertices; ++v) begin_[v + 1] += begin_[v];
    std::vector<std::int32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::int32_t m = 0; m < vertices.extent(0); ++m) place_[next[vertices(m)]++] = m;
}

TensorFile restricted_tensors(const Character& character, View<const std::int32_t, 1> vertices,
                              std::initializer_list<std::string_view> excluded) {
    const TensorFile& source = *character.tensors;
    const RestrictedPlaces places(vertices, character.num_vertices());
    const std::vector<std::int32_t> whole = whole_faces(character.faces, places);
    TensorFile result;
    result.set_metadata(source.metadata().renamed("topology_hash", "restricted_from"));
    for (const auto& [name, entry] : source.entries()) {
        const std::string_view text = name;
        if (std::any_of(excluded.begin(), excluded.end(),
                        [&](std::string_view prefix) { return text.starts_with(prefix); })) {
            continue;
        }
        if (name == "faces") {
            const std::vector<std::int32_t> faces = renumbered(character.faces, whole, places);
            result.add(name, {static_cast<std::int64_t>(faces.size()) / 4, 4}, faces.data());
        } else if (name == "rest_vertices" || has_rows_of_vertices(name, entry, character)) {
            add_rows(name, source, entry, vertices, result);
        } else if (!text.starts_with("surface.")) {
            result.add(name, source, entry);
        }
    }
    const Surface surface = read_surface(source, character.num_vertices(), character.faces);
    add_restricted_surface(source, surface, vertices, whole, result);
    return result;
}

}  // namespace rigcast::rig
