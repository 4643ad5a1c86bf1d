#include "rigwright/core/dispatch.h"
#include "rigwright/linalg/sparse/supernodes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/linalg/sparse/supernodes_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::linalg::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows of right-hand sides, `Width` numbers each.
template <int Width>
struct Rows {
    using D = hn::CappedTag<double, (Width < 8 ? Width : 8)>;
    using V = hn::Vec<D>;
    static constexpr D d{};
    static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    static constexpr int vectors = Width / lanes;
    static constexpr int tile = vectors <= 3 ? 4 : vectors <= 6 ? 2 : 1;  // sums that stay in registers

    static HWY_INLINE void load(const double* x, V (&row)[vectors]) {
        for (int v = 0; v < vectors; ++v) row[v] = hn::Load(d, x + v * lanes);
    }
    static HWY_INLINE void store(const V (&row)[vectors], double* x) {
        for (int v = 0; v < vectors; ++v) hn::Store(row[v], d, x + v * lanes);
    }
    static HWY_INLINE void subtract(double factor, const V (&from)[vectors], V (&row)[vectors]) {
        const V f = hn::Set(d, factor);
        for (int v = 0; v < vectors; ++v) row[v] = hn::NegMulAdd(f, from[v], row[v]);
    }
    static HWY_INLINE void scale(double factor, V (&row)[vectors]) {
        const V f = hn::Set(d, factor);
        for (int v = 0; v < vectors; ++v) row[v] = hn::Mul(f, row[v]);
    }
};

/// `Count` rows of b below a panel lose what its columns take from them.
template <int Width, int Count>
HWY_INLINE void push_down(const double* cells, std::int64_t columns, const double* own, const std::int32_t* rows,
                          double* x) {
    using R = Rows<Width>;
    typename R::V sum[Count][R::vectors], y[R::vectors];
    for (int r = 0; r < Count; ++r) R::load(x + std::int64_t{rows[r]} * Width, sum[r]);
    for (std::int64_t c = 0; c < columns; ++c) {
        R::load(own + c * Width, y);
        for (int r = 0; r < Count; ++r) R::subtract(cells[r * columns + c], y, sum[r]);
    }
    for (int r = 0; r < Count; ++r) R::store(sum[r], x + std::int64_t{rows[r]} * Width);
}

/// `Count` columns of a panel lose what the rows below give them.
template <int Width, int Count>
HWY_INLINE void pull_up(const double* cells, std::int64_t columns, const std::int32_t* rows, std::int64_t below,
                        const double* x, double* own) {
    using R = Rows<Width>;
    typename R::V sum[Count][R::vectors], y[R::vectors];
    for (int c = 0; c < Count; ++c) R::load(own + c * Width, sum[c]);
    for (std::int64_t r = 0; r < below; ++r) {
        R::load(x + std::int64_t{rows[r]} * Width, y);
        for (int c = 0; c < Count; ++c) R::subtract(cells[r * columns + c], y, sum[c]);
    }
    for (int c = 0; c < Count; ++c) R::store(sum[c], own + c * Width);
}

template <int Width>
void forward(const Supernodes& factor, const Supernodes::Panel& panel, double* x) {
    using R = Rows<Width>;
    const std::int64_t columns = panel.width;
    const double* cells = factor.values(panel);
    double* own = x + std::int64_t{panel.first} * Width;
    for (std::int64_t c = 0; c < columns; ++c, cells += columns) {
        typename R::V sum[R::vectors], y[R::vectors];
        R::load(own + c * Width, sum);
        for (std::int64_t k = 0; k < c; ++k) {
            R::load(own + k * Width, y);
            R::subtract(cells[k], y, sum);
        }
        R::scale(cells[c], sum);
        R::store(sum, own + c * Width);
    }
    const std::int32_t *row = factor.rows(panel), *end = row + panel.below;
    for (; row + R::tile <= end; row += R::tile, cells += R::tile * columns) {
        push_down<Width, R::tile>(cells, columns, own, row, x);
    }
    for (; row < end; ++row, cells += columns) push_down<Width, 1>(cells, columns, own, row, x);
}

template <int Width>
void backward(const Supernodes& factor, const Supernodes::Panel& panel, double* x) {
    using R = Rows<Width>;
    const std::int64_t columns = panel.width;
    const double *triangle = factor.values(panel), *cells = triangle + columns * columns;
    double* own = x + std::int64_t{panel.first} * Width;
    std::int64_t c = 0;
    for (; c + R::tile <= columns; c += R::tile) {
        pull_up<Width, R::tile>(cells + c, columns, factor.rows(panel), panel.below, x, own + c * Width);
    }
    for (; c < columns; ++c) pull_up<Width, 1>(cells + c, columns, factor.rows(panel), panel.below, x, own + c * Width);
    for (c = columns - 1; c >= 0; --c) {
        typename R::V sum[R::vectors], y[R::vectors];
        R::load(own + c * Width, sum);
        for (std::int64_t k = c + 1; k < columns; ++k) {
            R::load(own + k * Width, y);
            R::subtract(triangle[k * columns + c], y, sum);
        }
        R::scale(triangle[c * columns + c], sum);
        R::store(sum, own + c * Width);
    }
}

template <int Width>
void both(const Supernodes& factor, double* x) {
    const auto& panels = factor.panels();
    for (std::size_t p = 0; p < panels.size(); ++p) forward<Width>(factor, panels[p], x);
    for (std::size_t p = panels.size(); p-- > 0;) backward<Width>(factor, panels[p], x);
}

void substitute(const Supernodes& factor, double* x, int width) {
    switch (width) {
        case 24:
            return both<24>(factor, x);
        case 16:
            return both<16>(factor, x);
        case 8:
            return both<8>(factor, x);
        case 4:
            return both<4>(factor, x);
        default:
            return both<1>(factor, x);
    }
}

}  // namespace rigwright::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::linalg {

HWY_EXPORT(substitute);

void Supernodes::substitute(double* x, int width) const {
    RIGWRIGHT_DISPATCH(substitute)(*this, x, width);
}

}  // namespace rigwright::linalg
#endif
