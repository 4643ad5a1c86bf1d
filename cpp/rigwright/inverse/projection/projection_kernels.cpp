#include "rigwright/inverse/projection/projection_kernels.h"

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
// compiled once for every instruction set
#define HWY_TARGET_INCLUDE "rigwright/inverse/projection/projection_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::inverse::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using F = hn::Rebind<float, D>;
using One = hn::CappedTag<double, 1>;
using V = hn::Vec<D>;
constexpr D d;
constexpr F narrow;
constexpr One one;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
// Sums fill the registers: three vectors of frames by eight columns of the 32 of AVX-512, by four of the 16 of AVX2.
constexpr int vectors_of_frames = 3;
constexpr int columns_at_once = lanes == 8 ? 8 : 4;

/// All columns of a tile for `Vectors` vectors of frames.
template <int Vectors>
HWY_INLINE void multiply_frames(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums) {
    for (std::int64_t c = 0; c < tile.num_strips * columns_per_strip; c += columns_at_once) {
        const float* numbers =
            tile.numbers + c / columns_per_strip * columns_per_strip * tile.num_coordinates + c % columns_per_strip;
        const std::int32_t* column = tile.column + c;
        V sum[columns_at_once][Vectors];
        for (int j = 0; j < columns_at_once; ++j) {
            for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::LoadU(d, sums + column[j] * frames + v * lanes);
        }
        for (std::int64_t i = 0; i < tile.num_coordinates; ++i) {
            V target[Vectors];
            for (int v = 0; v < Vectors; ++v) target[v] = hn::LoadU(d, weighted + i * frames + v * lanes);
            for (int j = 0; j < columns_at_once; ++j) {
                const V value = hn::PromoteTo(d, hn::Set(narrow, numbers[i * columns_per_strip + j]));
                for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::MulAdd(value, target[v], sum[j][v]);
            }
        }
        for (int j = 0; j < columns_at_once; ++j) {
            for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[j][v], d, sums + column[j] * frames + v * lanes);
        }
    }
}

/// All columns of a tile for one frame, read in the order in which they are stored.
void multiply_frame(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums) {
    constexpr int vectors = static_cast<int>(columns_per_strip) / lanes;
    const float* numbers = tile.numbers;
    for (std::int64_t first = 0; first < tile.num_strips * columns_per_strip; first += columns_per_strip) {
        const std::int32_t* column = tile.column + first;
        double all[columns_per_strip];
        for (int c = 0; c < columns_per_strip; ++c) all[c] = sums[column[c] * frames];
        V sum[vectors];
        for (int v = 0; v < vectors; ++v) sum[v] = hn::LoadU(d, all + v * lanes);
        for (std::int64_t i = 0; i < tile.num_coordinates; ++i, numbers += columns_per_strip) {
            const V target = hn::Set(d, weighted[i * frames]);
            for (int v = 0; v < vectors; ++v) {
                sum[v] = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(narrow, numbers + v * lanes)), target, sum[v]);
            }
        }
        for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, all + v * lanes);
        for (int c = 0; c < columns_per_strip; ++c) sums[column[c] * frames] = all[c];
    }
}

void multiply(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums) {
    constexpr int widest = vectors_of_frames * lanes;
    std::int64_t f = 0;
    for (; f + widest <= frames; f += widest) multiply_frames<vectors_of_frames>(weighted + f, frames, tile, sums + f);
    for (; f + lanes <= frames; f += lanes) multiply_frames<1>(weighted + f, frames, tile, sums + f);
    for (; f < frames; ++f) multiply_frame(weighted + f, frames, tile, sums + f);
}

#if HWY_MAX_BYTES >= 32
/// One vertex of a frame in the lower half of the vector; in the upper half of a vector of eight, the same vertex four
/// frames later.
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

/// Weighs as many frames as a vector has lanes.
void weigh_vector(const float* targets, std::int64_t stride, std::int64_t frames, const TargetVertices& vertices,
                  std::int64_t begin, std::int64_t end, double* out, double* energies) {
    V energy[3];
    for (int axis = 0; axis < 3; ++axis) energy[axis] = hn::LoadU(d, energies + axis * frames);
    for (std::int64_t i = begin; i < end; ++i) {
        const float* at = targets + 3 * vertices.source[i];
        const float* neutral = vertices.neutral + 3 * i;
        double* to = out + 3 * (vertices.slot[i] - begin) * frames;
        const auto a = load_vertex(narrow, at, stride);
        const auto b = load_vertex(narrow, at + stride, stride);
        const auto c = load_vertex(narrow, at + 2 * stride, stride);
        const auto e = load_vertex(narrow, at + 3 * stride, stride);
        const auto even = hn::InterleaveLower(narrow, a, c);
        const auto odd = hn::InterleaveLower(narrow, b, e);
        const V weight = hn::Set(d, vertices.weight[i]);
        const auto put = [&](int axis, hn::Vec<F> values) {
            const V offset = hn::Sub(hn::PromoteTo(d, values), hn::Set(d, double{neutral[axis]}));
            const V scaled = hn::Mul(weight, offset);
            energy[axis] = hn::MulAdd(scaled, offset, energy[axis]);
            hn::StoreU(scaled, d, to + axis * frames);
        };
        put(0, hn::InterleaveLower(narrow, even, odd));
        put(1, hn::InterleaveUpper(narrow, even, odd));
        put(2, hn::InterleaveLower(narrow, hn::InterleaveUpper(narrow, a, c), hn::InterleaveUpper(narrow, b, e)));
    }
    for (int axis = 0; axis < 3; ++axis) hn::StoreU(energy[axis], d, energies + axis * frames);
}
#endif

void weigh(const float* targets, std::int64_t stride, std::int64_t frames, const TargetVertices& vertices,
           std::int64_t begin, std::int64_t end, double* out, double* energies) {
    std::int64_t f = 0;
#if HWY_MAX_BYTES >= 32
    for (; f + lanes <= frames; f += lanes) {
        weigh_vector(targets + f * stride, stride, frames, vertices, begin, end, out + f, energies + f);
    }
#endif
    for (; f < frames; ++f) {
        hn::Vec<One> energy[3];
        for (int axis = 0; axis < 3; ++axis) energy[axis] = hn::Set(one, energies[axis * frames + f]);
        for (std::int64_t i = begin; i < end; ++i) {
            const float* at = targets + f * stride + 3 * vertices.source[i];
            const float* neutral = vertices.neutral + 3 * i;
            double* to = out + 3 * (vertices.slot[i] - begin) * frames + f;
            for (int axis = 0; axis < 3; ++axis) {
                const double offset = double{at[axis]} - double{neutral[axis]};
                const double scaled = vertices.weight[i] * offset;
                energy[axis] = hn::MulAdd(hn::Set(one, scaled), hn::Set(one, offset), energy[axis]);
                to[axis * frames] = scaled;
            }
        }
        for (int axis = 0; axis < 3; ++axis) energies[axis * frames + f] = hn::GetLane(energy[axis]);
    }
}

const ProjectionKernels* projection_table() {
    static constexpr ProjectionKernels all{&weigh, &multiply};
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
