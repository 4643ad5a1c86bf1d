#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::differential {

/// Chooses `count` anchors of a mesh one after another, each at the vertex with the largest error gain under the
/// anchors so far (Reconstructor::gain, weights of 1): the vertex where errors of delta coordinates add up most. The
/// first anchor of each connected component is drawn from the seed. Any prefix of the result that has one anchor per
/// component is the choice for fewer anchors.
///
/// Method: a new anchor i changes N^-1 by -g g^T / (1 + g_i), g = N^-1 e_i, so that variances are updated by two solves
/// with the factorization of some steps ago. Variances of a new factorization are exact (SparseCholesky::
/// inverse_diagonal).
/// Guarantee: the same anchors for any number of threads.
/// The mesh need not be manifold; a vertex without a face is a component of its own.
/// Throws ArgumentError if a face has an index out of range, or `count` is less than the number of components or more
/// than the number of vertices.
std::vector<std::int32_t> choose_anchors(View<const std::int32_t, 2> faces, std::int64_t num_vertices,
                                         std::int64_t count, std::uint64_t seed, int threads);

}  // namespace rigcast::differential
