#include "rigwright/ik/limbs/two_bone_kernels.h"

#include <algorithm>

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/ik/limbs/two_bone_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::ik::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr D d;

constexpr int most_lanes = 32;  // numbers per vector of any instruction set

/// One point per lane.
struct Points {
    V x, y, z;
};

HWY_INLINE Points operator-(const Points& a, const Points& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Points scaled(V s, const Points& a) {
    return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}
HWY_INLINE Points divided(const Points& a, V s) {
    return {hn::Div(a.x, s), hn::Div(a.y, s), hn::Div(a.z, s)};
}
/// a + s b
HWY_INLINE Points add_scaled(const Points& a, V s, const Points& b) {
    return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}
HWY_INLINE V dot(const Points& a, const Points& b) {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_INLINE Points cross(const Points& a, const Points& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE Points select(M mask, const Points& yes, const Points& no) {
    return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}
HWY_INLINE V largest_entry(const Points& a) {
    return hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z)));
}

/// A vector as length times direction. The largest entry is divided out first, so that no square overflows or vanishes.
/// Where the vector is zero, so is its direction.
struct Direction {
    V length;
    Points unit;
    M zero;
};
HWY_INLINE Direction direction(const Points& a) {
    const V largest = largest_entry(a);
    const M zero = hn::Eq(largest, hn::Zero(d));
    const Points ratio = divided(a, hn::IfThenElse(zero, hn::Set(d, 1.0), largest));
    const V norm = hn::Sqrt(dot(ratio, ratio));
    return {hn::Mul(largest, norm), divided(ratio, hn::IfThenElse(zero, hn::Set(d, 1.0), norm)), zero};
}

/// The coordinate axis least aligned with a direction; the first among equals.
HWY_INLINE Points least_aligned_axis(const Points& a) {
    const V x = hn::Abs(a.x);
    const V y = hn::Abs(a.y);
    const V z = hn::Abs(a.z);
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    const M first = hn::And(hn::Le(x, y), hn::Le(x, z));
    const M second = hn::AndNot(first, hn::Le(y, z));
    return {hn::IfThenElse(first, one, zero), hn::IfThenElse(second, one, zero),
            hn::IfThenElse(hn::Or(first, second), zero, one)};
}

/// Unit vectors perpendicular to unit vectors.
HWY_INLINE Points perpendicular(const Points& unit) {
    const Points c = cross(unit, least_aligned_axis(unit));
    return divided(c, hn::Sqrt(dot(c, c)));
}

/// A vector's worth of limbs.
struct Limbs {
    Points base, target;
    V upper, lower;
    Points axis;
};
struct Poses {
    Points elbow, end;
    M too_far, too_near, no_hinge, at_base;
};

/// True for lanes with a NaN or a number out of bounds.
HWY_INLINE M invalid(const Limbs& limbs) {
    const V most = hn::Set(d, largest_number);
    const V zero = hn::Zero(d);
    const auto within = [&](const Points& p) {  // the largest entry ignores a NaN on some machines
        return hn::And(hn::Le(hn::Abs(p.x), most), hn::And(hn::Le(hn::Abs(p.y), most), hn::Le(hn::Abs(p.z), most)));
    };
    const auto length = [&](V x) { return hn::And(hn::Ge(x, zero), hn::Le(x, most)); };
    const M points = hn::And(within(limbs.base), hn::And(within(limbs.target), within(limbs.axis)));
    return hn::Not(hn::And(points, hn::And(length(limbs.upper), length(limbs.lower))));
}

/// The direction of (t - o) x r from unit vectors, and the lanes without a hinge. Two products of nearly parallel
/// vectors cancel, so their result is made perpendicular to t - o once more; then it is perpendicular to r, too.
HWY_INLINE Points side(const Points& along, const Points& hinge, M& no_hinge) {
    Points c = cross(along, hinge);
    V squared = dot(c, c);
    no_hinge = hn::Le(squared, hn::Set(d, smallest_hinge_sine * smallest_hinge_sine));
    if (HWY_UNLIKELY(!hn::AllFalse(d, no_hinge))) {
        c = select(no_hinge, cross(along, least_aligned_axis(along)), c);
        squared = dot(c, c);
    }
    const Points n = divided(c, hn::Sqrt(squared));
    const Points again = add_scaled(n, hn::Neg(dot(n, along)), along);
    return divided(again, hn::Sqrt(dot(again, again)));
}

/// The formula of two_bone.
HWY_INLINE Poses solve(const Limbs& limbs) {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    Direction to_target = direction(limbs.target - limbs.base);
    const Direction hinge = direction(limbs.axis);
    if (HWY_UNLIKELY(!hn::AllFalse(d, to_target.zero))) {
        const Points x{one, zero, zero};
        const Points any = perpendicular(select(hinge.zero, Points{zero, one, zero}, hinge.unit));
        to_target.unit = select(to_target.zero, select(hinge.zero, x, any), to_target.unit);
    }
    Poses poses;
    const Points n = side(to_target.unit, hinge.unit, poses.no_hinge);
    const V longest = hn::Add(limbs.upper, limbs.lower);
    const V difference = hn::Sub(limbs.upper, limbs.lower);
    const V shortest = hn::Abs(difference);
    poses.too_far = hn::Gt(to_target.length, longest);
    poses.too_near = hn::Lt(to_target.length, shortest);
    poses.at_base = to_target.zero;
    const M reached = hn::Not(hn::Or(poses.too_far, poses.too_near));
    const V reach = hn::Min(hn::Max(to_target.length, shortest), longest);

    // a = (d_u^2 - d_l^2 + L^2) / (2 L) without squares of lengths: |d_u - d_l| / L is at most 1.
    const V divisor = hn::IfThenElse(hn::Eq(reach, zero), one, reach);
    V a = hn::Mul(hn::Set(d, 0.5), hn::MulAdd(hn::Div(difference, divisor), longest, reach));
    a = hn::Min(hn::Max(a, hn::Neg(limbs.upper)), limbs.upper);
    a = hn::IfThenElse(poses.too_far, limbs.upper, a);
    a = hn::IfThenElse(poses.too_near, hn::CopySign(limbs.upper, difference), a);
    const V ratio = hn::Div(a, hn::IfThenElse(hn::Eq(limbs.upper, zero), one, limbs.upper));
    const V sine = hn::Sqrt(hn::Max(zero, hn::Mul(hn::Sub(one, ratio), hn::Add(one, ratio))));
    const V h = hn::Mul(limbs.upper, sine);

    poses.elbow = add_scaled(add_scaled(limbs.base, a, to_target.unit), h, n);
    poses.end = select(reached, limbs.target, add_scaled(limbs.base, reach, to_target.unit));
    return poses;
}

