// Included once per instruction set, so it has Highway's guard, not an ordinary one.
#if defined(RIGCAST_NETWORK_TANH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGCAST_NETWORK_TANH_INL_H
#undef RIGCAST_NETWORK_TANH_INL_H
#else
#define RIGCAST_NETWORK_TANH_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::network::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// exp(2a) + 1 for 0 <= a <= 9.02: reduces 2a = n ln 2 + 2r, with a polynomial for exp(2r) - 1 on |2r| <= ln 2 / 2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_twice_plus_one(D d, V a) {
    const hn::RebindToSigned<D> di;
    const V n = hn::Round(hn::Mul(a, hn::Set(d, 2.88539008177792681f)));  // 2 / ln 2
    V r = hn::NegMulAdd(n, hn::Set(d, 0.3466796875f), a);                 // ln 2 / 2 in two parts
    r = hn::NegMulAdd(n, hn::Set(d, -0.000106097220f), r);
    r = hn::Add(r, r);
    V p = hn::Set(d, 0.0013814465f);
    p = hn::MulAdd(p, r, hn::Set(d, 0.008368781f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.041668393f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.1666652f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.49999994f));
    const V less_one = hn::MulAdd(hn::Mul(r, r), p, r);
    const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)));
    const V scale = hn::BitCast(d, exponent);
    return hn::MulAdd(scale, less_one, hn::Add(scale, hn::Set(d, 1.0f)));
}

/// tanh: an odd polynomial for |x| < 0.625, else 1 - 2 / (exp(2|x|) + 1). Both polynomials are minimax in relative
/// error. NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
    const V magnitude = hn::Abs(x);
    const V limit = hn::Set(d, 9.02f);                                       // beyond it, tanh is 1 in float32
    const V a = hn::IfThenElse(hn::Gt(magnitude, limit), limit, magnitude);  // not Min, which may drop NaN
    const V u = hn::Mul(a, a);
    V p = hn::Set(d, -0.0055151503f);
    p = hn::MulAdd(p, u, hn::Set(d, 0.020469407f));
    p = hn::MulAdd(p, u, hn::Set(d, -0.05368802f));
    p = hn::MulAdd(p, u, hn::Set(d, 0.1333083f));
    p = hn::MulAdd(p, u, hn::Set(d, -0.3333326f));
    const V small = hn::MulAdd(hn::Mul(a, u), p, a);
    const V large = hn::Sub(hn::Set(d, 1.0f), hn::Div(hn::Set(d, 2.0f), exp_twice_plus_one(d, a)));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), small, large), x);
}

}  // namespace rigcast::network::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
