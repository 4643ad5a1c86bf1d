#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/character.h"

namespace rigwright::rig {

/// The tensors of a model of some vertices (M) that do not depend on its kind: rest_vertices, faces whose corners are
/// all among the vertices, the rows of error.* F32[V] at these vertices, and all others as they are. Tensors whose
/// names begin with one of `own` are left to the caller. Metadata keep everything but topology_hash, which becomes
/// restricted_from.
TensorFile restricted_tensors(const Character& character, View<const std::int32_t, 1> vertices,
                              std::initializer_list<std::string_view> own);

/// For each of V vertices, where it stands among the restricted ones (a list: vertices may repeat), ascending.
class RestrictedPlaces {
public:
    RestrictedPlaces(View<const std::int32_t, 1> vertices, std::int64_t num_vertices);
    std::span<const std::int32_t> of(std::int64_t vertex) const {
        return {place_.data() + begin_[vertex], place_.data() + begin_[vertex + 1]};
    }

private:
    std::vector<std::int32_t> begin_, place_;
};

}  // namespace rigwright::rig
