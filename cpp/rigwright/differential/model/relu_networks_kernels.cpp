#include <algorithm>

#include "rigwright/core/dispatch.h"
#include "rigwright/differential/model/relu_networks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
    "rigwright/differential/model/relu_networks_kernels.cpp"  // compiled once for every instruction set
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigwright::differential::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Dense::outputs_per_vector>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
constexpr int vectors_per_group = Dense::outputs_per_group / lanes;

/// Weights this many inputs ahead are prefetched: which inputs are used is known, but their places are irregular.
/// Chosen, not tuned.
constexpr std::int64_t prefetched = 12;

/// Loads weights of any storage as float32.
HWY_INLINE V load(const float* weight) {
    return hn::Load(d, weight);
}
template <class Stored>
HWY_INLINE V load(const Stored* weight) {
    return hn::PromoteTo(d, hn::Load(hn::Rebind<Stored, D>(), weight));
}

/// The inputs of a layer that are not 0.
struct Inputs {
    const std::int32_t* index;
    const float* value;
    std::int64_t count;
};

/// y = f(W x + b) for `Vectors` vectors of a group of `rows` outputs.
template <int Vectors, class Stored>
HWY_INLINE void sum_vectors(const Stored* weight, std::int64_t rows, const float* bias, const Inputs& inputs,
                            bool is_relu, float* y) {
    V sum[Vectors];
    for (int v = 0; v < Vectors; ++v) sum[v] = hn::Load(d, bias + v * lanes);
    for (std::int64_t i = 0; i < inputs.count; ++i) {
        const std::int64_t ahead = std::min(i + prefetched, inputs.count - 1);
        const Stored* next = weight + inputs.index[ahead] * rows;
        for (std::size_t byte = 0; byte < Vectors * lanes * sizeof(Stored); byte += 64) {
            hwy::Prefetch(reinterpret_cast<const char*>(next) + byte);
        }
        const Stored* w = weight + inputs.index[i] * rows;
        const V x = hn::Set(d, inputs.value[i]);
        for (int v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(load(w + v * lanes), x, sum[v]);
    }
    for (int v = 0; v < Vectors; ++v) {  // NaN stays NaN
        const V result = is_relu ? hn::IfThenZeroElse(hn::Le(sum[v], hn::Zero(d)), sum[v]) : sum[v];
        hn::Store(result, d, y + v * lanes);
    }
}

template <class Stored>
HWY_INLINE void layer_of(const Dense& layer, const Packed& packed, const Inputs& inputs, float* y) {
    const Stored* weight = packed.at<Stored>(layer.weight);
    const float* bias = packed.at(layer.bias);
    const bool is_relu = layer.activation == network::Activation::relu;
    for (std::int64_t begin = 0; begin < layer.padded(); begin += Dense::outputs_per_group) {
        const std::int64_t rows = std::min<std::int64_t>(Dense::outputs_per_group, layer.padded() - begin);
        if (rows == Dense::outputs_per_group) {
            sum_vectors<vectors_per_group>(weight, rows, bias + begin, inputs, is_relu, y + begin);
        } else {
            for (std::int64_t at = 0; at < rows; at += Dense::outputs_per_vector) {
                sum_vectors<Dense::outputs_per_vector / lanes>(weight + at, rows, bias + begin + at, inputs, is_relu,
                                                               y + begin + at);
            }
        }
        weight += rows * layer.inputs;
    }
}

void evaluate(const std::vector<ReluNetwork>& networks, const Packed& packed, const float* pose, float* outputs,
              float* memory, std::int64_t width) {
    float* x = memory;
    float* y = memory + width;
    float* value = y + width;
    auto* index = reinterpret_cast<std::int32_t*>(value + width);
    for (const ReluNetwork& network : networks) {
        for (std::size_t i = 0; i < network.column.size(); ++i) x[i] = pose[network.column[i]];
        for (const Dense& layer : network.layers) {
            std::int64_t count = 0;
            for (int i = 0; i < layer.inputs; ++i) {  // without branches: signs are random
                index[count] = i;
                value[count] = x[i];
                count += x[i] != 0.0f;
            }
            const Inputs inputs{index, value, count};
            switch (layer.storage) {
                case network::Storage::float32:
                    layer_of<float>(layer, packed, inputs, y);
                    break;
                case network::Storage::float16:
                    layer_of<hwy::float16_t>(layer, packed, inputs, y);
                    break;
                case network::Storage::bfloat16:
                    layer_of<hwy::bfloat16_t>(layer, packed, inputs, y);
                    break;
            }
            std::swap(x, y);
        }
        std::copy_n(x, network.outputs(), outputs + network.output_begin);
        if (network.layers.size() % 2 == 1) std::swap(x, y);
    }
}

}  // namespace rigwright::differential::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::differential {

HWY_EXPORT(evaluate);

void evaluate_relu_networks(const std::vector<ReluNetwork>& networks, const Packed& packed, const float* pose,
                            float* outputs, float* memory, std::int64_t width) {
    RIGWRIGHT_DISPATCH(evaluate)(networks, packed, pose, outputs, memory, width);
}

}  // namespace rigwright::differential
#endif
