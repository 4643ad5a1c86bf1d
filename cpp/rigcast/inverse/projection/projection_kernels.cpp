#include <algorithm>

#include "rigcast/core/dispatch.h"
#include "rigcast/inverse/projection/projection.h"

#undef HWY_TARGET_INCLUDE
// compiled once for every instruction set
#define HWY_TARGET_INCLUDE "rigcast/inverse/projection/projection_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::inverse::HWY_NAMESPACE {
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

/// The columns of a strip, `numbers` (num_coordinates, columns_per_strip), for `Vectors` vectors of frames.
template <int Vectors>
HWY_INLINE void multiply_strip(const double* weighted, std::int64_t frames, const double* numbers,
                               const std::int32_t* column, std::int64_t num_coordinates, double* sums) {
    for (std::int64_t first = 0; first < columns_per_strip; first += columns_at_once) {
        V sum[columns_at_once][Vectors];
        for (int j = 0; j < columns_at_once; ++j) {
            for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::LoadU(d, sums + column[first + j] * frames + v * lanes);
        }
        for (std::int64_t i = 0; i < num_coordinates; ++i) {
            V target[Vectors];
            for (int v = 0; v < Vectors; ++v) target[v] = hn::LoadU(d, weighted + i * frames + v * lanes);
            for (int j = 0; j < columns_at_once; ++j) {
                const V value = hn::Set(d, numbers[i * columns_per_strip + first + j]);
                for (int v = 0; v < Vectors; ++v) sum[j][v] = hn::MulAdd(value, target[v], sum[j][v]);
            }
        }
        for (int j = 0; j < columns_at_once; ++j) {
            for (int v = 0; v < Vectors; ++v) hn::StoreU(sum[j][v], d, sums + column[first + j] * frames + v * lanes);
        }
    }
}

/// All columns of a tile for the frames in front that fill vectors. Numbers are widened once per strip: widening each
/// where it is multiplied takes two of five instructions of the innermost loop.
void multiply_vectors(const double* weighted, std::int64_t frames, const TileColumns& tile, double* sums) {
    constexpr int widest = vectors_of_frames * lanes;
    HWY_ALIGN double wide[max_coordinates * columns_per_strip];
    const std::int64_t size = tile.num_coordinates * columns_per_strip;
    for (std::int64_t s = 0; s < tile.num_strips; ++s) {
        for (std::int64_t i = 0; i < size; i += lanes) {
            hn::Store(hn::PromoteTo(d, hn::LoadU(narrow, tile.numbers + s * size + i)), d, wide + i);
        }
        const std::int32_t* column = tile.column + s * columns_per_strip;
        std::int64_t f = 0;
        for (; f + widest <= frames; f += widest) {
            multiply_strip<vectors_of_frames>(weighted + f, frames, wide, column, tile.num_coordinates, sums + f);
        }
        for (; f + lanes <= frames; f += lanes) {
            multiply_strip<1>(weighted + f, frames, wide, column, tile.num_coordinates, sums + f);
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
    const std::int64_t in_vectors = frames / lanes * lanes;
    if (in_vectors > 0) multiply_vectors(weighted, frames, tile, sums);
    for (std::int64_t f = in_vectors; f < frames; ++f) multiply_frame(weighted + f, frames, tile, sums + f);
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

/// Adds the products of the columns of two strips, (num_coordinates, columns_per_strip) each, to the matrix.
HWY_INLINE void add_products(const double* weighted, const double* plain, std::int64_t num_coordinates,
                             const std::int32_t* rows, const std::int32_t* columns, double* matrix,
                             std::int64_t stride) {
    constexpr int vectors = static_cast<int>(columns_per_strip) / lanes;
    constexpr int rows_at_once = lanes == 8 ? 8 : lanes == 4 ? 4 : 1;  // sums fill half of the registers
    // Columns ascend, but left-over places at the end repeat one number.
    constexpr std::int64_t last = columns_per_strip - 1;
    const bool side_by_side = columns[last] - columns[0] == last && columns[last] != columns[last - 1];
    for (int first = 0; first < columns_per_strip; first += rows_at_once) {
        V sum[rows_at_once][vectors];
        for (auto& row : sum) std::fill_n(row, vectors, hn::Zero(d));
        for (std::int64_t i = 0; i < num_coordinates; ++i) {
            V right[vectors];
            for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, plain + i * columns_per_strip + v * lanes);
            for (int r = 0; r < rows_at_once; ++r) {
                const V left = hn::Set(d, weighted[i * columns_per_strip + first + r]);
                for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
            }
        }
        for (int r = 0; r < rows_at_once; ++r) {
            double* out = matrix + rows[first + r] * stride;
            if (side_by_side) {
                double* to = out + columns[0];
                for (int v = 0; v < vectors; ++v) {
                    hn::StoreU(hn::Add(hn::LoadU(d, to + v * lanes), sum[r][v]), d, to + v * lanes);
                }
            } else {
                double all[columns_per_strip];
                for (int v = 0; v < vectors; ++v) hn::StoreU(sum[r][v], d, all + v * lanes);
                for (int c = 0; c < columns_per_strip; ++c) out[columns[c]] += all[c];
            }
        }
    }
}

void gram(const TileColumns& tile, const double* weight, double* work, double* matrix, std::int64_t stride) {
    const std::int64_t size = tile.num_coordinates * columns_per_strip;  // numbers of a strip
    double* plain = work;
    double* weighted = work + tile.num_strips * size;
    for (std::int64_t s = 0; s < tile.num_strips; ++s) {
        for (std::int64_t i = 0; i < tile.num_coordinates; ++i) {
            const V w = hn::Set(d, weight[i]);
            const std::int64_t begin = s * size + i * columns_per_strip;
            for (std::int64_t at = begin; at < begin + columns_per_strip; at += lanes) {
                const V value = hn::PromoteTo(d, hn::LoadU(narrow, tile.numbers + at));
                hn::StoreU(value, d, plain + at);
                hn::StoreU(hn::Mul(w, value), d, weighted + at);
            }
        }
    }
    for (std::int64_t a = 0; a < tile.num_strips; ++a) {
        for (std::int64_t b = a; b < tile.num_strips; ++b) {
            add_products(weighted + a * size, plain + b * size, tile.num_coordinates,
                         tile.column + a * columns_per_strip, tile.column + b * columns_per_strip, matrix, stride);
        }
    }
}

const ProjectionKernels* projection_table() {
    static constexpr ProjectionKernels all{&weigh, &multiply, &gram};
    return &all;
}

}  // namespace rigcast::inverse::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::inverse {

RIGCAST_EXPORT(projection_table);

RIGCAST_KERNEL_TABLE(ProjectionKernels, projection_kernels, projection_table)

}  // namespace rigcast::inverse
#endif
