#pragma once
#include <cstdint>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/character.h"

namespace rigwright::rig {

/// The mesh that delta mush skins and smooths, S vertices, and which of them are the model's V vertices. It is the
/// mesh of the character, unless the tensors mush.rest_vertices F32[S, 3], mush.faces I32[F, 4] and mush.output I32[V]
/// give another one, of which a restricted model shows a part.
struct MushMesh {
    /// Throws ArgumentError if one of the three tensors is missing beside another, malformed or out of range.
    explicit MushMesh(const Character& character);

    std::int64_t num_vertices() const { return rest_vertices.extent(0); }
    /// Whether its vertices are the model's.
    bool is_whole() const { return output.extent(0) == 0; }
    /// Where vertex k of the model stands.
    std::int64_t place(std::int64_t k) const { return is_whole() ? k : output(k); }
    /// Adds the three tensors of the part that gives some of the model's vertices the same bytes, and the rows of its
    /// skin weights.
    void add_part(const TensorFile& source, View<const std::int32_t, 1> vertices, int iterations,
                  TensorFile* file) const;

    View<const float, 2> rest_vertices;
    View<const std::int32_t, 2> faces;
    View<const std::int32_t, 1> output;  // empty: all vertices
};

}  // namespace rigwright::rig
