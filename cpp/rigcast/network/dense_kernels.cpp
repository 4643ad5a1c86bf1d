#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "rigcast/core/dispatch.h"
#include "rigcast/network/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/network/dense_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigcast/network/tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::network::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Dense::outputs_per_vector>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

// Register tiles: a single row computes 64 outputs at once; six (or three) rows share weights, with so few vectors of
// outputs that all sums and weights stay in registers: 6 * 4 + 4 of 32, or 6 * 2 + 2 of 16.
constexpr int vectors_per_single_row = lanes == 16 ? 4 : 8;
constexpr int vectors_per_shared_row = lanes == 16 ? 4 : 2;

/// Loads weights of any storage as float32.
HWY_INLINE V load(const float* weight) {
    return hn::Load(d, weight);
}
template <class Stored>
HWY_INLINE V load(const Stored* weight) {
    const auto stored = hn::Load(hn::Rebind<Stored, D>(), weight);
    if constexpr (std::is_integral_v<Stored>) {
        return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), stored));
    } else {
        return hn::PromoteTo(d, stored);
    }
}

/// Calls body(x), where x has the type of the stored weights.
template <class Body>
HWY_INLINE void for_storage(Storage storage, const Body& body) {
    switch (storage) {
        case Storage::float32:
            return body(float());
        case Storage::float16:
            return body(hwy::float16_t());
        case Storage::bfloat16:
            return body(hwy::bfloat16_t());
        case Storage::int16:
            return body(std::int16_t());
        case Storage::int8:
            return body(std::int8_t());
    }
}

/// One group of output rows.
template <class Stored>
struct Group {
    const Stored* weight;
    const float* scale;  // of each input, for whole numbers
    const float* bias;   // null in derivatives
    std::int64_t rows;   // outputs, padded
    std::int64_t begin;  // its first output
    std::int64_t inputs;

    /// x times the scale of input k. The scale is a power of two, so this is as exact as scaling the weights.
    HWY_INLINE float scaled(float x, std::int64_t k) const {
        if constexpr (std::is_integral_v<Stored>) return x * scale[k];
        return x;
    }
};

/// An activation: its values, and a gradient times its derivative at the values y. NaN stays NaN.
struct Tanh {
    static HWY_INLINE V value(V x) { return tanh(d, x); }
    static HWY_INLINE V times_slope(V gradient, V y) {
        return hn::Mul(gradient, hn::NegMulAdd(y, y, hn::Set(d, 1.0f)));
    }
};
struct Relu {
    static HWY_INLINE V value(V x) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), x); }
    static HWY_INLINE V times_slope(V gradient, V y) { return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), gradient); }
};
struct LeakyRelu {
    static HWY_INLINE V value(V x) { return times_slope(x, x); }
    static HWY_INLINE V times_slope(V gradient, V y) {
        return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), gradient, hn::Mul(gradient, hn::Set(d, leaky_slope)));
    }
};

struct SmoothLeakyRelu {
    static HWY_INLINE V value(V x) {
        const V r = hn::Add(x, hn::Set(d, 1.0f));
        const V inside = hn::IfThenZeroElse(hn::Le(r, hn::Zero(d)), r);
        const V square = hn::Mul(hn::Mul(inside, inside), hn::Set(d, 0.25f * (1.0f - leaky_slope)));
        return hn::IfThenElse(hn::Gt(x, hn::Set(d, 1.0f)), x, hn::MulAdd(hn::Set(d, leaky_slope), x, square));
    }
    static HWY_INLINE V times_slope(V gradient, V y) {
        const V line = hn::MulAdd(hn::Set(d, 1.0f - leaky_slope), y, hn::Set(d, leaky_slope));
        const V low = hn::Max(line, hn::Set(d, leaky_slope * leaky_slope));
        return hn::Mul(gradient, hn::Sqrt(hn::Min(low, hn::Set(d, 1.0f))));
    }
};

/// Calls body(f) with the functions of an activation, or not at all for the identity. Activations are separate passes
/// over sums in the L1 cache, so that the product kernels are compiled once, not per activation.
template <class Body>
HWY_INLINE void for_activation(Activation activation, const Body& body) {
    switch (activation) {
        case Activation::none:
            return;
        case Activation::tanh:
            return body(Tanh());
        case Activation::relu:
            return body(Relu());
        case Activation::leaky_relu:
            return body(LeakyRelu());
        case Activation::smooth_leaky_relu:
            return body(SmoothLeakyRelu());
    }
}

/// y = f(y) for `width` elements per row.
void activate(Activation activation, Rows<float> y, std::int64_t width, int count) {
    for_activation(activation, [&](auto f) {
        for (int p = 0; p < count; ++p) {
            float* row = y.row(p);
            for (std::int64_t i = 0; i < width; i += lanes) hn::Store(f.value(hn::Load(d, row + i)), d, row + i);
        }
    });
}

/// gradient *= f', computed from the values y, for `width` elements per row.
void times_slope(Activation activation, Rows<const float> y, Rows<float> gradient, std::int64_t width, int count) {
    for_activation(activation, [&](auto f) {
        for (int p = 0; p < count; ++p) {
            float* row = gradient.row(p);
            for (std::int64_t i = 0; i < width; i += lanes) {
                hn::Store(f.times_slope(hn::Load(d, row + i), hn::Load(d, y.row(p) + i)), d, row + i);
            }
        }
    });
}

