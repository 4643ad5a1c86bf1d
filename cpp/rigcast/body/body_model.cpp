#include "rigcast/body/body_model.h"

#include <algorithm>

#include "rigcast/core/scratch.h"
#include "rigcast/rig/stated/error_bound.h"

namespace rigcast::body {
BodyModel::BodyModel(std::shared_ptr<const TensorFile> tensors) : Deformer(std::move(tensors)) {
    sets_ = read_vertex_sets(character(), packed_);
    limits_ = find_limits(character());
    if (rig::ErrorBound::stated(*character().tensors)) {  // checks it
        rig::ErrorBound(*character().tensors, character().num_vertices(), character().num_controls());
    }
    for (const VertexSet& set : sets_) {
        width_ = std::max<std::int64_t>(width_, set.width());
        num_added_ += set.patch.num_added();
        num_coefficients_ += set.patch.padded_components();
        num_results_ += set.results_size();
    }
    width_ = static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(width_)));
}

}  // namespace rigcast::body
