#include <algorithm>

#include "rigcast/core/dispatch.h"
#include "rigcast/differential/model/relu_layer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
    "rigcast/differential/model/relu_layer_kernels.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigcast/differential/model/relu_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::differential::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int outputs_in_registers = 64;  // of a single row: 4 AVX-512 or 8 AVX2 vectors
/// Inputs whose products are added at once to sums in the first-level cache. Measured on a Zen 5 core, four layers of
/// 2,048 with half of the inputs at 0, against runs of 64 outputs with sums in registers: 1.15 ms became .73 with 8
/// inputs (4: .77, 16: .72).
constexpr int inputs_per_pass = 8;
/// The same for a few rows; so many weights stay in 32 or 16 registers.
constexpr int inputs_of_few_rows = lanes == 16 ? 16 : 8;
constexpr int many_rows = 24;  // go by blocks, see relu_blocks-inl.h; chosen between 8 and 64, not tuned

/// Calls body(weights of the layer).
template <class Body>
HWY_INLINE void with_weights(const ReluLayer& layer, const Packed& packed, const Body& body) {
    switch (layer.storage) {
        case network::Storage::float32:
            return body(packed.at(layer.weight));
        case network::Storage::float16:
            return body(packed.at<hwy::float16_t>(layer.weight));
        case network::Storage::bfloat16:
            return body(packed.at<hwy::bfloat16_t>(layer.weight));
        case network::Storage::int16:
        case network::Storage::int8:
            return;  // choose_storage never gives it
    }
}

/// The inputs of a row that are not 0.
struct Inputs {
    const std::int32_t* index;
    const float* value;
    std::int64_t count;
};

Inputs nonzero(const float* x, int size, float* memory) {
    float* value = memory;
    auto* index = reinterpret_cast<std::int32_t*>(memory + size);
    std::int64_t count = 0;
    for (int i = 0; i < size; ++i) {  // without branches: signs are random
        index[count] = i;
        value[count] = x[i];
        count += x[i] != 0.0f;
    }
    return {index, value, count};
}

/// Adds the products of all inputs to `Vectors` vectors of sums, kept in registers. Rows of weights are `stride` apart.
template <int Vectors, class Stored>
HWY_INLINE void add_in_registers(const Stored* weight, std::int64_t stride, const Inputs& inputs, float* sums) {
    V sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = hn::Load(d, sums + v * lanes);
    for (std::int64_t i = 0; i < inputs.count; ++i) {
        const Stored* w = weight + inputs.index[i] * stride;
        const V x = hn::Set(d, inputs.value[i]);
        for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(load(w + v * lanes), x, sum[v]);
    }
    for (int v = 0; v < Vectors; ++v) hn::Store(sum[v], d, sums + v * lanes);
}

/// Adds the products of `Count` inputs from `first` on to all sums.
template <int Count, class Stored>
HWY_INLINE void add_pass(const Stored* weight, std::int64_t pitch, std::int64_t width, const Inputs& inputs,
                         std::int64_t first, float* sums) {
    const Stored* row[Count];
    const Stored* next[Count];
    V x[Count];
    for (int k = 0; k < Count; ++k) {
        row[k] = weight + inputs.index[first + k] * pitch;
        next[k] = weight + inputs.index[std::min(first + k + Count, inputs.count - 1)] * pitch;
        x[k] = hn::Set(d, inputs.value[first + k]);
    }
    constexpr std::int64_t per_line = 64 / static_cast<std::int64_t>(sizeof(Stored));
    for (std::int64_t at = 0; at < width; at += lanes) {
        // Half as many bytes per run end before the hardware's prefetch of the next runs begins.
        if (sizeof(Stored) == 2 && at % per_line == 0) {
            for (int k = 0; k < Count; ++k) hwy::Prefetch(next[k] + at);
        }
        V sum = hn::Load(d, sums + at);
        for (int k = 0; k < Count; ++k) sum = hn::MulAdd(load(row[k] + at), x[k], sum);
        hn::Store(sum, d, sums + at);
    }
}

/// sums += W x for one row.
template <class Stored>
HWY_INLINE void add_products(const ReluLayer& layer, const Stored* weight, const Inputs& inputs, float* sums) {
    const std::int64_t width = layer.padded();
    if (width == outputs_in_registers) {
        return add_in_registers<outputs_in_registers / lanes>(weight, width, inputs, sums);
    }
    if (width < outputs_in_registers) {
        for (std::int64_t at = 0; at < width; at += ReluLayer::outputs_per_vector) {
            add_in_registers<ReluLayer::outputs_per_vector / lanes>(weight + at, width, inputs, sums + at);
        }
        return;
    }
    std::int64_t i = 0;
    for (; i + inputs_per_pass <= inputs.count; i += inputs_per_pass) {
        add_pass<inputs_per_pass>(weight, layer.padded(), width, inputs, i, sums);
    }
    for (; i < inputs.count; ++i) add_pass<1>(weight, layer.padded(), width, inputs, i, sums);
}

/// y = relu(y). NaN stays NaN.
HWY_INLINE void apply_relu(float* y, std::int64_t width) {
    for (std::int64_t at = 0; at < width; at += lanes) {
        const V x = hn::Load(d, y + at);
        hn::Store(hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), x), d, y + at);
    }
}

