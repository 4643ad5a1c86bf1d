#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <utility>

#include "rigcast/core/dispatch.h"
#include "rigcast/network/activation.h"
#include "rigcast/network/convolution.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/network/convolution_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::network::HWY_NAMESPACE {
namespace {  // one instruction set's kernels of dense layers have the same namespace
namespace hn = hwy::HWY_NAMESPACE;

constexpr int group = Map<float>::channels_per_vector;
using D = hn::CappedTag<float, group>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

// Texels computed at once, each with its sum in a register: 24 sums, 4 weights and a value of 32 registers, or 10 sums,
// 4 weights and a value of 16. More share each load of weights.
constexpr int most_texels = lanes == group ? 24 : 10;

/// One vector of outputs at neighboring texels of a row.
struct Strip {
    const float* weight;  // of the outputs' vector
    const float* bias;
    const float* x;  // the first row of inputs, at the first column that a tap of the first texel reads
    std::int64_t x_row;
    std::int64_t x_stride;
    int inputs;
    float slope;  // of the leaky ReLU; 1: none
    float* y;
    std::int64_t y_stride;
    const std::byte* ahead;   // what to prefetch, a step for each input of each row of taps
    std::int64_t ahead_step;  // 0: nothing, the same line again and again
};
constexpr std::int64_t bytes_ahead_per_step = 128;  // two cache lines; chosen, not tuned

HWY_INLINE void prefetch(const std::byte*& ahead, std::int64_t step) {
    hwy::Prefetch(ahead);
    hwy::Prefetch(ahead + bytes_ahead_per_step / 2);
    ahead += step;
}

/// y = max(s, slope s): a leaky ReLU with a slope of at most 1. NaN stays NaN: both operands are NaN then.
HWY_INLINE void store(const Strip& strip, V sum, int texel) {
    const V activated = hn::Max(sum, hn::Mul(sum, hn::Set(d, strip.slope)));
    hn::Store(activated, d, strip.y + texel * strip.y_stride);
}

/// Adds the products of column `Column` of the inputs, read once, to the sums of the texels that it is a tap of. Texel
/// t of a 3 x 3 convolution reads columns t to t + 2.
template <int Texels, int Column>
HWY_INLINE void add_column(V x, const V* weight, V* sum) {
    if constexpr (Column < Texels) sum[Column] = hn::MulAdd(weight[0], x, sum[Column]);
    if constexpr (Column >= 1 && Column <= Texels) sum[Column - 1] = hn::MulAdd(weight[1], x, sum[Column - 1]);
    if constexpr (Column >= 2) sum[Column - 2] = hn::MulAdd(weight[2], x, sum[Column - 2]);
}
template <int Texels, int... Column>
HWY_INLINE void add_columns(const float* x, std::int64_t stride, const V* weight, V* sum,
                            std::integer_sequence<int, Column...>) {
    (add_column<Texels, Column>(hn::Set(d, x[Column * stride]), weight, sum), ...);
}

/// A 3 x 3 convolution.
template <int Texels>
void convolve(const Strip& strip) {
    V sum[Texels];
    for (int t = 0; t < Texels; ++t) sum[t] = hn::Load(d, strip.bias);
    const float* w = strip.weight;
    const std::byte* ahead = strip.ahead;
    for (int row = 0; row < 3; ++row) {
        const float* x = strip.x + row * strip.x_row;
        for (int i = 0; i < strip.inputs; ++i, w += 3 * group) {
            prefetch(ahead, strip.ahead_step);
            const V weight[3] = {hn::Load(d, w), hn::Load(d, w + group), hn::Load(d, w + 2 * group)};
            add_columns<Texels>(x + i, strip.x_stride, weight, sum, std::make_integer_sequence<int, Texels + 2>());
        }
    }
    for (int t = 0; t < Texels; ++t) store(strip, sum[t], t);
}

/// The same after an upsampling: Pairs is half the texels. Texels 2 p and 2 p + 1 read columns p, p + 1 and p + 1, p +
/// 2 of the small map.
template <int Pairs, int Column>
HWY_INLINE void add_small_column(V x, const V* weight, V* sum) {
    if constexpr (Column < Pairs) sum[2 * Column] = hn::MulAdd(weight[0], x, sum[2 * Column]);
    if constexpr (Column >= 1 && Column <= Pairs) {
        sum[2 * Column - 2] = hn::MulAdd(weight[1], x, sum[2 * Column - 2]);
        sum[2 * Column - 1] = hn::MulAdd(weight[2], x, sum[2 * Column - 1]);
    }
    if constexpr (Column >= 2) sum[2 * Column - 3] = hn::MulAdd(weight[3], x, sum[2 * Column - 3]);
}
template <int Pairs, int... Column>
HWY_INLINE void add_small_columns(const float* x, std::int64_t stride, const V* weight, V* sum,
                                  std::integer_sequence<int, Column...>) {
    (add_small_column<Pairs, Column>(hn::Set(d, x[Column * stride]), weight, sum), ...);
}

template <int Pairs>
void convolve_upsampled(const Strip& strip) {
    V sum[2 * Pairs];
    for (int t = 0; t < 2 * Pairs; ++t) sum[t] = hn::Load(d, strip.bias);
    const float* w = strip.weight;
    const std::byte* ahead = strip.ahead;
    for (int row = 0; row < 2; ++row) {
        const float* x = strip.x + row * strip.x_row;
        for (int i = 0; i < strip.inputs; ++i, w += 4 * group) {
            prefetch(ahead, strip.ahead_step);
            const V weight[4] = {hn::Load(d, w), hn::Load(d, w + group), hn::Load(d, w + 2 * group),
                                 hn::Load(d, w + 3 * group)};
            add_small_columns<Pairs>(x + i, strip.x_stride, weight, sum, std::make_integer_sequence<int, Pairs + 2>());
        }
    }
    for (int t = 0; t < 2 * Pairs; ++t) store(strip, sum[t], t);
}

/// The reverse of an upsampling: texel t of the small map reads columns 2 t to 2 t + 3 of four rows.
template <int Texels>
void gather(const Strip& strip) {
    V sum[Texels];
    for (int t = 0; t < Texels; ++t) sum[t] = hn::Zero(d);
    const float* w = strip.weight;
    for (int row = 0; row < 4; ++row) {
        for (int i = 0; i < strip.inputs; ++i) {
            const float* x = strip.x + row * strip.x_row + i;
            for (int column = 0; column < 4; ++column, w += group) {
                const V weight = hn::Load(d, w);
                for (int t = 0; t < Texels; ++t) {
                    sum[t] = hn::MulAdd(weight, hn::Set(d, x[(2 * t + column) * strip.x_stride]), sum[t]);
                }
            }
        }
    }
    for (int t = 0; t < Texels; ++t) hn::Store(sum[t], d, strip.y + t * strip.y_stride);
}
constexpr int texels_per_gather = 4;

using Kernel = void (*)(const Strip&);
template <int... N>
constexpr std::array<Kernel, sizeof...(N)> convolve_table(std::integer_sequence<int, N...>) {
    return {&convolve<N + 1>...};
}
template <int... N>
constexpr std::array<Kernel, sizeof...(N)> upsampled_table(std::integer_sequence<int, N...>) {
    return {&convolve_upsampled<N + 1>...};
}
constexpr auto convolve_kernels = convolve_table(std::make_integer_sequence<int, most_texels>());
constexpr auto upsampled_kernels = upsampled_table(std::make_integer_sequence<int, most_texels / 2>());

/// Calls body(begin, count) for the fewest pieces of `length` that have at most `most` each, nearly equal.
template <class Body>
HWY_INLINE void for_pieces(int length, int most, const Body& body) {
    const int pieces = (length + most - 1) / most;
    for (int piece = 0, begin = 0; piece < pieces; ++piece) {
        const int count = (length - begin) / (pieces - piece);
        body(begin, count);
        begin += count;
    }
}

/// Computes the texels of runs from packed weights, and prefetches while it does.
void convolve_runs(const Convolution& layer, const float* weights, const float* bias, float slope, Map<const float> x,
                   std::span<const TexelRun> runs, Map<float> y, Ahead& soon) {
    const bool upsamples = layer.upsamples;
    const int texels_per_step = upsamples ? 2 : 1, taps = upsamples ? 4 : 3, packed_rows = upsamples ? 4 : 3;
    Strip strip{nullptr,  nullptr,
                nullptr,  x.floats_per_row(),
                x.stride, layer.inputs,
                slope,    nullptr,
                y.stride, reinterpret_cast<const std::byte*>(weights),
                0};
    const std::int64_t bytes_per_strip = bytes_ahead_per_step * layer.inputs * (upsamples ? 2 : 3);
    for (const TexelRun& run : runs) {
        // The first row of taps: above the texel, or of two rows of the small map, of which odd rows read the lower
        // ones.
        const int first_row = upsamples ? run.row / 2 - 1 + run.row % 2 : run.row - 1;
        const std::int64_t parity = upsamples ? run.row % 2 * std::int64_t{2} : 0;
        for (int output = 0; output < layer.outputs; output += lanes) {
            const std::int64_t row_size = std::int64_t{layer.inputs} * taps * group;
            strip.weight = weights + (output / group * packed_rows + parity) * row_size + output % group;
            strip.bias = bias + output;
            for_pieces((run.end - run.begin) / texels_per_step, most_texels / texels_per_step,
                       [&](int begin, int count) {
                           const int column = run.begin / texels_per_step + begin;
                           strip.x = x.texel(first_row, column - 1);
                           strip.y = y.texel(run.row, column * texels_per_step) + output;
                           strip.ahead_step = soon.end - soon.next >= bytes_per_strip ? bytes_ahead_per_step : 0;
                           if (strip.ahead_step > 0) {
                               strip.ahead = soon.next;
                               soon.next += bytes_per_strip;
                           }
                           (upsamples ? upsampled_kernels[count - 1] : convolve_kernels[count - 1])(strip);
                       });
        }
    }
}

void gather_runs(const Convolution& layer, const float* weights, Map<const float> y, std::span<const TexelRun> runs,
                 Map<float> x) {
    Strip strip{nullptr,  nullptr, nullptr, y.floats_per_row(), y.stride, layer.outputs, 1.0f, nullptr,
                x.stride, nullptr, 0};
    for (const TexelRun& run : runs) {
        for (int input = 0; input < layer.inputs; input += lanes) {
            strip.weight = weights + std::int64_t{input / group} * 16 * layer.outputs * group + input % group;
            for (int k = run.begin; k < run.end;) {
                strip.x = y.texel(2 * run.row - 1, 2 * k - 1);
                strip.y = x.texel(run.row, k) + input;
                const bool several = k + texels_per_gather <= run.end;
                several ? gather<texels_per_gather>(strip) : gather<1>(strip);
                k += several ? texels_per_gather : 1;
            }
        }
    }
}

/// gradient *= f', computed from the values y.
void times_slope(int channels, Map<const float> y, std::span<const TexelRun> runs, Map<float> gradient) {
    const V slope = hn::Set(d, leaky_slope);
    for (const TexelRun& run : runs) {
        for (int k = run.begin; k < run.end; ++k) {
            for (int c = 0; c < channels; c += lanes) {
                float* at = gradient.texel(run.row, k) + c;
                const V value = hn::Load(d, y.texel(run.row, k) + c), g = hn::Load(d, at);
                hn::Store(hn::IfThenElse(hn::Gt(value, hn::Zero(d)), g, hn::Mul(g, slope)), d, at);
            }
        }
    }
}

void forward(const Convolution& layer, const Packed& packed, Map<const float> x, std::span<const TexelRun> runs,
             Map<float> y, Ahead& ahead) {
    convolve_runs(layer, packed.at(layer.weight), packed.at(layer.bias), leaky_slope, x, runs, y, ahead);
}

/// Zeros in place of biases, for up to as many outputs as one vector of the packed layout.
void linear(const Convolution& layer, const float* weights, Map<const float> x, std::span<const TexelRun> runs,
            Map<float> y) {
    Convolution one = layer;
    Ahead nothing;
    for (int output = 0; output < layer.outputs; output += group) {
        alignas(64) static constexpr float zeros[group] = {};
        one.outputs = std::min(group, layer.outputs - output);
        const int taps = layer.upsamples ? 16 : 9;
        Map<float> part = y;
        part.data += output;
        convolve_runs(one, weights + std::int64_t{output} * taps * layer.inputs, zeros, 1.0f, x, runs, part, nothing);
    }
}

void jvp(const Convolution& layer, const Packed& packed, Map<const float> y, Map<const float> x_tangent,
         std::span<const TexelRun> runs, Map<float> y_tangent) {
    linear(layer, packed.at(layer.weight), x_tangent, runs, y_tangent);
    times_slope(layer.outputs, y, runs, y_tangent);
}

void vjp(const Convolution& layer, const Packed& reverse, Map<const float> y, std::span<const TexelRun> y_runs,
         Map<float> y_gradient, std::span<const TexelRun> x_runs, Map<float> x_gradient) {
    times_slope(layer.outputs, y, y_runs, y_gradient);
    if (layer.upsamples) return gather_runs(layer, reverse.at(layer.reverse), y_gradient, x_runs, x_gradient);
    Convolution mirrored = layer;
    std::swap(mirrored.inputs, mirrored.outputs);
    linear(mirrored, reverse.at(layer.reverse), y_gradient, x_runs, x_gradient);
}

}  // namespace

const ConvolutionKernels* convolution_table() {
    static constexpr ConvolutionKernels kernels{&forward, &jvp, &vjp};
    return &kernels;
}

}  // namespace rigcast::network::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::network {

RIGCAST_EXPORT(convolution_table);

RIGCAST_KERNEL_TABLE(ConvolutionKernels, convolution_kernels, convolution_table)

}  // namespace rigcast::network
#endif
