#include "inverse/band_kernels.h"

#include "core/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inverse/band_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::inverse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
constexpr int rows = static_cast<int>(BandKernels::panel);

template <int Vectors>
HWY_INLINE void eliminate_tile(const EliminatedRows* sources, std::int64_t count, std::int64_t offset,
                               const double* triangle, double* tile, std::int64_t stride) {
    V sum[rows][Vectors];
    for (int p = 0; p < rows; ++p) {
        for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::LoadU(d, tile + p * stride + v * lanes);
    }
    for (std::int64_t s = 0; s < count; ++s) {
        const double *left = sources[s].left, *right = sources[s].right + offset;
        for (std::int64_t k = 0; k < sources[s].count; ++k) {
            V row[Vectors];
            for (int v = 0; v < Vectors; ++v) row[v] = hn::LoadU(d, right + v * lanes);
            for (int p = 0; p < rows; ++p) {
                const V factor = hn::Set(d, left[p]);
                for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::NegMulAdd(factor, row[v], sum[p][v]);
            }
            left += sources[s].stride;
            right += sources[s].stride;
        }
    }
    for (int p = 0; p < rows; ++p) {
        if (triangle != nullptr) {
            const V inverse = hn::Set(d, triangle[p * rows + p]);
            for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::Mul(sum[p][v], inverse);
            for (int q = p + 1; q < rows; ++q) {
                const V factor = hn::Set(d, triangle[p * rows + q]);
                for (int v = 0; v < Vectors; ++v) sum[q][v] = hn::NegMulAdd(factor, sum[p][v], sum[q][v]);
            }
        }
        for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[p][v], d, tile + p * stride + v * lanes);
    }
}

void eliminate(const EliminatedRows* sources, std::int64_t count, const double* triangle, double* tile,
               std::int64_t stride, std::int64_t columns) {
    // as many vectors as 32 registers hold beside one row and one factor; where there are 16 registers, one
    if constexpr (lanes == 8) {
        if (columns == 24) return eliminate_tile<3>(sources, count, 0, triangle, tile, stride);
        if (columns == 16) return eliminate_tile<2>(sources, count, 0, triangle, tile, stride);
    }
    for (std::int64_t j = 0; j < columns; j += lanes) {
        eliminate_tile<1>(sources, count, j, triangle, tile + j, stride);
    }
}

const BandKernels* band_table() {
    static constexpr BandKernels all{&eliminate};
    return &all;
}

}  // namespace rigwright::inverse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::inverse {

HWY_EXPORT(band_table);

const BandKernels& band_kernels() {
    static const BandKernels& chosen = []() -> const BandKernels& {
        instruction_set();
        return *HWY_DYNAMIC_DISPATCH(band_table)();
    }();
    return chosen;
}

}  // namespace rigwright::inverse
#endif
