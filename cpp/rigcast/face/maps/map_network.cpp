#include "rigcast/face/maps/map_network.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/network/model_storage.h"

namespace rigcast::face {
namespace {

using network::Activation;
using network::TexelMask;
using network::TexelRun;

/// Gaps between needed texels that are computed, too: a piece of a row costs about as much as these. Chosen, not tuned.
constexpr int filled_gap = 4;

[[noreturn]] void refuse(const std::string& name, const std::string& what, const std::string& must) {
    throw bad_argument("load", name, what, must);
}

/// B, if a dense layer has C0 B^2 outputs; `of_what` says what the channels are.
int base_resolution_of(const std::string& name, std::int64_t outputs, std::int64_t channels, const char* of_what) {
    const std::int64_t texels = outputs / channels;
    const auto resolution = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(texels))));
    if (outputs == 0 || resolution > MapNetwork::largest_resolution || channels * resolution * resolution != outputs) {
        refuse(name, "of " + std::to_string(outputs) + " rows",
               std::to_string(channels) + " (" + of_what + ") times a square of at most " +
                   std::to_string(MapNetwork::largest_resolution) + "^2 texels");
    }
    return static_cast<int>(resolution);
}

/// Rows of the last dense layer for the needed base texels: the channels of one texel after those of another. In the
/// file, channels come first: row c B^2 + j B + i.
struct BaseRows {
    BaseRows(const MapNetworkTensors& tensors, const std::vector<TexelRun>& runs) {
        const auto& all = tensors.dense_weight.back();
        const std::int64_t channels = tensors.base_channels, side = tensors.base_resolution;
        for (const TexelRun& run : runs) {
            for (int k = run.begin; k < run.end; ++k) {
                for (std::int64_t c = 0; c < channels; ++c) {
                    const std::int64_t row = (c * side + run.row) * side + k;
                    weight.insert(weight.end(), all.row(row), all.row(row + 1));
                    bias.push_back(tensors.dense_bias.back()(row));
                }
            }
        }
    }

    std::vector<float> weight;
    std::vector<float> bias;
};

std::vector<std::vector<TexelRun>> needed_runs(const TexelMask& sampled, int convolutions) {
    std::vector<std::vector<TexelRun>> runs(convolutions + 1);
    if (convolutions == 0) {
        runs[0] = sampled.runs();
        return runs;
    }
    TexelMask needed = sampled.without_gaps(filled_gap);
    runs[convolutions] = needed.runs();
    if (convolutions == 1) {
        runs[0] = needed.needed_by_convolution().runs();
        return runs;
    }
    needed = needed.needed_by_convolution();
    for (int map = convolutions - 1; map > 0; --map) {
        needed = needed.with_pairs().without_gaps(filled_gap);
        runs[map] = needed.runs();
        needed = needed.needed_by_upsampling();
    }
    runs[0] = needed.runs();
    return runs;
}

std::int64_t num_texels(const std::vector<TexelRun>& runs) {
    std::int64_t count = 0;
    for (const TexelRun& run : runs) count += run.end - run.begin;
    return count;
}

}  // namespace

MapNetworkTensors::MapNetworkTensors(const TensorFile& tensors, const std::string& name, std::int64_t inputs) {
    read_dense(tensors, name, inputs);
    if (tensors.contains(name + "basis.weight")) {
        read_basis(tensors, name);
    } else {
        read_convolutions(tensors, name);
    }
    check_sizes(name);
}

void MapNetworkTensors::read_dense(const TensorFile& tensors, const std::string& name, std::int64_t inputs) {
    std::int64_t width = inputs;
    do {
        const std::string layer = name + "dense" + std::to_string(dense_weight.size() + 1);
        dense_weight.push_back(tensors.get<float, 2>(layer + ".weight", {-1, width}));
        width = dense_weight.back().extent(0);
        dense_bias.push_back(tensors.get<float, 1>(layer + ".bias", {width}));
        if (width == 0) refuse(layer + ".weight", "without rows", "of at least one row");
    } while (dense_weight.size() < 2 ||
             (dense_weight.size() + 1 < MapNetwork::most_dense &&
              tensors.contains(name + "dense" + std::to_string(dense_weight.size() + 1) + ".weight")));
}

