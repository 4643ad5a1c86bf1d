#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/character.h"

namespace rigcast::rig {

/// The tensors of a model restricted to M vertices, except those that depend on the kind of model: the caller adds the
/// tensors whose names begin with one of `excluded`.
/// rest_vertices, error.* F32[V] and bound.vertex.* have the rows of the M vertices; faces are those whose corners are
/// all among them; surface.* is what lies on both (see Surface); all other tensors are copied. In the metadata,
/// topology_hash is renamed to restricted_from.
TensorFile restricted_tensors(const Character& character, View<const std::int32_t, 1> vertices,
                              std::initializer_list<std::string_view> excluded);

/// The inverse of a list of M vertices: for each of V vertices its positions in the list, ascending. There may be none,
/// or several.
class RestrictedPlaces {
public:
    RestrictedPlaces(View<const std::int32_t, 1> vertices, std::int64_t num_vertices);
    /// The positions of a vertex in the list.
    std::span<const std::int32_t> of(std::int64_t vertex) const {
        return {place_.data() + begin_[vertex], place_.data() + begin_[vertex + 1]};
    }

private:
    std::vector<std::int32_t> begin_;
    std::vector<std::int32_t> place_;
};

}  // namespace rigcast::rig
