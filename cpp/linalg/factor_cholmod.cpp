#include <cholmod.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "linalg/factor.h"

namespace rigwright::linalg {
namespace {

/// CHOLMOD's settings and work space; one a thread and call, so that solves never share any.
struct Session {
    Session() {
        cholmod_start(&common);
        common.print = 0;
        common.final_ll = 1;  // L L^T: fails where the matrix is not positive definite
    }
    ~Session() { cholmod_finish(&common); }
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

    cholmod_common common;
};

cholmod_sparse borrow(const SparseMatrix& lower) {
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

cholmod_dense borrow(const double* data, std::size_t rows, std::int64_t columns) {
    cholmod_dense matrix{};
    matrix.nrow = matrix.d = rows;
    matrix.ncol = static_cast<std::size_t>(columns);
    matrix.nzmax = rows * matrix.ncol;
    matrix.x = const_cast<double*>(data);
    matrix.xtype = CHOLMOD_REAL;
    matrix.dtype = CHOLMOD_DOUBLE;
    return matrix;
}

/// The squared diagonal of L.
std::vector<double> pivots(const cholmod_factor& factor) {
    std::vector<double> squared(factor.n);
    const double* x = static_cast<const double*>(factor.x);
    if (factor.is_super) {
        const auto* super = static_cast<const int*>(factor.super);
        const auto* rows = static_cast<const int*>(factor.pi);
        const auto* values = static_cast<const int*>(factor.px);
        for (std::size_t s = 0; s < factor.nsuper; ++s) {
            const std::size_t stride = rows[s + 1] - rows[s];
            for (int c = super[s]; c < super[s + 1]; ++c) squared[c] = x[values[s] + (c - super[s]) * (stride + 1)];
        }
    } else {
        const auto* start = static_cast<const int*>(factor.p);
        for (std::size_t c = 0; c < factor.n; ++c) squared[c] = x[start[c]];
    }
    for (double& value : squared) value *= value;
    return squared;
}

class CholmodFactor final : public Factor {
public:
    explicit CholmodFactor(const SparseMatrix& lower) {
        cholmod_sparse matrix = borrow(lower);
        factor_ = cholmod_analyze(&matrix, &session_.common);
        session_.check();
        cholmod_factorize(&matrix, factor_, &session_.common);
        try {
            session_.check();
            check_pivots(pivots(*factor_), static_cast<const std::int32_t*>(factor_->Perm), lower);
        } catch (...) {
            cholmod_free_factor(&factor_, &session_.common);
            throw;
        }
    }
    ~CholmodFactor() override { cholmod_free_factor(&factor_, &session_.common); }

    void solve(const double* rhs, std::int64_t count, double* solution) const override {
        Session session;
        cholmod_dense b = borrow(rhs, factor_->n, count);
        cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor_, &b, &session.common);
        session.check();
        std::copy_n(static_cast<const double*>(x->x), factor_->n * static_cast<std::size_t>(count), solution);
        cholmod_free_dense(&x, &session.common);
    }

private:
    Session session_;
    cholmod_factor* factor_ = nullptr;
};

}  // namespace

std::unique_ptr<Factor> Factor::make(const SparseMatrix& lower) {
    return std::make_unique<CholmodFactor>(lower);
}

const char* Factor::backend() {
    static const std::string name = "CHOLMOD " + std::to_string(CHOLMOD_MAIN_VERSION) + "." +
                                    std::to_string(CHOLMOD_SUB_VERSION) + "." + std::to_string(CHOLMOD_SUBSUB_VERSION);
    return name.c_str();
}

}  // namespace rigwright::linalg
