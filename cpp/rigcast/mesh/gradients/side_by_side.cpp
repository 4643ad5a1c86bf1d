#include "rigcast/mesh/gradients/side_by_side.h"

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/mesh/gradients/side_by_side.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A 3-vector per lane: as many shapes as a SIMD vector holds, at most `Width`.
template <int Width>
struct Triple {
    using D = hn::CappedTag<double, Width>;
    using V = hn::Vec<D>;
    static constexpr D d{};
    static constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

    static HWY_INLINE Triple load(const double* from) {
        return {hn::LoadU(d, from), hn::LoadU(d, from + Width), hn::LoadU(d, from + 2 * Width)};
    }
    static HWY_INLINE Triple set(const linalg::Vec3& all) {
        return {hn::Set(d, all[0]), hn::Set(d, all[1]), hn::Set(d, all[2])};
    }
    HWY_INLINE void add_to(double* sums) const {
        hn::StoreU(hn::Add(hn::LoadU(d, sums), x), d, sums);
        hn::StoreU(hn::Add(hn::LoadU(d, sums + Width), y), d, sums + Width);
        hn::StoreU(hn::Add(hn::LoadU(d, sums + 2 * Width), z), d, sums + 2 * Width);
    }
    HWY_INLINE Triple operator+(const Triple& b) const { return {hn::Add(x, b.x), hn::Add(y, b.y), hn::Add(z, b.z)}; }
    HWY_INLINE Triple operator-(const Triple& b) const { return {hn::Sub(x, b.x), hn::Sub(y, b.y), hn::Sub(z, b.z)}; }
    HWY_INLINE Triple operator*(V s) const { return {hn::Mul(x, s), hn::Mul(y, s), hn::Mul(z, s)}; }
    HWY_INLINE Triple operator*(double s) const { return *this * hn::Set(d, s); }
    HWY_INLINE Triple negative() const { return {hn::Neg(x), hn::Neg(y), hn::Neg(z)}; }
    HWY_INLINE V squared() const { return hn::MulAdd(z, z, hn::MulAdd(y, y, hn::Mul(x, x))); }

    V x;
    V y;
    V z;
};

template <int Width>
HWY_INLINE Triple<Width> cross(const Triple<Width>& a, const Triple<Width>& b) {
    return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
            hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

/// mesh::normal_column for each lane.
template <int Width>
HWY_INLINE Triple<Width> column(const Triple<Width>& a, const Triple<Width>& b) {
    using T = Triple<Width>;
    const T n = cross(a, b);
    const auto length = hn::Sqrt(n.squared());
    const auto scale = hn::Div(hn::Set(T::d, 1.0), hn::Sqrt(length));
    return n * hn::IfThenElseZero(hn::Gt(length, hn::Zero(T::d)), scale);
}

/// Adds one element for the shapes of one SIMD vector, from shape `lane` on.
template <int Width>
HWY_INLINE void add(const Element& element, const std::int32_t* row, const double* source, int lane,
                    SideBySide* shapes) {
    using T = Triple<Width>;
    const auto [v0, v1, v2] = element.vertex;
    const double* offsets = shapes->offsets.data() + lane;
    const auto at = [&](std::int64_t v) { return T::load(offsets + v * 3 * Width); };
    const T o = at(v0);
    const T da = at(v1) - o;
    const T db = at(v2) - o;
    const auto is_moved = hn::Gt(hn::Add(da.squared(), db.squared()), hn::Zero(T::d));
    const T n =
        column(T::set(linalg::difference(source, v1, v0)) + da, T::set(linalg::difference(source, v2, v0)) + db);
    const T dn = n - T::set(element.normal);
    const auto change = [&](const linalg::Vec3& by) {
        const T sum = da * by[0] + db * by[1] + dn * by[2];
        return T{hn::IfThenElseZero(is_moved, sum.x), hn::IfThenElseZero(is_moved, sum.y),
                 hn::IfThenElseZero(is_moved, sum.z)};
    };
    const T first = change(element.first);
    const T second = change(element.second);
    const T one = first * element.weight[0];
    const T two = second * element.weight[1];
    const T across = (second - first) * element.weight[2];
    double* sums = shapes->sums.data() + lane;
    (one + two).negative().add_to(sums + std::int64_t{row[v0]} * 3 * Width);
    (one - across).add_to(sums + std::int64_t{row[v1]} * 3 * Width);
    (two + across).add_to(sums + std::int64_t{row[v2]} * 3 * Width);
}

template <int Width>
void add_all(const std::vector<Element>& elements, const std::int32_t* row, const double* source, SideBySide* shapes) {
    const char* moves = shapes->moves.data();
    for (const Element& element : elements) {
        const auto [a, b, c] = element.vertex;
        if (!(moves[a] || moves[b] || moves[c])) continue;
        for (int lane = 0; lane < Width; lane += Triple<Width>::lanes) {
            add<Width>(element, row, source, lane, shapes);
        }
    }
}

void add_elements(const std::vector<Element>& elements, const std::int32_t* row, const double* source,
                  SideBySide* shapes) {
    switch (shapes->width) {
        case 8:
            return add_all<8>(elements, row, source, shapes);
        case 4:
            return add_all<4>(elements, row, source, shapes);
        case 2:
            return add_all<2>(elements, row, source, shapes);
        default:
            return add_all<1>(elements, row, source, shapes);
    }
}

}  // namespace rigcast::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::mesh {

RIGCAST_EXPORT(add_elements);

void add_elements(const std::vector<Element>& elements, const std::vector<std::int32_t>& row, const double* source,
                  SideBySide* shapes) {
    RIGCAST_DISPATCH(add_elements)(elements, row.data(), source, shapes);
}

void SideBySide::reset(int count, std::int64_t num_vertices, std::int64_t rows) {
    width = 1;
    while (width < count) width *= 2;
    offsets.assign(static_cast<std::size_t>(3 * width * num_vertices), 0.0);
    moves.assign(static_cast<std::size_t>(num_vertices), 0);
    sums.assign(static_cast<std::size_t>(3 * width * rows), 0.0);
}

}  // namespace rigcast::mesh
#endif