/// gradient = 0 if y is not above 0.
HWY_INLINE void times_slope(const float* y, float* gradient, std::int64_t width) {
    for (std::int64_t at = 0; at < width; at += lanes) {
        const V slope = hn::IfThenElseZero(hn::Gt(hn::Load(d, y + at), hn::Zero(d)), hn::Load(d, gradient + at));
        hn::Store(slope, d, gradient + at);
    }
}

void evaluate_row(const ReluLayer& layer, const Packed& packed, const float* x, float* y, float* memory) {
    const Inputs inputs = nonzero(x, layer.inputs, memory);
    std::copy_n(packed.at(layer.bias), layer.padded(), y);
    with_weights(layer, packed, [&](const auto* weight) { add_products(layer, weight, inputs, y); });
    if (layer.has_relu) apply_relu(y, layer.padded());
}

/// Adds the products of `Count` inputs from `first` on to the sums of all rows. Weights are read once, in runs as long
/// as those of single rows, and stay in registers while rows go by.
template <int Count, class Stored>
HWY_INLINE void add_few_rows_pass(const ReluLayer& layer, const Stored* weight, int first, Rows<const float> x,
                                  Rows<float> sums, int count) {
    const std::int64_t pitch = layer.padded();
    const Stored* row = weight + first * pitch;
    for (std::int64_t at = 0; at < layer.padded(); at += lanes) {
        V w[Count];
        for (int k = 0; k < Count; ++k) w[k] = load(row + k * pitch + at);
        for (int p = 0; p < count; ++p) {
            const float* value = x.row(p) + first;
            V sum = hn::Load(d, sums.row(p) + at);
            for (int k = 0; k < Count; ++k) sum = hn::MulAdd(w[k], hn::Set(d, value[k]), sum);
            hn::Store(sum, d, sums.row(p) + at);
        }
    }
}

/// sums += W x for a few rows: the time is that of reading weights.
template <class Stored>
HWY_INLINE void add_few_rows(const ReluLayer& layer, const Stored* weight, Rows<const float> x, Rows<float> sums,
                             int count) {
    int first = 0;
    for (; first + inputs_of_few_rows <= layer.inputs; first += inputs_of_few_rows) {
        add_few_rows_pass<inputs_of_few_rows>(layer, weight, first, x, sums, count);
    }
    for (; first < layer.inputs; ++first) add_few_rows_pass<1>(layer, weight, first, x, sums, count);
}

void evaluate(const ReluLayer& layer, const Packed& packed, Rows<const float> x, Rows<float> y, int count,
              float* memory) {
    if (count == 1) return evaluate_row(layer, packed, x.row(0), y.row(0), memory);
    const float* bias = packed.at(layer.bias);
    for (int p = 0; p < count; ++p) std::copy_n(bias, layer.padded(), y.row(p));
    with_weights(layer, packed, [&](const auto* weight) {
        if (count < many_rows) {
            add_few_rows(layer, weight, x, y, count);
        } else {
            add_many_rows(layer, weight, x, y, count);
        }
    });
    if (!layer.has_relu) return;
    for (int p = 0; p < count; ++p) apply_relu(y.row(p), layer.padded());
}

void jvp(const ReluLayer& layer, const Packed& packed, const float* y, const float* x_tangent, float* y_tangent,
         float* memory) {
    const Inputs inputs = nonzero(x_tangent, layer.inputs, memory);
    std::fill_n(y_tangent, layer.padded(), 0.0f);
    with_weights(layer, packed, [&](const auto* weight) { add_products(layer, weight, inputs, y_tangent); });
    if (layer.has_relu) times_slope(y, y_tangent, layer.padded());
}

/// The product of a row of weights with a gradient.
template <class Stored>
HWY_INLINE float dot(const Stored* weight, const float* gradient, std::int64_t width) {
    constexpr int chains = 4;  // hide the latency of additions
    V sum[chains] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    std::int64_t at = 0;
    for (; at + chains * lanes <= width; at += chains * lanes) {
        for (int c = 0; c < chains; ++c) {
            sum[c] = hn::MulAdd(load(weight + at + c * lanes), hn::Load(d, gradient + at + c * lanes), sum[c]);
        }
    }
    for (; at < width; at += lanes) sum[0] = hn::MulAdd(load(weight + at), hn::Load(d, gradient + at), sum[0]);
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
}

void vjp(const ReluLayer& layer, const Packed& packed, const float* x, bool skips, const float* y, float* y_gradient,
         float* x_gradient) {
    const std::int64_t width = layer.padded();
    if (layer.has_relu) times_slope(y, y_gradient, width);
    std::fill_n(x_gradient, layer.padded_inputs(), 0.0f);
    with_weights(layer, packed, [&](const auto* weight) {
        for (int i = 0; i < layer.inputs; ++i) {
            if (!skips || x[i] != 0.0f)
                x_gradient[i] = dot(weight + std::int64_t{i} * layer.padded(), y_gradient, width);
        }
    });
}

const ReluLayerKernels* relu_layer_table() {
    static constexpr ReluLayerKernels kernels{&evaluate, &jvp, &vjp};
    return &kernels;
}

}  // namespace rigcast::differential::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::differential {

RIGCAST_EXPORT(relu_layer_table);

RIGCAST_KERNEL_TABLE(ReluLayerKernels, relu_layer_kernels, relu_layer_table)

}  // namespace rigcast::differential
#endif
