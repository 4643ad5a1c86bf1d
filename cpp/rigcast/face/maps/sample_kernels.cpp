#include "rigcast/core/dispatch.h"
#include "rigcast/face/maps/map_segments.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/face/maps/sample_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::face::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, Map<float>::channels_per_vector>;
using Four = hn::CappedTag<float, 4>;  // a vertex's offset
using V = hn::Vec<D>;
constexpr D d;
[[maybe_unused]] constexpr Four four;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));

#if HWY_TARGET == HWY_SCALAR
/// Writes share bias plus the sums of all lanes of three vectors, and a zero.
HWY_INLINE void store_offset(V x, V y, V z, float share, const float* bias, float* offset) {
    const V sum[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis) offset[axis] = share * bias[axis] + hn::GetLane(sum[axis]);
    offset[3] = 0.0f;
}
#else
/// The sum of the blocks of four lanes.
HWY_INLINE hn::Vec<Four> sum_of_blocks(hn::Vec<Four> v) {
    return v;
}
template <class Wide>
HWY_INLINE hn::Vec<Four> sum_of_blocks(Wide v) {
    const hn::Half<hn::DFromV<Wide> > half;
    return sum_of_blocks(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
}

/// Writes share bias plus the sums of all lanes of three vectors, and a zero: transposes each block of four lanes, then
/// adds the blocks.
HWY_INLINE void store_offset(V x, V y, V z, float share, const float* bias, float* offset) {
    const hn::RepartitionToWide<D> wide;
    const V zero = hn::Zero(d);
    const V xy = hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y));
    const V z0 = hn::Add(hn::InterleaveLower(d, z, zero), hn::InterleaveUpper(d, z, zero));
    const auto a = hn::BitCast(wide, xy), b = hn::BitCast(wide, z0);
    const V low = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
    const V high = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    const auto sum = sum_of_blocks(hn::Add(low, high));
    hn::Store(hn::MulAdd(hn::Set(four, share), hn::Load(four, bias), sum), four, offset);
}
#endif

void evaluate(const MapSamples& samples, const Packed& packed, Map<const float> map, bool with_bias, float* offsets) {
    const MapSample* sample = packed.at<MapSample>(samples.sample);
    const float* weight = packed.at(samples.weight);
    const std::int64_t padded = map.stride, row = map.floats_per_row();
    alignas(64) static constexpr float zeros[4] = {};
    const float* bias = with_bias ? weight + 3 * padded : zeros;
    for (int m = 0; m < samples.count; ++m) {
        const float* texel = map.data + sample[m].offset;
        V sum[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        for (int c = 0; c < samples.channels; c += lanes) {
            V value = hn::Mul(hn::Set(d, sample[m].weight[0]), hn::Load(d, texel + c));
            value = hn::MulAdd(hn::Set(d, sample[m].weight[1]), hn::Load(d, texel + padded + c), value);
            value = hn::MulAdd(hn::Set(d, sample[m].weight[2]), hn::Load(d, texel + row + c), value);
            value = hn::MulAdd(hn::Set(d, sample[m].weight[3]), hn::Load(d, texel + row + padded + c), value);
            for (int axis = 0; axis < 3; ++axis) {
                sum[axis] = hn::MulAdd(hn::Load(d, weight + axis * padded + c), value, sum[axis]);
            }
        }
        store_offset(sum[0], sum[1], sum[2], sample[m].share, bias, offsets + 4 * m);
    }
}

void add_gradient(const MapSamples& samples, const Packed& packed, const float* cotangents, Map<float> gradient) {
    const MapSample* sample = packed.at<MapSample>(samples.sample);
    const float* weight = packed.at(samples.weight);
    const std::int64_t padded = gradient.stride, row = gradient.floats_per_row();
    for (int m = 0; m < samples.count; ++m) {
        const float* cotangent = cotangents + 4 * m;
        float* texel = gradient.data + sample[m].offset;
        float* const texels[4] = {texel, texel + padded, texel + row, texel + row + padded};
        for (int c = 0; c < samples.channels; c += lanes) {
            V value = hn::Zero(d);
            for (int axis = 0; axis < 3; ++axis) {
                value = hn::MulAdd(hn::Load(d, weight + axis * padded + c), hn::Set(d, cotangent[axis]), value);
            }
            for (int i = 0; i < 4; ++i) {
                const V sum = hn::MulAdd(hn::Set(d, sample[m].weight[i]), value, hn::Load(d, texels[i] + c));
                hn::Store(sum, d, texels[i] + c);
            }
        }
    }
}

const SampleKernels* table() {
    static constexpr SampleKernels kernels{&evaluate, &add_gradient};
    return &kernels;
}

}  // namespace rigcast::face::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::face {

RIGCAST_EXPORT(table);

RIGCAST_KERNEL_TABLE(SampleKernels, sample_kernels, table)

}  // namespace rigcast::face
#endif
