#include "inverse/projection_kernels.h"

#include "core/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inverse/projection_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::inverse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t width = 16;
using D = hn::CappedTag<double, 8>;
using F = hn::Rebind<float, D>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
// tiles that fill the registers: twelve rows of two vectors where there are 32, six rows of two where there are 16
constexpr int vectors = 2;
constexpr int tall = lanes == 8 ? 12 : 6;

template <int Rows>
HWY_INLINE void tile(const double* targets, std::int64_t stride, const float* panel, std::int64_t length, double* out) {
    constexpr F narrow;
    for (int first = 0; first < width; first += vectors * lanes) {
        V sum[Rows][vectors];
        for (int p = 0; p < Rows; ++p) {
            for (int v = 0; v < vectors; ++v) sum[p][v] = hn::Zero(d);
        }
        for (std::int64_t k = 0; k < length; ++k) {
            V column[vectors];
            for (int v = 0; v < vectors; ++v) {
                column[v] = hn::PromoteTo(d, hn::LoadU(narrow, panel + k * width + first + v * lanes));
            }
            for (int p = 0; p < Rows; ++p) {
                const V target = hn::Set(d, targets[p * stride + k]);
                for (int v = 0; v < vectors; ++v) sum[p][v] = hn::MulAdd(column[v], target, sum[p][v]);
            }
        }
        for (int p = 0; p < Rows; ++p) {
            for (int v = 0; v < vectors; ++v) hn::StoreU(sum[p][v], d, out + p * width + first + v * lanes);
        }
    }
}

void product(const double* targets, std::int64_t stride, std::int64_t rows, const float* panel, std::int64_t length,
             double* out) {
    std::int64_t p = 0;
    for (; p + tall <= rows; p += tall) tile<tall>(targets + p * stride, stride, panel, length, out + p * width);
    for (; p + 3 <= rows; p += 3) tile<3>(targets + p * stride, stride, panel, length, out + p * width);
    for (; p < rows; ++p) tile<1>(targets + p * stride, stride, panel, length, out + p * width);
}

double pack(const float* targets, const std::int32_t* source, const float* neutral, const double* weight,
            std::int64_t count, double* out) {
    using D4 = hn::CappedTag<double, 4>;
    constexpr D4 quad;
    double energy[4] = {};
    if constexpr (hn::MaxLanes(quad) == 4) {  // a vertex a vector; its fourth lane is overwritten by the next one
        constexpr hn::Rebind<float, D4> single;
        const auto three = hn::FirstN(single, 3);
        auto sum = hn::Zero(quad);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto b = hn::Sub(hn::PromoteTo(quad, hn::MaskedLoad(three, single, targets + 3 * source[i])),
                                   hn::PromoteTo(quad, hn::LoadU(single, neutral + 3 * i)));
            const auto scaled = hn::Mul(hn::Set(quad, weight[i]), b);
            sum = hn::MulAdd(scaled, b, sum);
            hn::StoreU(scaled, quad, out + 3 * i);
        }
        hn::StoreU(sum, quad, energy);
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                const double b = double{targets[3 * source[i] + axis]} - double{neutral[3 * i + axis]};
                out[3 * i + axis] = weight[i] * b;
                energy[axis] += weight[i] * b * b;
            }
        }
    }
    return energy[0] + energy[1] + energy[2];
}

const ProjectionKernels* projection_table() {
    static constexpr ProjectionKernels all{&pack, &product};
    return &all;
}

}  // namespace rigwright::inverse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::inverse {

HWY_EXPORT(projection_table);

const ProjectionKernels& projection_kernels() {
    static const ProjectionKernels& chosen = []() -> const ProjectionKernels& {
        instruction_set();
        return *HWY_DYNAMIC_DISPATCH(projection_table)();
    }();
    return chosen;
}

}  // namespace rigwright::inverse
#endif