/// The product of `Count` rows of x with `Vectors` vectors of outputs, from output `first` of the group on.
template <int Count, int Vectors, class Stored>
HWY_INLINE void tile(const Group<Stored>& group, std::int64_t first, Rows<const float> x, Rows<float> y) {
    V sum[Count][Vectors];
    for (int v = 0; v < Vectors; ++v) {
        const V bias = group.bias ? hn::Load(d, group.bias + first + v * lanes) : hn::Zero(d);
        for (int p = 0; p < Count; ++p) sum[p][v] = bias;
    }
    const Stored* weight = group.weight + first;
    for (std::int64_t k = 0; k < group.inputs; ++k, weight += group.rows) {
        V w[Vectors];
        for (int v = 0; v < Vectors; ++v) w[v] = load(weight + v * lanes);
        for (int p = 0; p < Count; ++p) {
            const V value = hn::Set(d, group.scaled(x.row(p)[k], k));
            for (int v = 0; v < Vectors; ++v) sum[p][v] = hn::MulAdd(w[v], value, sum[p][v]);
        }
    }
    for (int p = 0; p < Count; ++p) {
        for (int v = 0; v < Vectors; ++v) {
            hn::Store(sum[p][v], d, y.row(p) + group.begin + first + v * lanes);
        }
    }
}

/// All outputs of a group from `first` on, in tiles of `Vectors` vectors, then of fewer.
template <int Count, int Vectors, class Stored>
HWY_INLINE void strip(const Group<Stored>& group, std::int64_t first, Rows<const float> x, Rows<float> y) {
    for (; first + Vectors * lanes <= group.rows; first += Vectors * lanes) {
        tile<Count, Vectors>(group, first, x, y);
    }
    if constexpr (Vectors * lanes > Dense::outputs_per_vector) strip<Count, Vectors / 2>(group, first, x, y);
}

/// Calls body(group) for all groups of output rows.
template <class Body>
HWY_INLINE void for_groups(const Dense& layer, const Packed& packed, bool with_bias, const Body& body) {
    for_storage(layer.storage, [&](auto example) {
        using Stored = decltype(example);
        const std::byte* at = packed.at<std::byte>(layer.weight);
        for (std::int64_t begin = 0; begin < layer.padded(); begin += Dense::outputs_per_group) {
            const std::int64_t rows = std::min<std::int64_t>(Dense::outputs_per_group, layer.padded() - begin);
            const float* bias = with_bias ? packed.at(layer.bias) + begin : nullptr;
            const float* scale = reinterpret_cast<const float*>(at);
            const Stored* weight = reinterpret_cast<const Stored*>(at + layer.bytes_of_scales());
            body(Group<Stored>{weight, scale, bias, rows, begin, layer.inputs});
            at = reinterpret_cast<const std::byte*>(weight + rows * layer.inputs);
        }
    });
}

void dense(const Dense& layer, const Packed& packed, Rows<const float> x, Rows<float> y, int count) {
    for_groups(layer, packed, true, [&](const auto& group) {
        int p = 0;
        for (; p + 6 <= count; p += 6) strip<6, vectors_per_shared_row>(group, 0, x.from(p), y.from(p));
        for (; p + 3 <= count; p += 3) strip<3, vectors_per_shared_row>(group, 0, x.from(p), y.from(p));
        for (; p < count; ++p) strip<1, vectors_per_single_row>(group, 0, x.from(p), y.from(p));
        activate(layer.activation, y.from(0, group.begin), group.rows, count);
    });
}

void dense_jvp(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<const float> x_tangent,
               Rows<float> y_tangent, int count) {
    for_groups(layer, packed, false, [&](const auto& group) {
        int p = 0;
        for (; p + 3 <= count; p += 3) strip<3, vectors_per_shared_row>(group, 0, x_tangent.from(p), y_tangent.from(p));
        for (; p < count; ++p) strip<1, vectors_per_single_row>(group, 0, x_tangent.from(p), y_tangent.from(p));
        times_slope(layer.activation, y.from(0, group.begin), y_tangent.from(0, group.begin), group.rows, count);
    });
}

/// x_gradient += W^T y_gradient for one row and the weights of one group of outputs.
template <class Stored>
HWY_INLINE void add_transposed(const Group<Stored>& group, const float* y_gradient, float* x_gradient) {
    const Stored* weight = group.weight;
    for (std::int64_t k = 0; k < group.inputs; ++k, weight += group.rows) {
        V sum = hn::Zero(d);
        for (std::int64_t row = 0; row < group.rows; row += lanes) {
            sum = hn::MulAdd(load(weight + row), hn::Load(d, y_gradient + group.begin + row), sum);
        }
        x_gradient[k] += group.scaled(hn::GetLane(hn::SumOfLanes(d, sum)), k);
    }
}

void dense_vjp(const Dense& layer, const Packed& packed, Rows<const float> y, Rows<float> y_gradient,
               Rows<float> x_gradient, int count) {
    times_slope(layer.activation, y, y_gradient, layer.padded(), count);
    for (int p = 0; p < count; ++p) {
        std::fill_n(x_gradient.row(p), layer.padded_inputs(), 0.0f);
        for_groups(layer, packed, false,
                   [&](const auto& group) { add_transposed(group, y_gradient.row(p), x_gradient.row(p)); });
    }
}

void tanh_of(const float* x, float* y, std::size_t count) {
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(tanh(d, hn::LoadU(d, x + i)), d, y + i);
    const hn::CappedTag<float, 1> one;
    for (; i < count; ++i) hn::StoreU(tanh(one, hn::LoadU(one, x + i)), one, y + i);
}

const DenseKernels* table() {
    static constexpr DenseKernels kernels{&dense, &dense_vjp, &dense_jvp};
    return &kernels;
}

}  // namespace rigcast::network::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::network {

RIGCAST_EXPORT(table);
RIGCAST_EXPORT(tanh_of);

RIGCAST_KERNEL_TABLE(DenseKernels, dense_kernels, table)

void tanh(const float* x, float* y, std::size_t count) {
    RIGCAST_DISPATCH(tanh_of)(x, y, count);
}

}  // namespace rigcast::network
#endif
