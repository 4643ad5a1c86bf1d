// Included once for every instruction set: no ordinary include guard.
#if defined(RIGCAST_LINALG_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGCAST_LINALG_VECTORS_INL_H
#undef RIGCAST_LINALG_VECTORS_INL_H
#else
#define RIGCAST_LINALG_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr D d;

/// The dot product of n numbers; two sums per lane hide the latency of additions.
inline double dot(const double* x, const double* y, std::int64_t n) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    V a = hn::Zero(d);
    V b = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
        b = hn::MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), b);
    }
    for (; i + lanes <= n; i += lanes) a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    for (; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

/// y += scale x
inline void add_scaled(double scale, const double* x, double* y, std::int64_t n) {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V a = hn::Set(d, scale);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::MulAdd(a, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
    for (; i < n; ++i) y[i] += scale * x[i];
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
