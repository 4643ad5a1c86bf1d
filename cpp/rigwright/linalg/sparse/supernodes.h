#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/linalg/sparse/sparse_matrix.h"

namespace rigwright::linalg {

/// A sparse lower triangular factor L in dense panels, for many right-hand sides at once.
///
/// A panel holds consecutive columns whose entries below their triangle lie in the same rows (a supernode; Liu, Ng and
/// Peyton 1993). Where one column more costs few zeros beside the entries that it brings, it joins too. A substitution
/// then reads an index once for all columns of a panel, and a row of the right-hand sides once for some twenty
/// additions to it.
///
/// Right-hand sides lie side by side, (n, width) row-major, so that an entry of L meets `width` contiguous numbers:
/// one broadcast, full vectors, no gathers. Each column of the right-hand sides takes the same operations in the same
/// order whatever the width and its place in it, so that a solution's bytes do not depend on what is solved beside it.
class Supernodes {
public:
    /// `lower` by columns, the diagonal first in each and not 0, rows ascending.
    explicit Supernodes(const SparseMatrix& lower);

    /// The widths that substitute takes, falling.
    static constexpr int widths[] = {24, 16, 8, 4, 1};

    std::int32_t size() const { return size_; }

    /// Overwrites b by (L L^T)^-1 b in place; x (n, width) is aligned to a cache line.
    void substitute(double* x, int width) const;

    /// Columns first ... first + width - 1. Their entries start at `value`, row-major with `width` a row: the square
    /// of the triangle, its diagonal inverted, then `below` rows whose numbers start at `row`.
    struct Panel {
        std::int32_t first, width, below;
        std::int64_t row, value;
    };
    const std::vector<Panel>& panels() const { return panels_; }
    const std::int32_t* rows(const Panel& panel) const { return row_.data() + panel.row; }
    const double* values(const Panel& panel) const { return value_.data() + panel.value; }

private:
    void add(const SparseMatrix& lower, std::int32_t first, std::int32_t end);

    std::int32_t size_;
    std::vector<Panel> panels_;
    std::vector<std::int32_t> row_;
    std::vector<double> value_;
};

}  // namespace rigwright::linalg
