#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/linalg/sparse/sparse_matrix.h"

namespace rigcast::linalg {

/// The Cholesky factorization P A P^T = L L^T, P a permutation.
struct Factorization {
    std::vector<std::int32_t> order;  // row i of L is row order[i] of A
    SparseMatrix lower;               // L; in each column the diagonal entry comes first
};

/// A library that factorizes.
struct Backend {
    /// Factorizes the matrix whose lower triangle, all diagonal entries included, is `lower`. The permutation keeps L
    /// sparse. Throws NumericalError if the matrix is not positive definite.
    Factorization (*factorize)(const SparseMatrix& lower);
    std::string name;  // and version of the library
};

/// Eigen's SimplicialLLT, in every build.
const Backend& eigen_backend();
/// CHOLMOD's simplicial code, in builds that found it; nullptr in others.
const Backend* cholmod_backend();

/// The backend of this process, chosen at the first call: CHOLMOD if the build found it, else Eigen; the environment
/// variable RIGCAST_SPARSE_CHOLESKY, "cholmod" or "eigen", decides otherwise. Throws ArgumentError if it is neither, or
/// if the build has no CHOLMOD.
const Backend& backend();

}  // namespace rigcast::linalg
