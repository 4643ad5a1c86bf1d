#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigwright/core/view.h"
#include "rigwright/linalg/sparse/sparse_cholesky.h"
#include "rigwright/mesh/gradients/elements.h"
#include "rigwright/transfer/contacts/contacts.h"
#include "rigwright/transfer/example_fit.h"
#include "rigwright/transfer/placement.h"

namespace rigwright::transfer {

/// Deformation transfer between meshes of one topology (Sumner and Popovic 2004): a shape of the source deforms the
/// target's neutral so that every triangle takes on the source triangle's deformation gradient, in least squares
/// weighted by the target's areas. One sparse factorization serves all shapes.
///
/// - Components. Before anything else each connected component of the source is placed on the target's by a
///   similarity (fit_similarities). Gradients say nothing about where a component is: a component without a fixed
///   vertex is moved as a whole so that its vertices lie, in weighted mean, where the placed source's offsets take
///   them; vertices that the shape moves little weigh most (rest_weights), so that what rests in the source rests in
///   the target.
/// - Fixed vertices stay at the target's neutral.
/// - Degenerate triangles, in either neutral (is_degenerate), carry no gradient and join nothing. A vertex in no
///   other triangle moves by the placed source's offset.
/// - Contacts are pairs of vertices that face each other across a gap; they say where lips and lids are (Contacts).
///   What they ask is added to the result without them as a correction that fades within some ten edges.
///
/// Solved for offsets from the neutral: a shape equal to the neutral gives the target's neutral to the last bit.
/// Immutable; const calls are thread-safe and give the same bytes for any number of threads.
class DeformationTransfer {
public:
    /// Neutrals (V, 3), faces (F, 4), fixed vertices, contacts (P, 2). `contact_weight` > 0 is how much a contact
    /// counts beside the mesh's own edges, whose cotangent weights are about 1. Throws ArgumentError on shapes that
    /// differ, values that are not finite, indices out of range, or a contact of a vertex with itself.
    DeformationTransfer(View<const float, 2> source_neutral, View<const float, 2> target_neutral,
                        View<const std::int32_t, 2> faces, View<const std::int32_t, 1> fixed,
                        View<const std::int32_t, 2> contacts, double contact_weight);

    std::int64_t num_vertices() const { return static_cast<std::int64_t>(index_.size()); }
    const mesh::Components& components() const { return components_; }
    /// (V, 3)
    View<const float, 2> target_neutral() const { return {target_neutral_.data(), {num_vertices(), 3}}; }
    /// Faces with a degenerate triangle, ascending.
    const std::vector<std::int32_t>& degenerate_faces() const { return degenerate_faces_; }

    /// Writes the target's shapes (K, V, 3) for the source's (K, V, 3), both absolute positions.
    void transfer(View<const float, 3> source_shapes, View<float, 3> target_shapes, int threads) const;

    /// The same, where in each shape also the vertices stay that rest in it, to one float32 step of the largest
    /// coordinate (contacts may move them still). What a shape moves is then a system of its own, factored for it: as
    /// fast where a shape moves little, some fifteen times as long where it moves half of a mesh of 27,000 vertices.
    void transfer_keep_rest(View<const float, 3> source_shapes, View<float, 3> target_shapes, int threads) const;

    /// As transfer, corrected by examples of the target (Li et al. 2010): expressions x_j, (J, V, 3), known to be
    /// mixtures x_0 + sum_k a_jk (v_k - x_0) with weights a (J, K). The sides of every triangle, M, minimize
    ///   sum_j |M_j - M_0 - sum_k a_jk X_k|^2 + beta sum_k w_k |X_k - X*_k|^2,   w_k = ((1 + r_k) / (0.1 + r_k))^2,
    /// X_k what shape k adds to them, X*_k what the transfer says (their equations 5 to 7), r_k how much the source's
    /// shape changes the triangle's sides, relative to their size, and in units of the typical such change of all these
    /// shapes: of the relative changes of all triangles in all shapes, the mean weighted by themselves. (Published in
    /// units of length, which makes the result depend on the unit.) One global solve then joins the triangles. Places
    /// of components are corrected in the same way. Contacts are met as in transfer by shapes with a resolution below
    /// `determined`; the others meet where the examples do. A shape that no example uses stays as transferred, and so
    /// do fixed vertices.
    void transfer_with_examples(View<const float, 3> source_shapes, View<const float, 3> examples,
                                View<const double, 2> example_weights, double beta, View<float, 3> target_shapes,
                                int threads) const;

    /// Shapes with a lower resolution are nearly as transferred.
    static constexpr double determined = 0.25;

    /// How much such examples tell about each shape (K), relative to one example of it alone at weight 1: 0 nothing,
    /// 1 as much. The diagonal of the resolution matrix of each triangle's system (ExampleFit::add_resolution) says
    /// how much of what the transfer gets wrong is found; it is averaged over the triangles with the squared change of
    /// their sides by the shape. Shapes that one example shows in different places are told apart; such as move the
    /// same triangles in the same examples share what is told.
    void resolution(View<const float, 3> source_shapes, View<const double, 2> example_weights, double beta,
                    View<double, 1> resolved, int threads) const;

private:
    void factorize();
    void place(const float* shape, double* offset) const;
    void transfer_some(const float* shapes, std::int64_t count, float* results) const;
    void solve(double* rows, std::int64_t width) const;
    void solve_offsets(const double* offsets, double* sums, std::int64_t count, int threads) const;
    void settle(const double* offset, const std::vector<char>& is_held, double* moved) const;
    void solve_moving(const double* offset, double* moved) const;
    void write(const double* moved, float* target_shape) const;
    std::vector<double> place_all(View<const float, 3> source_shapes, View<const double, 2> example_weights,
                                  double beta, int threads) const;
    double typical_change(const double* offsets, std::int64_t num_shapes, int threads) const;
    void stiffen(const ExampleFit& fit, const mesh::Element& element, const double* offsets, double typical,
                 double* stiffness) const;
    void fit_elements(const ExampleFit& fit, const double* offsets, const double* targets, double* sums,
                      int threads) const;
    void fit_places(const ExampleFit& fit, const double* offsets, const double* targets, double* moved) const;

    std::vector<double> source_, target_;  // neutrals (V, 3), the source placed on the target
    std::vector<float> target_neutral_;
    mesh::Components components_;
    std::vector<Similarity> similarity_;  // of components
    std::vector<float> source_neutral_;
    std::vector<mesh::Element> elements_;
    std::vector<std::int32_t> degenerate_faces_;
    std::unique_ptr<const Contacts> contacts_;
    std::vector<char> is_fixed_;       // (V)
    std::vector<char> is_held_;        // of components: has a fixed vertex
    std::vector<std::int32_t> index_;  // (V) row in the system, num_free_ where the offset is 0
    std::int64_t num_free_ = 0;
    std::unique_ptr<const linalg::SparseCholesky> cholesky_;
};

}  // namespace rigwright::transfer
