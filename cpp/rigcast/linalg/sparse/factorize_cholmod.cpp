#include <cholmod.h>

#include <algorithm>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/interruption.h"
#include "rigcast/linalg/sparse/factorization.h"

namespace rigcast::linalg {
namespace {

constexpr std::size_t rows_between_checks = 64;  // some hundredths of a second, for the last rows of a large mesh

/// CHOLMOD's settings, work space and result. The simplicial code is used: the supernodal one is under the GPL, and
/// slower for a mesh's Laplacian without a fast BLAS.
struct Session {
    Session() {
        cholmod_start(&common);
        common.print = 0;
        common.supernodal = CHOLMOD_SIMPLICIAL;
        common.final_ll = 1;  // L L^T, not L D L^T: fails if the matrix is not positive definite
    }
    ~Session() {
        cholmod_free_sparse(&permuted, &common);
        cholmod_free_factor(&factor, &common);
        cholmod_finish(&common);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void check() const {
        if (common.status == CHOLMOD_NOT_POSDEF) {
            throw NumericalError("SparseCholesky: the matrix is not positive definite");
        }
        if (common.status < CHOLMOD_OK) {
            throw NumericalError("SparseCholesky: CHOLMOD failed with status " + std::to_string(common.status));
        }
    }

    /// What cholmod_factorize does for a simplicial factor, in groups of rows: checks between them whether the call
    /// shall end.
    void factorize(cholmod_sparse& matrix) {
        permuted = cholmod_ptranspose(&matrix, 2, static_cast<std::int32_t*>(factor->Perm), nullptr, 0, &common);
        check();
        factor->is_ll = 1;
        double shift[2] = {0.0, 0.0};
        for (std::size_t row = 0; row < factor->n; row += rows_between_checks) {
            const std::size_t end = std::min(row + rows_between_checks, factor->n);
            cholmod_rowfac(permuted, nullptr, shift, row, end, factor, &common);
            check();
            check_interruption();
        }
    }

    cholmod_common common;
    cholmod_factor* factor = nullptr;
    cholmod_sparse* permuted = nullptr;
};

/// Refers to the matrix without a copy.
cholmod_sparse as_cholmod(const SparseMatrix& lower) {
    cholmod_sparse matrix{};
    matrix.nrow = matrix.ncol = static_cast<std::size_t>(lower.size);
    matrix.nzmax = lower.value.size();
    matrix.p = const_cast<std::int32_t*>(lower.start.data());  // CHOLMOD reads only
    matrix.i = const_cast<std::int32_t*>(lower.row.data());
    matrix.x = const_cast<double*>(lower.value.data());
    matrix.stype = -1;
    matrix.itype = CHOLMOD_INT;
    matrix.xtype = CHOLMOD_REAL;
    matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = 1;
    matrix.packed = 1;
    return matrix;
}

/// Copies L. Its rows ascend inside a column: CHOLMOD computes L row after row.
SparseMatrix copy_lower(const cholmod_factor& factor) {
    const auto* start = static_cast<const std::int32_t*>(factor.p);
    const auto* count = static_cast<const std::int32_t*>(factor.nz);
    const auto* row = static_cast<const std::int32_t*>(factor.i);
    const double* value = static_cast<const double*>(factor.x);
    SparseMatrix lower{static_cast<std::int32_t>(factor.n), {0}, {}, {}};
    lower.row.reserve(factor.nzmax);
    lower.value.reserve(factor.nzmax);
    for (std::size_t c = 0; c < factor.n; ++c) {
        lower.row.insert(lower.row.end(), row + start[c], row + start[c] + count[c]);
        lower.value.insert(lower.value.end(), value + start[c], value + start[c] + count[c]);
        lower.start.push_back(static_cast<std::int32_t>(lower.row.size()));
    }
    return lower;
}

Factorization factorize(const SparseMatrix& lower) {
    Session session;
    cholmod_sparse matrix = as_cholmod(lower);
    session.factor = cholmod_analyze(&matrix, &session.common);
    session.check();
    check_interruption();
    session.factorize(matrix);
    const auto* order = static_cast<const std::int32_t*>(session.factor->Perm);
    return {{order, order + lower.size}, copy_lower(*session.factor)};
}

}  // namespace

const Backend* cholmod_backend() {
    static const Backend cholmod{factorize, "CHOLMOD " + std::to_string(CHOLMOD_MAIN_VERSION) + "." +
                                                std::to_string(CHOLMOD_SUB_VERSION) + "." +
                                                std::to_string(CHOLMOD_SUBSUB_VERSION)};
    return &cholmod;
}

}  // namespace rigcast::linalg
