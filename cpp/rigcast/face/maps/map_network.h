#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/network/convolution.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/network/texel_runs.h"

namespace rigcast::face {

using network::Map;
using network::Packed;
using network::Rows;

/// The network that draws a segment's map, in one of two forms; see FaceMaps.
///
/// Convolutions: dense layers give a base map of B x B texels, U convolutions double its resolution, and one more
/// convolution follows. Basis: dense layers give coefficients, and the base map, of R x R texels and three channels, is
/// their combination of fixed maps; it is the result.
///
/// Only needed texels are computed: those that a vertex samples, and, layer by layer backwards, those that they read.
struct MapNetwork {
    static constexpr int most_dense = 8;   // with the basis
    static constexpr int most_layers = 9;  // convolutions: from one texel to the largest resolution, and one more
    /// Largest R and R^2 channels of a map: a file cannot ask for more memory than this.
    static constexpr int largest_resolution = 256;
    static constexpr std::int64_t most_numbers = std::int64_t{1} << 22;

    std::vector<network::Dense> dense;  // the last one gives the base map
    std::vector<network::Convolution> convolution;
    int base_resolution = 0;
    int base_channels = 0;
    /// Per map: its needed texels. The first is the base map, whose texels are what the last dense layer computes, in
    /// this order with the channels of a texel side by side; the others are results of the convolutions.
    std::vector<std::vector<network::TexelRun>> runs;

    int num_maps() const { return static_cast<int>(runs.size()); }
    /// R and channels of a map.
    int resolution(int map) const;
    int channels(int map) const;
    int final_resolution() const { return resolution(num_maps() - 1); }
    int final_channels() const { return channels(num_maps() - 1); }
    /// Products per evaluation: of the needed texels, or of all.
    std::int64_t multiply_adds(bool all_texels = false) const;
};

/// The sizes of a network in a file, checked against each other. Throws ArgumentError that names the tensor that is
/// missing or malformed.
struct MapNetworkTensors {
    /// `name` is the beginning of the names: "segment.000."; `inputs` the number of pose columns.
    MapNetworkTensors(const TensorFile& tensors, const std::string& name, std::int64_t inputs);

    std::vector<View<const float, 2>> dense_weight;
    std::vector<View<const float, 1>> dense_bias;
    std::vector<View<const float, 4>> weight;  // of the convolutions; none with a basis
    std::vector<View<const float, 1>> bias;
    View<const float, 2> output_weight;  // the identity with a basis
    View<const float, 1> output_bias;
    int base_resolution = 0;
    int base_channels = 0;

    bool has_basis() const { return weight.empty(); }
    int final_resolution() const { return has_basis() ? base_resolution : base_resolution << (weight.size() - 1); }

private:
    void read_dense(const TensorFile& tensors, const std::string& name, std::int64_t inputs);
    void read_basis(const TensorFile& tensors, const std::string& name);
    void read_convolutions(const TensorFile& tensors, const std::string& name);
    void check_sizes(const std::string& name) const;
};

/// Packs a network that computes the texels of `sampled`. The weights of its dense layers are stored as the file's
/// network_storage says; those of convolutions, a small share of the bytes, are always float32.
MapNetwork pack_map_network(const TensorFile& file, const MapNetworkTensors& tensors, const network::TexelMask& sampled,
                            Packed& packed, Packed& reverse);

/// The working memory of a network for `frames` rows of inputs, and one set of maps.
struct MapMemory {
    MapMemory(network::SplitMemory& split, const MapNetwork& network, int inputs, int frames);
    MapMemory(network::SplitMemory& split, const MapNetwork& network);  // maps alone

    std::array<Rows<float>, MapNetwork::most_dense + 1> row;  // inputs, and the result of each dense layer
    std::array<Map<float>, MapNetwork::most_layers + 1> map;
};

/// The base texels: the result of the last dense layer.
inline Rows<float> base_rows(const MapNetwork& network, const MapMemory& memory) {
    return memory.row[network.dense.size()];
}
/// Runs the dense layers on the first `frames` rows of inputs.
void run_dense(const MapNetwork& network, const Packed& packed, const MapMemory& memory, int frames);
/// Copies a row of base texels into the base map.
void scatter_base(const MapNetwork& network, const float* base, Map<float> map);
/// The reverse of scatter_base; the other texels of a row have none.
void gather_base(const MapNetwork& network, Map<const float> map, float* base);
/// Draws the maps from a row of base texels.
void draw_maps(const MapNetwork& network, const Packed& packed, const float* base, const MapMemory& memory,
               network::Ahead ahead = {});
/// The constants of a network's dense layers.
network::Ahead dense_constants(const MapNetwork& network, const Packed& packed);

}  // namespace rigcast::face
