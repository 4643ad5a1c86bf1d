#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/inverse/projection/projection.h"
#include "rigcast/linalg/gram_matrix.h"
#include "rigcast/optimize/products/product_model.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::inverse {

/// Larger entries of a Gram matrix, and energies of a frame, may overflow the objective.
constexpr double largest_entry = 1e200;

/// The targets of T frames as a rig with N columns sees them.
struct ProjectedTargets {
    std::vector<double> projections;  // (T, N): Phi^T Omega b
    std::vector<double> energies;     // (T): b^T Omega b
};

/// The least-squares data of a blendshape rig on M chosen vertices with weights Omega: its N columns Phi, packed, and
/// their Gram matrix Phi^T Omega Phi. Columns are the K shapes, then the combinations. This is all that a solve needs
/// of the rig and that does not depend on targets: make it once per rig. Immutable; safe to use from several threads
/// at once.
class RigGram {
public:
    /// Independence below which a shape counts as nearly a combination of others. A smaller one leaves wrong weights of
    /// such shapes (see sharpness), a larger one costs iterations on other rigs. Chosen, not tuned.
    static constexpr double nearly_dependent = 1e-3;

    /// All vertices, with weight 1.
    explicit RigGram(std::shared_ptr<const rig::BlendshapeRig> rig);
    /// `vertices` (M) of the rig, each once; `vertex_weights` (M), finite, >= 0 and positive somewhere. Throws
    /// ArgumentError on indices out of range, wrong shapes or values, or M = 0; and, as of the function "solve", if
    /// the Gram matrix has entries above largest_entry.
    RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, View<const std::int32_t, 1> vertices,
            View<const double, 1> vertex_weights);

    const rig::BlendshapeRig& rig() const { return *rig_; }
    const Projection& projection() const { return projection_; }
    const linalg::GramMatrix& matrix() const { return matrix_; }
    const std::vector<std::int32_t>& vertices() const { return vertices_; }
    /// Sum of all vertex weights.
    double total_weight() const { return total_weight_; }

    /// Writes Phi^T Omega b (T, N) and b^T Omega b (T), where b are targets (T, V, 3) of all vertices, or (T, M, 3) in
    /// the order of vertices(), minus the neutral. Throws ArgumentError on other shapes.
    void project(View<const float, 3> targets, View<double, 2> projections, View<double, 1> energies,
                 int threads) const;

    /// The largest entry of the matrix, which is on its diagonal.
    double largest_entry_of_matrix() const;
    /// (K): 1 for shapes that move none of the vertices, neither alone nor in a combination.
    const std::vector<char>& idle() const { return idle_; }
    /// Pairs of shapes whose columns are equal on the vertices, the first shape first. Shapes in combinations are left
    /// out.
    const std::vector<std::pair<std::int32_t, std::int32_t>>& duplicates() const { return duplicates_; }
    /// (K): the sine of the angle between a shape's column and the span of the other shapes' columns, not below 1e-8:
    /// near 0 if a shape is nearly a combination of others. 1 for idle shapes and for duplicates of an earlier shape.
    const std::vector<double>& independence() const { return independence_; }
    /// What a solve's tolerance is multiplied by if shapes are nearly combinations of others, with an independence
    /// below nearly_dependent: the square of the least independence / nearly_dependent, between 1e-5 and 1. Along a
    /// combination of columns that nearly vanishes, the objective's curvature is proportional to the square of its
    /// independent part, so that a gradient within the tolerance may hide a wrong weight.
    double sharpness() const;

private:
    RigGram(std::shared_ptr<const rig::BlendshapeRig> rig, std::vector<std::int32_t> vertices,
            const std::vector<double>& vertex_weights);
    bool columns_are_equal(std::int32_t i, std::int32_t j) const;
    std::vector<char> find_idle() const;
    std::vector<std::pair<std::int32_t, std::int32_t>> find_duplicates() const;
    std::vector<double> find_independence() const;

    std::shared_ptr<const rig::BlendshapeRig> rig_;
    std::vector<std::int32_t> vertices_;
    double total_weight_;
    Projection projection_;
    linalg::GramMatrix matrix_;
    std::vector<char> idle_;
    std::vector<std::pair<std::int32_t, std::int32_t>> duplicates_;
    std::vector<double> independence_;
};

/// Describes how the columns of a rig depend on variables if the weight of shape k is variable ties[k]: K variables,
/// of which only those that are named in `ties` (K) are used. Throws ArgumentError if `ties` are not K shapes of the
/// rig.
optimize::ProductModel rig_products(const rig::BlendshapeRig& rig, View<const std::int32_t, 1> ties);

}  // namespace rigcast::inverse
