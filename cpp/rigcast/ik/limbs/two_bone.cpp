#include <algorithm>
#include <atomic>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/dispatch.h"
#include "rigcast/core/parallel.h"
#include "rigcast/ik/limbs/limb.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/ik/limbs/two_bone.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::ik::HWY_NAMESPACE {
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
/// A vector as 2^e times a vector whose largest entry is from 1 to 2, so that its squares neither overflow nor vanish.
/// Nothing is rounded. Zero stays zero.
struct Scaled {
    Points value;
    V power;
};
HWY_INLINE Scaled scale(const Points& a) {
    const hn::RebindToUnsigned<D> u;
    const auto exponents = hn::Set(u, std::uint64_t{0x7FF} << 52);
    const V largest = hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z)));
    const auto bits = hn::And(hn::BitCast(u, hn::Max(largest, hn::Set(d, 1e-300))), exponents);
    const V inverse = hn::BitCast(d, hn::Sub(hn::Set(u, std::uint64_t{0x7FE} << 52), bits));
    return {scaled(inverse, a), hn::BitCast(d, bits)};
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

/// Directions where the target is the base: perpendicular to the hinge axis, x if that is zero.
HWY_INLINE Points any_direction(const Points& hinge) {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    const Points c = cross(hinge, least_aligned_axis(hinge));
    const V squared = dot(c, c);
    const M none = hn::Eq(squared, zero);
    const V inverse = hn::Div(one, hn::Sqrt(hn::IfThenElse(none, one, squared)));
    return select(none, Points{one, zero, zero}, scaled(inverse, c));
}

/// (t - o) x r, from the unit vector of t - o and any multiple of r, and the lanes without a hinge. Products of nearly
/// parallel vectors cancel, so the result is made perpendicular to t - o once more; then it is perpendicular to r, too.
HWY_INLINE Points side(const Points& along, const Points& hinge, M& no_hinge) {
    Points c = cross(along, hinge);
    no_hinge = hn::Le(dot(c, c), hn::Mul(hn::Set(d, smallest_hinge_sine * smallest_hinge_sine), dot(hinge, hinge)));
    if (HWY_UNLIKELY(!hn::AllFalse(d, no_hinge))) c = select(no_hinge, cross(along, least_aligned_axis(along)), c);
    return add_scaled(c, hn::Neg(dot(c, along)), along);
}

/// The formula of two_bone.
HWY_INLINE Poses solve(const Limbs& limbs) {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    const Scaled way = scale(limbs.target - limbs.base);
    const Points hinge = scale(limbs.axis).value;
    const V norm = hn::Sqrt(dot(way.value, way.value));
    const V length = hn::Mul(norm, way.power);
    Poses poses;
    poses.at_base = hn::Eq(norm, zero);
    Points along = scaled(hn::Div(one, hn::IfThenElse(poses.at_base, one, norm)), way.value);
    if (HWY_UNLIKELY(!hn::AllFalse(d, poses.at_base))) along = select(poses.at_base, any_direction(hinge), along);
    const Points n = side(along, hinge, poses.no_hinge);

    const V longest = hn::Add(limbs.upper, limbs.lower);
    const V difference = hn::Sub(limbs.upper, limbs.lower);
    const V shortest = hn::Abs(difference);
    poses.too_far = hn::Gt(length, longest);
    poses.too_near = hn::Lt(length, shortest);
    const V reach = hn::Min(hn::Max(length, shortest), longest);
    // a = (d_u^2 - d_l^2 + L^2) / (2 L) without squares of lengths: |d_u - d_l| / L is at most 1.
    const V divisor = hn::IfThenElse(hn::Eq(reach, zero), one, reach);
    V a = hn::Mul(hn::Set(d, 0.5), hn::MulAdd(hn::Div(difference, divisor), longest, reach));
    a = hn::Min(hn::Max(a, hn::Neg(limbs.upper)), limbs.upper);
    a = hn::IfThenElse(poses.too_far, limbs.upper, a);
    a = hn::IfThenElse(poses.too_near, hn::CopySign(limbs.upper, difference), a);
    const V ratio = hn::Div(a, hn::IfThenElse(hn::Eq(limbs.upper, zero), one, limbs.upper));
    const V squared_sine = hn::Max(zero, hn::Mul(hn::Sub(one, ratio), hn::Add(one, ratio)));
    const V h = hn::Mul(limbs.upper, hn::Sqrt(hn::Div(squared_sine, dot(n, n))));  // as a multiple of n

    poses.elbow = add_scaled(add_scaled(limbs.base, a, along), h, n);
    const M reached = hn::Not(hn::Or(poses.too_far, poses.too_near));
    poses.end = select(reached, limbs.target, add_scaled(limbs.base, reach, along));
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

}  // namespace rigcast::ik::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::ik {
RIGCAST_EXPORT(solve_limbs);

namespace {

constexpr const char* function = "two_bone";
constexpr std::int64_t limbs_per_task = 4096;  // not sensitive: a task is far longer than its start

/// Throws if the first extent is neither 1 nor `count`, or another one is not 3.
template <int Rank>
void check_rows(const char* argument, const View<const double, Rank>& view, std::int64_t count) {
    bool fits = view.extent(0) == 1 || view.extent(0) == count;
    for (int axis = 1; axis < Rank; ++axis) fits = fits && view.extent(axis) == 3;
    if (fits) return;
    const std::string number = std::to_string(count);
    throw bad_argument(function, argument, describe_shape<Rank>(view.extents()),
                       Rank == 1 ? "(" + number + ",)" : "(" + number + ", 3)");
}

/// Throws for the first number that is not allowed.
template <int Rank>
void check_numbers(const char* argument, const View<const double, Rank>& view, double lowest) {
    check_finite(function, argument, view);
    for (const double& x : view) {
        if (x >= lowest && x <= largest_number) continue;
        throw bad_argument(function, argument, std::to_string(x) + " at " + describe_place(view, &x - view.begin()),
                           lowest == 0.0 ? "from 0 to 1e300" : "from -1e300 to 1e300");
    }
}

/// Solves limbs [begin, end). Returns false if one of their numbers is not allowed; results are then undefined.
bool solve_two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, std::int64_t begin, std::int64_t end) {
    return RIGCAST_DISPATCH(solve_limbs)(limbs, poses, begin, end);
}

}  // namespace

void two_bone(const TwoBoneLimbs& limbs, const TwoBonePoses& poses, int threads) {
    const std::int64_t count = poses.flags.extent(0);
    check_threads(function, threads);
    check_shape<double, 2>(function, "elbow", poses.elbow, {count, 3});
    check_shape<double, 2>(function, "end", poses.end, {count, 3});
    check_rows("base", limbs.base, count);
    check_rows("target", limbs.target, count);
    check_rows("upper", limbs.upper, count);
    check_rows("lower", limbs.lower, count);
    check_rows("axis", limbs.axis, count);
    std::atomic<bool> valid = true;
    parallel_for(count, limbs_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        if (!solve_two_bone(limbs, poses, begin, end)) valid = false;
    });
    if (valid) return;
    check_numbers("base", limbs.base, -largest_number);
    check_numbers("target", limbs.target, -largest_number);
    check_numbers("upper", limbs.upper, 0.0);
    check_numbers("lower", limbs.lower, 0.0);
    check_numbers("axis", limbs.axis, -largest_number);
}

}  // namespace rigcast::ik
#endif
