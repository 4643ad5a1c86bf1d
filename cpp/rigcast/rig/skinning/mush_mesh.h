#pragma once
#include <cstdint>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/character.h"

namespace rigcast::rig {

/// The mesh of S vertices that delta mush skins and smooths, and which of them are the model's V vertices.
///
/// By default it is the character's mesh. A restricted model has a larger one in the tensors mush.rest_vertices
/// F32[S, 3], mush.faces I32[F, 4] and mush.output I32[V], the index of each of the model's vertices in it.
struct MushMesh {
    /// Throws ArgumentError if only some of the three tensors exist, or one is malformed or out of range.
    explicit MushMesh(const Character& character);

    std::int64_t num_vertices() const { return rest_vertices.extent(0); }
    /// Returns true if it is the character's mesh.
    bool is_whole() const { return output.extent(0) == 0; }
    /// The index in this mesh of vertex k of the model.
    std::int64_t vertex(std::int64_t k) const { return is_whole() ? k : output(k); }
    /// Adds the three tensors and the skin weights of a model restricted to `vertices`: of the smallest submesh in
    /// which the smoothing of these vertices gives the same bytes. `source` has this mesh's skin weights.
    void add_restricted(const TensorFile& source, View<const std::int32_t, 1> vertices, int iterations,
                        TensorFile* file) const;

    View<const float, 2> rest_vertices;  // (S, 3)
    View<const std::int32_t, 2> faces;
    View<const std::int32_t, 1> output;  // (V); empty: all vertices
};

}  // namespace rigcast::rig
