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
    for (; p < rows; ++p) tile<1>(targets + p * stride, stride, panel, length, out + p * width);
}

PanelProduct choice() {
    return &product;
}

}  // namespace rigwright::inverse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::inverse {

HWY_EXPORT(choice);

PanelProduct panel_product() {
    static const PanelProduct chosen = [] {
        instruction_set();
        return HWY_DYNAMIC_DISPATCH(choice)();
    }();
    return chosen;
}

}  // namespace rigwright::inverse
#endif
