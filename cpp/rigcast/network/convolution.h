#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "rigcast/core/view.h"
#include "rigcast/network/packed.h"
#include "rigcast/network/texel_runs.h"

namespace rigcast::network {

/// A square map of R x R texels inside a border one texel wide: the channels of a texel lie side by side, `stride`
/// floats from those of the next. Convolutions read the border, which must be zero, so that they need no special cases.
/// Requires: `data` begins at a cache line.
template <class T>
struct Map {
    static constexpr int channels_per_vector = 16;  // floats of a cache line and of an AVX-512 vector

    T* data = nullptr;
    int resolution = 0;
    int stride = 0;

    Map() = default;
    Map(T* memory, int texels_per_row, int floats_per_texel)
        : data(memory), resolution(texels_per_row), stride(floats_per_texel) {}
    /// A writable map converts to a read-only one.
    template <class U>
    requires std::is_same_v<T, const U> Map(const Map<U>& other)
        : data(other.data), resolution(other.resolution), stride(other.stride) {}

    std::int64_t floats_per_row() const { return std::int64_t{resolution + 2} * stride; }
    std::int64_t size() const { return (resolution + 2) * floats_per_row(); }
    /// The offset of a texel's channels in `data`.
    std::int64_t offset(int row, int column) const { return (row + 1) * floats_per_row() + (column + 1) * stride; }
    T* texel(int row, int column) const { return data + offset(row, column); }
};

/// Channels rounded up to whole vectors: the stride of a map.
constexpr int padded_channels(int channels) {
    constexpr int vector = Map<float>::channels_per_vector;
    return (channels + vector - 1) / vector * vector;
}

/// Sets a map's border to zero.
void clear_border(Map<float> map);

/// A 3 x 3 convolution (cross-correlation, as in PyTorch's Conv2d) with zero padding and a leaky ReLU, alone or after
/// an upsampling of the map to twice the resolution by nearest neighbors.
///
/// Upsampled texels are copies, so the texels of odd and even rows and columns each see a 2 x 2 convolution of the
/// small map, whose weights are sums of the 3 x 3 ones: 4 products in place of 9, the same up to rounding.
/// Layout: outputs in groups of 16, padded with zeros; a group is stored by rows of taps, then inputs, then taps of the
/// row. Upsampling: by the parity of the row (2), rows (2), inputs, the parity of the column (2), columns (2).
struct Convolution {
    int inputs = 0;
    int outputs = 0;
    bool upsamples = false;
    std::size_t weight = 0;  // offsets into the Packed that the layer was packed into
    std::size_t bias = 0;
    std::size_t reverse = 0;  // into the Packed for the reverse: weights of the gradient with respect to the input

    /// Products per texel of the result.
    std::int64_t multiply_adds() const { return std::int64_t{upsamples ? 4 : 9} * inputs * outputs; }
};

/// Packs W (outputs, inputs, 3, 3) and b (outputs) into `packed`, and the weights of the reverse into `reverse`.
/// Sums of weights are rounded once, from double precision.
Convolution pack_convolution(View<const float, 4> weight, View<const float, 1> bias, bool upsamples, Packed& packed,
                             Packed& reverse);

/// Constants that are needed soon. A convolution is bound by its products, so the memory is free to load them
/// meanwhile: `forward` prefetches from `next` on, up to `end`, and advances `next`.
struct Ahead {
    const std::byte* next = nullptr;
    const std::byte* end = nullptr;
};

/// The operations of a convolution, compiled for the instruction set in use. Each computes the texels of `runs` and
/// reads those that they need: see TexelMask. Runs after an upsampling begin and end at even columns.
/// Guarantee: the result of a texel does not depend on the other texels.
/// Requires: strides are multiples of 16 and at least the channels; maps of the result have the convolution's
/// resolution.
struct ConvolutionKernels {
    /// y = leaky_relu(W * x + b).
    void (*forward)(const Convolution& layer, const Packed& packed, Map<const float> x, std::span<const TexelRun> runs,
                    Map<float> y, Ahead& ahead);
    /// y_tangent = (W * x_tangent) f', with f' computed from y.
    void (*jvp)(const Convolution& layer, const Packed& packed, Map<const float> y, Map<const float> x_tangent,
                std::span<const TexelRun> runs, Map<float> y_tangent);
    /// The gradient with respect to x at the texels of `x_runs`. y_gradient must be zero outside of `y_runs`, and is
    /// overwritten by y_gradient f' there.
    void (*vjp)(const Convolution& layer, const Packed& reverse, Map<const float> y, std::span<const TexelRun> y_runs,
                Map<float> y_gradient, std::span<const TexelRun> x_runs, Map<float> x_gradient);
};
const ConvolutionKernels& convolution_kernels();

}  // namespace rigcast::network
