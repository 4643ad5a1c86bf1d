#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/inverse/projection.h"
#include "rigwright/linalg/gram_matrix.h"
#include "rigwright/optimize/products/product_model.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"

namespace rigwright::inverse {

/// A blendshape rig seen from M chosen vertices with weights Omega: its N columns Phi, packed, and their Gram matrix
/// Phi^T Omega Phi. Everything of a rig that a solve needs and that does not depend on the targets. Immutable; safe to
/// use from several threads at once.
class RigGram {
public:
    /// All vertices, with weight 1.
    explicit RigGram(std::shared_ptr<const rig::BlendshapeRig> rig);
    /// `vertices` (M) of the rig, each once; `vertex_weights` (M), finite and >= 0. Throws ArgumentError on an index
    /// out of range, wrong shapes or M = 0.
    RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, View<const std::int32_t, 1> vertices,
            View<const double, 1> vertex_weights);

    const rig::BlendshapeRig& rig() const { return *rig_; }
    const Projection& projection() const { return projection_; }
    const linalg::GramMatrix& matrix() const { return matrix_; }
    const std::vector<std::int32_t>& vertices() const { return vertices_; }
    /// Sum of all vertex weights.
    double total_weight() const { return total_weight_; }

    /// (K): 1 for shapes that move none of the vertices, neither alone nor in a combination.
    std::vector<char> idle() const;
    /// Pairs of shapes whose columns are equal on the vertices, the first shape first. Shapes in combinations are left
    /// out.
    std::vector<std::pair<std::int32_t, std::int32_t>> duplicates() const;
    /// The smallest part of a shape's column that no weights of the other shapes make up: the sine of its angle to
    /// their span, down to 1e-8. Idle shapes and those equal to an earlier one are left out; 1 if there are no others.
    double least_independence() const;

private:
    RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, std::vector<std::int32_t> vertices,
            const std::vector<double>& vertex_weights);
    bool columns_are_equal(std::int32_t i, std::int32_t j) const;

    std::shared_ptr<const rig::BlendshapeRig> rig_;
    std::vector<std::int32_t> vertices_;
    double total_weight_;
    Projection projection_;
    linalg::GramMatrix matrix_;
};

/// How a rig's columns depend on variables if the weight of shape k is variable ties[k]. Throws ArgumentError if ties
/// are not (K) shapes of the rig.
optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties);

}  // namespace rigwright::inverse
