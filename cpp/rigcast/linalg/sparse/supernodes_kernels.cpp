#include "rigcast/core/dispatch.h"
#include "rigcast/linalg/sparse/supernodes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/linalg/sparse/supernodes_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Vector operations on rows of `Count` right-hand sides.
template <int Count>
struct Row {
    using D = hn::CappedTag<double, (Count < 8 ? Count : 8)>;
    using V = hn::Vec<D>;
    static constexpr D d{};
    static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    static constexpr int vectors = Count / lanes;
    /// Rows whose sums are kept in registers at once.
    static constexpr int rows_per_tile = vectors <= 3 ? 4 : vectors <= 6 ? 2 : 1;

    static HWY_INLINE void load(const double* x, V (&row)[vectors]) {
        for (int v = 0; v < vectors; ++v) row[v] = hn::Load(d, x + v * lanes);
    }
    static HWY_INLINE void store(const V (&row)[vectors], double* x) {
        for (int v = 0; v < vectors; ++v) hn::Store(row[v], d, x + v * lanes);
    }
    /// row -= scale from
    static HWY_INLINE void subtract(double scale, const V (&from)[vectors], V (&row)[vectors]) {
        const V s = hn::Set(d, scale);
        for (int v = 0; v < vectors; ++v) row[v] = hn::NegMulAdd(s, from[v], row[v]);
    }
    static HWY_INLINE void scale(double scale, V (&row)[vectors]) {
        const V s = hn::Set(d, scale);
        for (int v = 0; v < vectors; ++v) row[v] = hn::Mul(s, row[v]);
    }
};

/// x(rows) -= L(rows, columns of the supernode) x_node, for `Rows` of the rows below the triangle.
template <int Count, int Rows>
HWY_INLINE void subtract_from_below(const double* values, std::int64_t columns, const double* x_node,
                                    const std::int32_t* rows, double* x) {
    using R = Row<Count>;
    typename R::V sum[Rows][R::vectors];
    typename R::V y[R::vectors];
    for (int r = 0; r < Rows; ++r) R::load(x + std::int64_t{rows[r]} * Count, sum[r]);
    for (std::int64_t c = 0; c < columns; ++c) {
        R::load(x_node + c * Count, y);
        for (int r = 0; r < Rows; ++r) R::subtract(values[r * columns + c], y, sum[r]);
    }
    for (int r = 0; r < Rows; ++r) R::store(sum[r], x + std::int64_t{rows[r]} * Count);
}

/// x_node -= L(rows below, `Columns` of the supernode's columns)^T x(rows below).
template <int Count, int Columns>
HWY_INLINE void subtract_below(const double* values, std::int64_t columns, const std::int32_t* rows, std::int64_t below,
                               const double* x, double* x_node) {
    using R = Row<Count>;
    typename R::V sum[Columns][R::vectors];
    typename R::V y[R::vectors];
    for (int c = 0; c < Columns; ++c) R::load(x_node + c * Count, sum[c]);
    for (std::int64_t r = 0; r < below; ++r) {
        R::load(x + std::int64_t{rows[r]} * Count, y);
        for (int c = 0; c < Columns; ++c) R::subtract(values[r * columns + c], y, sum[c]);
    }
    for (int c = 0; c < Columns; ++c) R::store(sum[c], x_node + c * Count);
}

/// The supernode's step of x <- L^-1 x.
template <int Count>
void substitute_forward(const Supernodes& lower, const Supernodes::Supernode& node, double* x) {
    using R = Row<Count>;
    const std::int64_t columns = node.num_columns;
    const double* values = lower.values(node);
    double* x_node = x + std::int64_t{node.first_column} * Count;
    for (std::int64_t c = 0; c < columns; ++c, values += columns) {
        typename R::V sum[R::vectors];
        typename R::V y[R::vectors];
        R::load(x_node + c * Count, sum);
        for (std::int64_t k = 0; k < c; ++k) {
            R::load(x_node + k * Count, y);
            R::subtract(values[k], y, sum);
        }
        R::scale(values[c], sum);
        R::store(sum, x_node + c * Count);
    }
    const std::int32_t* row = lower.rows_below(node);
    const std::int32_t* end = row + node.num_below;
    for (; row + R::rows_per_tile <= end; row += R::rows_per_tile, values += R::rows_per_tile * columns) {
        subtract_from_below<Count, R::rows_per_tile>(values, columns, x_node, row, x);
    }
    for (; row < end; ++row, values += columns) subtract_from_below<Count, 1>(values, columns, x_node, row, x);
}

/// The supernode's step of x <- L^-T x.
template <int Count>
void substitute_back(const Supernodes& lower, const Supernodes::Supernode& node, double* x) {
    using R = Row<Count>;
    const std::int64_t columns = node.num_columns;
    const double* triangle = lower.values(node);
    const double* values_below = triangle + columns * columns;
    const std::int32_t* rows = lower.rows_below(node);
    double* x_node = x + std::int64_t{node.first_column} * Count;
    std::int64_t c = 0;
    for (; c + R::rows_per_tile <= columns; c += R::rows_per_tile) {
        subtract_below<Count, R::rows_per_tile>(values_below + c, columns, rows, node.num_below, x, x_node + c * Count);
    }
    for (; c < columns; ++c) {
        subtract_below<Count, 1>(values_below + c, columns, rows, node.num_below, x, x_node + c * Count);
    }
    for (c = columns - 1; c >= 0; --c) {
        typename R::V sum[R::vectors];
        typename R::V y[R::vectors];
        R::load(x_node + c * Count, sum);
        for (std::int64_t k = c + 1; k < columns; ++k) {
            R::load(x_node + k * Count, y);
            R::subtract(triangle[k * columns + c], y, sum);
        }
        R::scale(triangle[c * columns + c], sum);
        R::store(sum, x_node + c * Count);
    }
}

template <int Count>
void substitute_all(const Supernodes& lower, double* x) {
    const auto& nodes = lower.supernodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) substitute_forward<Count>(lower, nodes[i], x);
    for (std::size_t i = nodes.size(); i-- > 0;) substitute_back<Count>(lower, nodes[i], x);
}

void substitute(const Supernodes& lower, double* x, int count) {
    switch (count) {
        case 24:
            return substitute_all<24>(lower, x);
        case 16:
            return substitute_all<16>(lower, x);
        case 8:
            return substitute_all<8>(lower, x);
        case 4:
            return substitute_all<4>(lower, x);
        default:
            return substitute_all<1>(lower, x);
    }
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::linalg {

RIGCAST_EXPORT(substitute);

void Supernodes::substitute(double* x, int count) const {
    RIGCAST_DISPATCH(substitute)(*this, x, count);
}

}  // namespace rigcast::linalg
#endif
