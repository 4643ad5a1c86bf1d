#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/components.h"
#include "rigcast/mesh/gradients/elements.h"
#include "rigcast/transfer/contacts/contacts.h"

namespace rigcast::transfer {

/// The map x -> scale rotation x + translation; the rotation is row-major.
struct Similarity {
    double scale = 1.0;
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
    linalg::Vec3 translation{};

    linalg::Vec3 map_point(const linalg::Vec3& x) const;
    /// scale rotation x, for differences of points.
    linalg::Vec3 map_vector(const linalg::Vec3& x) const;
};

/// For each component, the similarity that takes the source's points (V, 3) onto the target's: the least-squares
/// rotation (Umeyama 1991), as scale the ratio of the two spreads, so that both directions agree, and centroid to
/// centroid. A component whose rotation is not determined (fewer than three vertices, or all on one line) takes
/// rotation and scale of the whole mesh.
std::vector<Similarity> fit_similarities(const mesh::Components& components, View<const float, 2> source,
                                         View<const float, 2> target);

/// Weights (V) of vertices when a component is placed, given a shape's offsets (V, 3):
///   1 / (|offset|^2 / max^2 + 0.05^2), max the largest offset of the component.
/// Vertices at rest weigh most. All weights of a component at rest are 0.
std::vector<double> rest_weights(const mesh::Components& components, const double* offset);

/// The typical value of relative changes: their mean weighted by themselves, since most triangles hardly change.
struct TypicalChange {
    double sum = 0.0;
    double squares = 0.0;
    void add(double change) {
        sum += change;
        squares += change * change;
    }
    double value() const { return sum > 0.0 ? squares / sum : 1.0; }
};

/// Regularized least squares of one triangle: for weights a (J, K) of J examples and a prior X* (K, m) of K shapes,
///   minimize sum_j |D_j - sum_k a_jk X_k|^2 + sum_k s_k |X_k - X*_k|^2   over X (K, m).
/// Method: the matrix is a diagonal plus rank J; by Woodbury's identity, with S = diag(s),
///   X = X* + S^-1 a^T (1 + a S^-1 a^T)^-1 (D - a X*),
/// which is a J x J system instead of a K x K one, and positive definite for all a.
class ExampleFit {
public:
    /// `beta` scales all stiffnesses s.
    ExampleFit(View<const double, 2> weights, double beta);

    std::int64_t num_examples() const { return num_examples_; }
    std::int64_t num_shapes() const { return num_shapes_; }
    double weight(std::int64_t example, std::int64_t shape) const { return weights_[example * num_shapes_ + shape]; }

    /// beta ((1 + r) / (0.1 + r))^2, the stiffness of a shape that changes the triangle by r times its typical change:
    /// a shape that hardly moves a triangle is kept there (Li et al. 2010, equation 7).
    double stiffness(double change) const;

    /// Adds weights (K) times the diagonal of the resolution matrix S^-1 a^T (1 + a S^-1 a^T)^-1 a to `sums` (K). The
    /// diagonal is the share of an error of the shape's prior that the solve corrects: 0 if no example uses the shape,
    /// near 1 if the examples separate it from all others.
    void add_resolution(const double* stiffness, const double* weights, double* sums) const;

    /// Overwrites X* in `columns` (K, m) with X. `stiffness` (K) is s; `residual` (J, m) is D and is overwritten.
    void solve(const double* stiffness, int m, double* residual, double* columns) const;

private:
    void factorize(const double* stiffness, std::vector<double>* matrix) const;

    std::int64_t num_examples_;
    std::int64_t num_shapes_;
    std::vector<double> weights_;
    double beta_;
};

/// Deformation transfer between meshes of one topology (Sumner and Popovic 2004): a shape of the source deforms the
/// target's neutral so that every triangle takes on the deformation gradient of the source's triangle, in least squares
/// weighted by the target's areas. One sparse factorization serves all shapes.
///
/// - Components. First each connected component of the source is placed on the target's by a similarity
///   (fit_similarities). Gradients do not determine where a component is: a component without a fixed vertex is
///   translated so that its vertices lie, in the weighted mean, where the placed source's offsets take them. Vertices
///   that the shape moves little weigh most (rest_weights): what rests in the source rests in the target.
/// - Fixed vertices stay at the target's neutral.
/// - Degenerate triangles of either neutral (is_degenerate) have no gradient and connect nothing. A vertex that is in
///   no other triangle moves by the placed source's offset.
/// - Contacts are pairs of vertices that face each other across a gap: lips and lids. They correct the result
///   afterwards, within some ten edges (Contacts).
///
/// Guarantee: the solve is for offsets from the neutral, so that a shape equal to the source's neutral gives exactly
/// the target's. Immutable; const calls are thread-safe and give the same bytes for any number of threads.
///
/// Example: all shapes of one face on another of the same topology.
/// ```cpp
/// std::vector<float> source(3 * vertices), target(3 * vertices), made(3 * shapes * vertices);
/// std::vector<float> source_shapes(3 * shapes * vertices);
/// std::vector<std::int32_t> quads(4 * faces);
/// const transfer::DeformationTransfer carry({source.data(), {vertices, 3}}, {target.data(), {vertices, 3}},
///                                           {quads.data(), {faces, 4}}, {nullptr, {0}}, {nullptr, {0, 2}}, 0.0);
/// carry.transfer({source_shapes.data(), {shapes, vertices, 3}}, {made.data(), {shapes, vertices, 3}}, 0);
/// ```
class DeformationTransfer {
public:
    /// Neutrals (V, 3), faces (F, 4), fixed vertices, contacts (P, 2). `contact_weight` > 0 is the weight of a contact
    /// beside the mesh's edges, whose cotangent weights are about 1. Throws ArgumentError if shapes differ, a value is
    /// not finite, an index is out of range or a contact pairs a vertex with itself.
    DeformationTransfer(View<const float, 2> source_neutral, View<const float, 2> target_neutral,
                        View<const std::int32_t, 2> faces, View<const std::int32_t, 1> fixed,
                        View<const std::int32_t, 2> contacts, double contact_weight);

