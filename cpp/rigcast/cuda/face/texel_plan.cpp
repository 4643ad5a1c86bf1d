#include "rigcast/cuda/face/texel_plan.h"

#include "rigcast/network/packed.h"

namespace rigcast::cuda {
namespace {

using network::Convolution;
using network::TexelMask;
using Product = TexelProduct<int>;  // its sizes; they do not depend on how an output is finished

constexpr int taps_per_row(const Convolution& layer) {
    return layer.upsamples ? 2 : 3;
}

/// The texel of the map that is read, along an axis, by a tap of the texel at `place`: see network::Convolution.
int source_place(const Convolution& layer, int place, int tap) {
    return layer.upsamples ? place / 2 - 1 + place % 2 + tap : place - 1 + tap;
}

/// Where a weight lies in the layout of Convolution; the tap's row and column count from those of the parities.
std::int64_t packed_place(const Convolution& layer, int row, int input, int column, int output) {
    constexpr int group = network::Map<float>::channels_per_vector;
    const std::int64_t taps = layer.upsamples ? 4 : 3;  // along an axis, of all parities
    const std::int64_t rows = std::int64_t{output / group} * taps + row;
    return ((rows * layer.inputs + input) * taps + column) * group + output % group;
}

}  // namespace

TexelPlaces::TexelPlaces(int resolution)
    : resolution_(resolution), place_(static_cast<std::size_t>(resolution) * resolution, -1) {}

TexelPlaces::TexelPlaces(const TexelMask& needed) : TexelPlaces(needed.resolution()) {
    for (int row = 0; row < resolution_; ++row) {
        for (int column = 0; column < resolution_; ++column) {
            if (needed(row, column)) add(row, column);
        }
    }
}

TexelPlaces TexelPlaces::by_parity(const TexelMask& needed) {
    TexelPlaces places(needed.resolution());
    for (int parities = 0; parities < 4; ++parities) {
        for (int row = parities / 2; row < needed.resolution(); row += 2) {
            for (int column = parities % 2; column < needed.resolution(); column += 2) {
                if (needed(row, column)) places.add(row, column);
            }
        }
    }
    return places;
}

void TexelPlaces::add(int row, int column) {
    place_[static_cast<std::size_t>(row) * resolution_ + column] = count();
    texels_.push_back({row, column});
}

std::int32_t TexelPlaces::operator()(int row, int column) const {
    if (row < 0 || column < 0 || row >= resolution_ || column >= resolution_) return -1;
    return place_[static_cast<std::size_t>(row) * resolution_ + column];
}

void TexelPlan::add(const Convolution& layer, const network::Packed& packed, const DeviceMap& from, const DeviceMap& to,
                    std::int32_t refinement) {
    const int taps = taps_per_row(layer);
    const auto bias = static_cast<std::int64_t>(biases.size());
    biases.insert(biases.end(), packed.at(layer.bias), packed.at(layer.bias) + layer.outputs);
    const auto& texels = to.places.texels();
    const int parities = layer.upsamples ? 4 : 1;
    std::size_t begin = 0;
    for (int parity = 0; parity < parities; ++parity) {
        std::size_t end = begin;
        while (end < texels.size() && (parities == 1 || 2 * (texels[end].row % 2) + texels[end].column % 2 == parity)) {
            ++end;
        }
        const auto count = static_cast<std::int32_t>(end - begin);
        const TexelGroup group{from.column,
                               to.column + static_cast<std::int64_t>(begin),
                               bias,
                               static_cast<std::int64_t>(sources.size()),
                               layer.inputs,
                               layer.outputs,
                               from.places.count(),
                               to.places.count(),
                               taps * taps,
                               count,
                               refinement};
        for (int tap = 0; tap < taps * taps; ++tap) {
            for (std::size_t i = begin; i < end; ++i) {
                sources.push_back(from.places(source_place(layer, texels[i].row, tap / taps),
                                              source_place(layer, texels[i].column, tap % taps)));
            }
        }
        if (count > 0) add_group(layer, packed, parity / 2, parity % 2, group);
        begin = end;
    }
}

void TexelPlan::add_group(const Convolution& layer, const network::Packed& packed, int row_parity, int column_parity,
                          const TexelGroup& group) {
    const int taps = taps_per_row(layer);
    const float* from = packed.at(layer.weight);
    const auto index = static_cast<std::int32_t>(groups.size());
    groups.push_back(group);
    for (std::int32_t output = 0; output < group.outputs; output += Product::outputs_per_tile) {
        const auto weight = static_cast<std::int64_t>(weights.size());
        const int depth = group.taps * group.inputs;
        const int padded = (depth + Product::depth - 1) / Product::depth * Product::depth;
        weights.resize(weights.size() + static_cast<std::size_t>(padded) * Product::outputs_per_tile);
        float* to = weights.data() + weight;
        for (int k = 0; k < depth; ++k) {
            const int tap = k / group.inputs, input = k % group.inputs;
            const int row = tap / taps + 2 * row_parity, column = tap % taps + 2 * column_parity;
            for (int i = 0; i < Product::outputs_per_tile && output + i < group.outputs; ++i) {
                to[k * Product::outputs_per_tile + i] = from[packed_place(layer, row, input, column, output + i)];
            }
        }
        for (std::int32_t texel = 0; texel < group.texels; texel += Product::texels_per_tile) {
            tiles.push_back({weight, index, texel, output});
        }
    }
}

}  // namespace rigcast::cuda