void MapNetworkTensors::read_basis(const TensorFile& tensors, const std::string& name) {
    static constexpr float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zeros[3] = {};
    if (tensors.contains(name + "conv1.weight")) refuse(name + "conv1.weight", "beside a basis", "left out");
    dense_weight.push_back(tensors.get<float, 2>(name + "basis.weight", {-1, dense_weight.back().extent(0)}));
    dense_bias.push_back(tensors.get<float, 1>(name + "basis.bias", {dense_weight.back().extent(0)}));
    output_weight = {identity, {3, 3}};
    output_bias = {zeros, {3}};
    base_channels = 3;
    base_resolution = base_resolution_of(name + "basis.weight", dense_weight.back().extent(0), 3, "axes");
}

void MapNetworkTensors::read_convolutions(const TensorFile& tensors, const std::string& name) {
    const auto layer_name = [&](std::size_t layer) { return name + "conv" + std::to_string(layer + 1); };
    std::int64_t channels = -1;
    do {
        const std::string layer = layer_name(weight.size());
        weight.push_back(tensors.get<float, 4>(layer + ".weight", {-1, channels, 3, 3}));
        channels = weight.back().extent(0);
        bias.push_back(tensors.get<float, 1>(layer + ".bias", {channels}));
        if (channels == 0 || weight.back().extent(1) == 0)
            refuse(layer + ".weight", "empty", "of at least one channel");
    } while (weight.size() < MapNetwork::most_layers && tensors.contains(layer_name(weight.size()) + ".weight"));
    output_weight = tensors.get<float, 2>(name + "output.weight", {3, channels});
    output_bias = tensors.get<float, 1>(name + "output.bias", {3});
    const std::int64_t first = weight[0].extent(1);
    base_resolution = base_resolution_of(name + "dense" + std::to_string(dense_weight.size()) + ".weight",
                                         dense_weight.back().extent(0), first, "channels of the first convolution");
    base_channels = static_cast<int>(std::min(first, MapNetwork::most_numbers + 1));
}

void MapNetworkTensors::check_sizes(const std::string& name) const {
    const std::int64_t resolution = std::int64_t{base_resolution} << (has_basis() ? 0 : weight.size() - 1);
    if (resolution < 2 || resolution > MapNetwork::largest_resolution) {
        refuse(name + (has_basis() ? "basis.weight" : "conv*"),
               "layers that give a map of " + std::to_string(resolution) + "^2 texels",
               "for a map of 2^2 to " + std::to_string(MapNetwork::largest_resolution) + "^2 texels");
    }
    for (std::size_t layer = 0; layer < weight.size(); ++layer) {
        const std::int64_t widest = std::max(weight[layer].extent(0), weight[layer].extent(1));
        if (network::padded_channels(static_cast<int>(std::min<std::int64_t>(widest, 1 << 24))) >
            MapNetwork::most_numbers / (resolution * resolution)) {
            refuse(name + "conv" + std::to_string(layer + 1) + ".weight", "of " + std::to_string(widest) + " channels",
                   "of fewer: a map has at most " + std::to_string(MapNetwork::most_numbers) + " numbers");
        }
    }
}

MapNetwork pack_map_network(const TensorFile& file, const MapNetworkTensors& tensors, const TexelMask& sampled,
                            Packed& packed, Packed& reverse) {
    MapNetwork result;
    const int convolutions = static_cast<int>(tensors.weight.size());
    result.base_resolution = tensors.base_resolution;
    result.base_channels = tensors.base_channels;
    result.runs = needed_runs(sampled, convolutions);
    const std::size_t last = tensors.dense_weight.size() - 1, linear = tensors.has_basis() ? last - 1 : last;
    // The storage is that of the whole matrix, so that a restricted model rounds alike.
    const auto storage = [&](std::size_t layer) { return network::layer_storage(file, tensors.dense_weight[layer]); };
    for (std::size_t layer = 0; layer < last; ++layer) {
        const Activation bent = tensors.has_basis() ? Activation::smooth_leaky_relu : Activation::leaky_relu;
        const Activation activation = layer < linear ? bent : Activation::none;
        result.dense.push_back(network::pack_dense(tensors.dense_weight[layer], tensors.dense_bias[layer], activation,
                                                   packed, storage(layer)));
    }
    const BaseRows rows(tensors, result.runs[0]);
    const auto count = static_cast<std::int64_t>(rows.bias.size());
    result.dense.push_back(network::pack_dense({rows.weight.data(), {count, tensors.dense_weight[last].extent(1)}},
                                               {rows.bias.data(), {count}}, Activation::none, packed, storage(last)));
    for (int layer = 0; layer < convolutions; ++layer) {
        result.convolution.push_back(network::pack_convolution(tensors.weight[layer], tensors.bias[layer],
                                                               layer + 1 < convolutions, packed, reverse));
    }
    return result;
}