    std::int64_t num_vertices() const { return static_cast<std::int64_t>(index_.size()); }
    const mesh::Components& components() const { return components_; }
    /// (V, 3)
    View<const float, 2> target_neutral() const { return {target_neutral_.data(), {num_vertices(), 3}}; }
    /// Faces with a degenerate triangle, ascending.
    const std::vector<std::int32_t>& degenerate_faces() const { return degenerate_faces_; }

    /// Writes the target's shapes (K, V, 3) for the source's shapes (K, V, 3), both absolute positions.
    void transfer(View<const float, 3> source_shapes, View<float, 3> target_shapes, int threads) const;

    /// `transfer`, but in each shape the vertices that rest in the source, to one float32 step of the largest
    /// coordinate, stay at the target's neutral too. Contacts may still move them.
    /// Cost: a factorization per shape, of the vertices that move. As fast as `transfer` if a shape moves little; some
    /// fifteen times as long if it moves half of a mesh of 27,000 vertices.
    void transfer_keep_rest(View<const float, 3> source_shapes, View<float, 3> target_shapes, int threads) const;

    /// `transfer`, corrected by examples of the target (Li et al. 2010): expressions x_j, (J, V, 3), that are known
    /// mixtures x_0 + sum_k a_jk (v_k - x_0) of the shapes v_k with weights a (J, K). The sides of each triangle, M,
    /// minimize (their equations 5 to 7)
    ///   sum_j |M_j - M_0 - sum_k a_jk X_k|^2 + beta sum_k w_k |X_k - X*_k|^2,   w_k = ((1 + r_k) / (0.1 + r_k))^2,
    /// X_k the change of the sides by shape k and X*_k the transferred change. r_k is the relative change of the sides
    /// by the source's shape, in units of the typical one: the mean, weighted by itself, over all triangles and shapes.
    /// (The paper's r_k has units of length, which makes the result depend on the unit.) One global solve then joins
    /// the triangles; places of components are corrected in the same way.
    /// Contacts correct only shapes with a resolution below `determined`; the examples determine the others. A shape
    /// that no example uses stays as transferred, and so do fixed vertices.
    void transfer_with_examples(View<const float, 3> source_shapes, View<const float, 3> examples,
                                View<const double, 2> example_weights, double beta, View<float, 3> target_shapes,
                                int threads) const;

    /// Resolution below which a shape counts as not determined by the examples. A higher one lets contacts override
    /// what the examples show; a lower one lets hardly constrained shapes cross at lips and lids. Chosen, not tuned.
    static constexpr double determined = 0.25;

    /// Writes how well examples with these weights determine each shape (K), relative to one example of it alone at
    /// weight 1: 0 not at all, 1 as well.
    /// Method: the diagonal of the resolution matrix of each triangle (ExampleFit::add_resolution), averaged with the
    /// squared change of the triangle's sides by the shape. Shapes that move different places are told apart even in
    /// one example. Shapes that move the same triangles in the same examples cannot be told apart and share the score.
    void resolution(View<const float, 3> source_shapes, View<const double, 2> example_weights, double beta,
                    View<double, 1> resolved, int threads) const;

private:
    void factorize();
    void place_shape(const float* shape, double* offset) const;
    void transfer_batch(const float* shapes, std::int64_t count, float* results) const;
    void solve(double* rows, std::int64_t width) const;
    void solve_shapes(const double* offsets, double* sums, std::int64_t count, int threads) const;
    void place_components(const double* offset, const std::vector<char>& is_grounded, double* moved) const;
    void solve_moving(const double* offset, double* moved) const;
    void write_shape(const double* moved, float* target_shape) const;
    std::vector<double> place_shapes(View<const float, 3> source_shapes, View<const double, 2> example_weights,
                                     double beta, int threads) const;
    double typical_change(const double* offsets, std::int64_t num_shapes, int threads) const;
    void find_stiffness(const ExampleFit& fit, const mesh::Element& element, const double* offsets, double typical,
                        double* stiffness) const;
    void fit_elements(const ExampleFit& fit, const double* offsets, const double* targets, double* sums,
                      int threads) const;
    void fit_places(const ExampleFit& fit, const double* offsets, const double* targets, double* moved) const;

    std::vector<double> source_;  // (V, 3) neutral points, placed on the target
    std::vector<double> target_;  // (V, 3) neutral points
    std::vector<float> target_neutral_;
    mesh::Components components_;
    std::vector<Similarity> similarity_;  // (components)
    std::vector<float> source_neutral_;   // (V, 3) as given
    std::vector<mesh::Element> elements_;
    std::vector<std::int32_t> degenerate_faces_;
    std::unique_ptr<const Contacts> contacts_;
    std::vector<char> is_fixed_;          // (V)
    std::vector<char> has_fixed_vertex_;  // (components)
    std::vector<std::int32_t> index_;     // (V) row in the system, num_free_ if the vertex is not in it
    std::int64_t num_free_ = 0;           // rows of the system
    std::unique_ptr<const linalg::SparseCholesky> cholesky_;
};

}  // namespace rigcast::transfer