/// Row i of an argument, or its only row in every lane.
HWY_INLINE Points load_points(const View<const double, 2>& view, std::int64_t i) {
    const double* p = view.data();
    if (view.extent(0) == 1) return {hn::Set(d, p[0]), hn::Set(d, p[1]), hn::Set(d, p[2])};
    Points points;
    hn::LoadInterleaved3(d, p + 3 * i, points.x, points.y, points.z);
    return points;
}
HWY_INLINE V load_numbers(const View<const double, 1>& view, std::int64_t i) {
    return view.extent(0) == 1 ? hn::Set(d, view.data()[0]) : hn::LoadU(d, view.data() + i);
}

HWY_INLINE void store_flags(const Poses& poses, std::uint8_t* out) {
    const auto bit = [](M mask, std::uint8_t flag) { return hn::IfThenElseZero(mask, hn::Set(d, double(flag))); };
    const V sum = hn::Add(hn::Add(bit(poses.too_far, limb_flag::too_far), bit(poses.too_near, limb_flag::too_near)),
                          hn::Add(bit(poses.no_hinge, limb_flag::no_hinge), bit(poses.at_base, limb_flag::at_base)));
    HWY_ALIGN double flags[most_lanes];
    hn::Store(sum, d, flags);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) out[i] = static_cast<std::uint8_t>(flags[i]);
}

/// Solves limbs i, i + 1, ... of one vector. Returns the lanes with numbers that are not allowed.
HWY_INLINE M solve_vector(const TwoBoneLimbs& limbs, const TwoBonePoses& out, std::int64_t i) {
    const Limbs given{load_points(limbs.base, i), load_points(limbs.target, i), load_numbers(limbs.upper, i),
                      load_numbers(limbs.lower, i), load_points(limbs.axis, i)};
    const Poses poses = solve(given);
    hn::StoreInterleaved3(poses.elbow.x, poses.elbow.y, poses.elbow.z, d, out.elbow.data() + 3 * i);
    hn::StoreInterleaved3(poses.end.x, poses.end.y, poses.end.z, d, out.end.data() + 3 * i);
    store_flags(poses, out.flags.data() + i);
    return invalid(given);
}

/// The last limbs, fewer than a vector: copied to buffers that are full, the first of them repeated.
HWY_INLINE M solve_rest(const TwoBoneLimbs& limbs, const TwoBonePoses& out, std::int64_t begin, std::int64_t count) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    double points[3][3 * most_lanes];
    double lengths[2][most_lanes];
    double elbow[3 * most_lanes];
    double end[3 * most_lanes];
    std::uint8_t flags[most_lanes];
    const auto fill = [&](const double* source, bool single, int width, double* buffer) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const std::int64_t row = single ? 0 : begin + (lane < count ? lane : 0);
            std::copy_n(source + width * row, width, buffer + width * lane);
        }
    };
    fill(limbs.base.data(), limbs.base.extent(0) == 1, 3, points[0]);
    fill(limbs.target.data(), limbs.target.extent(0) == 1, 3, points[1]);
    fill(limbs.axis.data(), limbs.axis.extent(0) == 1, 3, points[2]);
    fill(limbs.upper.data(), limbs.upper.extent(0) == 1, 1, lengths[0]);
    fill(limbs.lower.data(), limbs.lower.extent(0) == 1, 1, lengths[1]);
    const TwoBoneLimbs full{{points[0], {lanes, 3}},
                            {points[1], {lanes, 3}},
                            {lengths[0], {lanes}},
                            {lengths[1], {lanes}},
                            {points[2], {lanes, 3}}};
    const M wrong = solve_vector(full, {{elbow, {lanes, 3}}, {end, {lanes, 3}}, {flags, {lanes}}}, 0);
    std::copy_n(elbow, 3 * count, out.elbow.data() + 3 * begin);
    std::copy_n(end, 3 * count, out.end.data() + 3 * begin);
    std::copy_n(flags, count, out.flags.data() + begin);
    return wrong;
}

bool solve_limbs(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, std::int64_t begin, std::int64_t end) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    bool valid = true;
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes) valid &= hn::AllFalse(d, solve_vector(limbs, poses, i));
    if (i < end) valid &= hn::AllFalse(d, solve_rest(limbs, poses, i, end - i));
    return valid;
}

}  // namespace rigwright::ik::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::ik {
HWY_EXPORT(solve_limbs);

bool solve_two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, std::int64_t begin, std::int64_t end) {
    return RIGWRIGHT_DISPATCH(solve_limbs)(limbs, poses, begin, end);
}

}  // namespace rigwright::ik
#endif