int MapNetwork::resolution(int map) const {
    return base_resolution << std::max(std::min(map, num_maps() - 2), 0);
}

int MapNetwork::channels(int map) const {
    return map == 0 ? base_channels : convolution[map - 1].outputs;
}

std::int64_t MapNetwork::multiply_adds(bool all_texels) const {
    const std::int64_t base = all_texels ? std::int64_t{base_resolution} * base_resolution : num_texels(runs[0]);
    std::int64_t sum = std::int64_t{dense.back().inputs} * base * base_channels;
    for (std::size_t i = 0; i + 1 < dense.size(); ++i) sum += std::int64_t{dense[i].outputs} * dense[i].inputs;
    for (int map = 1; map < num_maps(); ++map) {
        const std::int64_t side = resolution(map);
        sum += convolution[map - 1].multiply_adds() * (all_texels ? side * side : num_texels(runs[map]));
    }
    return sum;
}

MapMemory::MapMemory(network::SplitMemory& split, const MapNetwork& network) {
    for (int i = 0; i < network.num_maps(); ++i) {
        map[i] = Map<float>(nullptr, network.resolution(i), network::padded_channels(network.channels(i)));
        map[i].data = split.take(static_cast<std::size_t>(map[i].size()));
    }
}

MapMemory::MapMemory(network::SplitMemory& split, const MapNetwork& network, int num_inputs, int frames)
    : MapMemory(split, network) {
    const auto rows = [&](int width) {
        const std::size_t stride = Scratch::padded(static_cast<std::size_t>(width));
        return Rows<float>(split.take(stride * frames), static_cast<std::int64_t>(stride));
    };
    row[0] = rows(num_inputs);
    for (std::size_t i = 0; i < network.dense.size(); ++i) row[i + 1] = rows(network.dense[i].outputs);
}

void run_dense(const MapNetwork& network, const Packed& packed, const MapMemory& memory, int frames) {
    const network::DenseKernels& kernels = network::dense_kernels();
    for (std::size_t i = 0; i < network.dense.size(); ++i) {
        kernels.dense(network.dense[i], packed, memory.row[i], memory.row[i + 1], frames);
    }
}

void scatter_base(const MapNetwork& network, const float* base, Map<float> map) {
    for (const TexelRun& run : network.runs[0]) {
        for (int k = run.begin; k < run.end; ++k, base += network.base_channels) {
            float* const texel = map.texel(run.row, k);
            std::copy_n(base, network.base_channels, texel);
            std::fill(texel + network.base_channels, texel + map.stride, 0.0f);  // a last map is sampled whole
        }
    }
}

void gather_base(const MapNetwork& network, Map<const float> map, float* base) {
    for (const TexelRun& run : network.runs[0]) {
        for (int k = run.begin; k < run.end; ++k, base += network.base_channels) {
            std::copy_n(map.texel(run.row, k), network.base_channels, base);
        }
    }
}

void draw_maps(const MapNetwork& network, const Packed& packed, const float* base, const MapMemory& memory,
               network::Ahead ahead) {
    const network::ConvolutionKernels& kernels = network::convolution_kernels();
    network::clear_border(memory.map[0]);
    scatter_base(network, base, memory.map[0]);
    for (int i = 1; i < network.num_maps(); ++i) {
        kernels.forward(network.convolution[i - 1], packed, memory.map[i - 1], network.runs[i], memory.map[i], ahead);
        if (i + 1 < network.num_maps()) network::clear_border(memory.map[i]);
    }
}

network::Ahead dense_constants(const MapNetwork& network, const Packed& packed) {
    return {packed.at<std::byte>(network.dense.front().weight), packed.at<std::byte>(network.dense.back().bias)};
}

}  // namespace rigcast::face
