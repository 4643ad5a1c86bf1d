#include "rigwright/inverse/projection_kernels.h"

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/inverse/projection_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::inverse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t tile = 8;  // columns
using D = hn::CappedTag<double, 8>;
using F = hn::Rebind<float, D>;
using One = hn::CappedTag<double, 1>;
using V = hn::Vec<D>;
constexpr D d;
constexpr F narrow;
constexpr One one;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
// sums that fill the registers: three vectors of frames by eight columns where there are 32, by four where there are 16
constexpr int tall = 3;
constexpr int together = lanes == 8 ? 8 : 4;

/// All columns of a block for `Vectors` vectors of frames.
template <int Vectors>
HWY_INLINE void add_frames(const double* targets, std::int64_t rows, const PackedColumns& block, double* sums) {
    for (std::int64_t c = 0; c < block.tiles * tile; c += together) {
        const float* panel = block.panels + c / tile * tile * block.length + c % tile;
        const std::int32_t* column = block.columns + c;
        V sum[together][Vectors];
        for (int j = 0; j < together; ++j) {
            for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::LoadU(d, sums + column[j] * rows + v * lanes);
        }
        for (std::int64_t k = 0; k < block.length; ++k) {
            V target[Vectors];
            for (int v = 0; v < Vectors; ++v) target[v] = hn::LoadU(d, targets + k * rows + v * lanes);
            for (int j = 0; j < together; ++j) {
                const V value = hn::PromoteTo(d, hn::Set(narrow, panel[k * tile + j]));
                for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::MulAdd(value, target[v], sum[j][v]);
            }
        }
        for (int j = 0; j < together; ++j) {
            for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[j][v], d, sums + column[j] * rows + v * lanes);
        }
    }
}

/// All columns of a block for one frame, read in the order in which they are stored.
void add_columns(const double* targets, std::int64_t rows, const PackedColumns& block, double* sums) {
    constexpr int vectors = static_cast<int>(tile) / lanes;
    const float* panel = block.panels;
    for (std::int64_t first = 0; first < block.tiles * tile; first += tile) {
        const std::int32_t* column = block.columns + first;
        double all[tile];
        for (int c = 0; c < tile; ++c) all[c] = sums[column[c] * rows];
        V sum[vectors];
        for (int v = 0; v < vectors; ++v) sum[v] = hn::LoadU(d, all + v * lanes);
        for (std::int64_t k = 0; k < block.length; ++k, panel += tile) {
            const V target = hn::Set(d, targets[k * rows]);
            for (int v = 0; v < vectors; ++v) {
                sum[v] = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(narrow, panel + v * lanes)), target, sum[v]);
            }
        }
        for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, all + v * lanes);
        for (int c = 0; c < tile; ++c) sums[column[c] * rows] = all[c];
    }
}

void product(const double* targets, std::int64_t rows, const PackedColumns& block, double* sums) {
    std::int64_t f = 0;
    for (; f + tall * lanes <= rows; f += tall * lanes) add_frames<tall>(targets + f, rows, block, sums + f);
    for (; f + lanes <= rows; f += lanes) add_frames<1>(targets + f, rows, block, sums + f);
    for (; f < rows; ++f) add_columns(targets + f, rows, block, sums + f);
}

#if HWY_MAX_BYTES >= 32
/// One vertex of a frame; of a vector of eight, also that of the frame four on.
template <class Single>
HWY_INLINE hn::Vec<Single> load_vertex(Single single, const float* at, std::int64_t stride) {
    constexpr hn::FixedTag<float, 4> quad;
    const auto three = hn::FirstN(quad, 3);
    if constexpr (hn::MaxLanes(single) == 8) {
        return hn::Combine(single, hn::MaskedLoad(three, quad, at + 4 * stride), hn::MaskedLoad(three, quad, at));
    } else {
        return hn::MaskedLoad(three, quad, at);
    }
}

/// Packs as many frames as a vector holds.
void pack_vector(const float* targets, std::int64_t stride, std::int64_t rows, const PackedVertices& vertices,
                 std::int64_t begin, std::int64_t end, std::int64_t first, double* out, double* energies) {
    V energy[3];
    for (int axis = 0; axis < 3; ++axis) energy[axis] = hn::LoadU(d, energies + axis * rows);
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t p = vertices.order[i];
        const float *at = targets + 3 * vertices.source[p], *neutral = vertices.neutral + 3 * p;
        const auto a = load_vertex(narrow, at, stride), b = load_vertex(narrow, at + stride, stride);
        const auto c = load_vertex(narrow, at + 2 * stride, stride), e = load_vertex(narrow, at + 3 * stride, stride);
        const auto even = hn::InterleaveLower(narrow, a, c), odd = hn::InterleaveLower(narrow, b, e);
        const V weight = hn::Set(d, vertices.weight[p]);
        const auto put = [&](int axis, hn::Vec<F> values) {
            const V offset = hn::Sub(hn::PromoteTo(d, values), hn::Set(d, double{neutral[axis]}));
            const V scaled = hn::Mul(weight, offset);
            energy[axis] = hn::MulAdd(scaled, offset, energy[axis]);
            hn::StoreU(scaled, d, out + (3 * (p - first) + axis) * rows);
        };
        put(0, hn::InterleaveLower(narrow, even, odd));
        put(1, hn::InterleaveUpper(narrow, even, odd));
        put(2, hn::InterleaveLower(narrow, hn::InterleaveUpper(narrow, a, c), hn::InterleaveUpper(narrow, b, e)));
    }
    for (int axis = 0; axis < 3; ++axis) hn::StoreU(energy[axis], d, energies + axis * rows);
}
#endif

void pack(const float* targets, std::int64_t stride, std::int64_t rows, const PackedVertices& vertices,
          std::int64_t begin, std::int64_t end, std::int64_t first, double* out, double* energies) {
    std::int64_t f = 0;
#if HWY_MAX_BYTES >= 32
    for (; f + lanes <= rows; f += lanes) {
        pack_vector(targets + f * stride, stride, rows, vertices, begin, end, first, out + f, energies + f);
    }
#endif
    for (; f < rows; ++f) {
        hn::Vec<One> energy[3];
        for (int axis = 0; axis < 3; ++axis) energy[axis] = hn::Set(one, energies[axis * rows + f]);
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t p = vertices.order[i];
            const float *at = targets + f * stride + 3 * vertices.source[p], *neutral = vertices.neutral + 3 * p;
            for (int axis = 0; axis < 3; ++axis) {
                const double offset = double{at[axis]} - double{neutral[axis]}, scaled = vertices.weight[p] * offset;
                energy[axis] = hn::MulAdd(hn::Set(one, scaled), hn::Set(one, offset), energy[axis]);
                out[(3 * (p - first) + axis) * rows + f] = scaled;
            }
        }
        for (int axis = 0; axis < 3; ++axis) energies[axis * rows + f] = hn::GetLane(energy[axis]);
    }
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

RIGWRIGHT_KERNEL_TABLE(ProjectionKernels, projection_kernels, projection_table)

}  // namespace rigwright::inverse
#endif
