// Included once per instruction set, so it has Highway's guard, not an ordinary one.
#if defined(RIGCAST_DIFFERENTIAL_RELU_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RIGCAST_DIFFERENTIAL_RELU_BLOCKS_INL_H
#undef RIGCAST_DIFFERENTIAL_RELU_BLOCKS_INL_H
#else
#define RIGCAST_DIFFERENTIAL_RELU_BLOCKS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "rigcast/differential/model/relu_layer.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::differential::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, ReluLayer::outputs_per_vector>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

/// Of many rows, six share the weights of 4 AVX-512 or 2 AVX2 vectors (6 * 4 sums of 32 registers, or 6 * 2 of 16),
/// from a copied block of 32 KB, which the first and second level of the cache hold. On a Zen core without AVX-512, 64
/// rows of four layers of 2,048 took 1.4 ms each by passes over all sums, .8 by blocks; of 8 rows, 1.3 and 1.9: the
/// copies wait for memory.
constexpr int rows_of_tile = 6;
constexpr int vectors_of_tile = lanes == 16 ? 4 : 2;
constexpr int inputs_of_block = 32;
constexpr int outputs_of_block = 256;

/// Loads weights of any storage as float32.
HWY_INLINE V load(const float* weight) {
    return hn::Load(d, weight);
}
template <class Stored>
HWY_INLINE V load(const Stored* weight) {
    return hn::PromoteTo(d, hn::Load(hn::Rebind<Stored, D>(), weight));
}

/// Weights of one block, widened. Its rows lie one after another: those of a layer are a power of two apart.
struct Block {
    HWY_ALIGN float weight[inputs_of_block * outputs_of_block];

    template <class Stored>
    HWY_INLINE void copy(const Stored* from, std::int64_t pitch, int inputs, int width) {
        for (int k = 0; k < inputs; ++k) {
            for (int at = 0; at < width; at += lanes) {
                hn::Store(load(from + k * pitch + at), d, weight + k * outputs_of_block + at);
            }
        }
    }
};

/// Adds the products of a block with `Count` rows of its inputs to their sums, for `Vectors` vectors from `at` on.
template <int Count, int Vectors>
HWY_INLINE void add_tile(const Block& block, int inputs, int at, Rows<const float> x, Rows<float> sums) {
    V sum[Count][Vectors];
    for (int p = 0; p < Count; ++p) {
        for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::Load(d, sums.row(p) + at + v * lanes);
    }
    const float* weight = block.weight + at;
    for (int k = 0; k < inputs; ++k, weight += outputs_of_block) {
        V w[Vectors];
        for (int v = 0; v < Vectors; ++v) w[v] = hn::Load(d, weight + v * lanes);
        for (int p = 0; p < Count; ++p) {
            const V value = hn::Set(d, x.row(p)[k]);
            for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::MulAdd(w[v], value, sum[p][v]);
        }
    }
    for (int p = 0; p < Count; ++p) {
        for (int v = 0; v < Vectors; ++v) hn::Store(sum[p][v], d, sums.row(p) + at + v * lanes);
    }
}

/// The same for `Count` rows and all outputs of the block.
template <int Count>
HWY_INLINE void add_strip(const Block& block, int inputs, int width, Rows<const float> x, Rows<float> sums) {
    int at = 0;
    for (; at + vectors_of_tile * lanes <= width; at += vectors_of_tile * lanes) {
        add_tile<Count, vectors_of_tile>(block, inputs, at, x, sums);
    }
    for (; at < width; at += lanes) add_tile<Count, 1>(block, inputs, at, x, sums);
}

/// sums += W x for many rows: the time is that of the products. A sum is that of a single row: inputs come in the same
/// order.
template <class Stored>
HWY_INLINE void add_many_rows(const ReluLayer& layer, const Stored* weight, Rows<const float> x, Rows<float> sums,
                              int count) {
    const std::int64_t pitch = layer.padded();
    Block block;
    for (int begin = 0; begin < layer.padded(); begin += outputs_of_block) {
        const int width = std::min(outputs_of_block, layer.padded() - begin);
        for (int first = 0; first < layer.inputs; first += inputs_of_block) {
            const int inputs = std::min(inputs_of_block, layer.inputs - first);
            block.copy(weight + first * pitch + begin, pitch, inputs, width);
            int p = 0;
            for (; p + rows_of_tile <= count; p += rows_of_tile) {
                add_strip<rows_of_tile>(block, inputs, width, x.from(p, first), sums.from(p, begin));
            }
            for (; p + 2 <= count; p += 2) add_strip<2>(block, inputs, width, x.from(p, first), sums.from(p, begin));
            for (; p < count; ++p) add_strip<1>(block, inputs, width, x.from(p, first), sums.from(p, begin));
        }
    }
}

}  // namespace rigcast::differential::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
