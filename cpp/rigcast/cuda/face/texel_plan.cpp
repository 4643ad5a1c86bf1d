#include "rigcast/cuda/face/texel_plan.h"

#include "rigcast/network/packed.h"

namespace rigcast::cuda {
namespace {

using network::Convolution;
using network::TexelMask;
using Product = TexelProduct<int, 1, 1, 1>;  // its tiles are those of all shapes

/// Rows or columns of cells.
int cells_along(const TexelPlaces& places) {
    return (places.resolution() + 1) / 2;
}

/// Where a weight lies in the layout of Convolution; row and column are those of the matrix.
std::int64_t packed_place(const Convolution& layer, int row, int input, int column, int output) {
    constexpr int group = network::Map<float>::channels_per_vector;
    const std::int64_t matrices = layer.upsamples ? 4 : 3;  // along an axis
    const std::int64_t rows = std::int64_t{output / group} * matrices + row;
    return ((rows * layer.inputs + input) * matrices + column) * group + output % group;
}

}  // namespace

TexelPlaces::TexelPlaces(const TexelMask& needed)
    : resolution_(needed.resolution()), place_(static_cast<std::size_t>(resolution_) * resolution_, -1) {
    for (int row = 0; row < resolution_; ++row) {
        for (int column = 0; column < resolution_; ++column) {
            if (needed(row, column)) place_[static_cast<std::size_t>(row) * resolution_ + column] = count_++;
        }
    }
}

std::int32_t TexelPlaces::operator()(int row, int column) const {
    if (row < 0 || column < 0 || row >= resolution_ || column >= resolution_) return -1;
    return place_[static_cast<std::size_t>(row) * resolution_ + column];
}

void TexelPlan::add(const Convolution& layer, const network::Packed& packed, const DeviceMap& from, const DeviceMap& to,
                    std::int32_t refinement) {
    TexelGroup group{from.column,
                     to.column,
                     static_cast<std::int64_t>(biases.size()),
                     static_cast<std::int64_t>(sources.size()),
                     static_cast<std::int64_t>(targets.size()),
                     layer.inputs,
                     layer.outputs,
                     0,
                     layer.upsamples,
                     refinement};
    biases.insert(biases.end(), packed.at(layer.bias), packed.at(layer.bias) + layer.outputs);
    group.cells = add_cells(from.places, to.places, layer.upsamples);
    const auto index = static_cast<std::int32_t>(groups.size());
    groups.push_back(group);
    for (std::int32_t output = 0; output < group.outputs; output += Product::outputs_per_tile) {
        const auto weight = static_cast<std::int64_t>(weights.size());
        add_weights(layer, packed, group, output);
        for (std::int32_t cell = 0; cell < group.cells; cell += Product::cells_per_tile) {
            tiles.push_back({weight, index, cell, output});
        }
    }
}

/// Lists what cells with a needed texel read and write. Returns how many there are.
std::int32_t TexelPlan::add_cells(const TexelPlaces& from, const TexelPlaces& to, bool upsamples) {
    std::vector<int> cells;
    const auto target = [&](int cell, int parity) {
        return to(2 * (cell / cells_along(to)) + parity / 2, 2 * (cell % cells_along(to)) + parity % 2);
    };
    for (int cell = 0; cell < cells_along(to) * cells_along(to); ++cell) {
        bool is_needed = false;
        for (int parity = 0; parity < TexelGroup::parities; ++parity) is_needed |= target(cell, parity) >= 0;
        if (is_needed) cells.push_back(cell);
    }
    const int taps = upsamples ? 3 : 4;
    const int step = upsamples ? 1 : 2;  // texels from the first tap of a cell to that of the next
    for (int tap = 0; tap < taps * taps; ++tap) {
        for (const int cell : cells) {
            sources.push_back(
                from(cell / cells_along(to) * step - 1 + tap / taps, cell % cells_along(to) * step - 1 + tap % taps));
        }
    }
    for (int parity = 0; parity < TexelGroup::parities; ++parity) {
        for (const int cell : cells) targets.push_back(target(cell, parity));
    }
    return static_cast<std::int32_t>(cells.size());
}

/// Adds the matrices of 16 outputs, row by row, tile by tile in the order in which lanes read them.
void TexelPlan::add_weights(const Convolution& layer, const network::Packed& packed, const TexelGroup& group,
                            std::int32_t first_output) {
    const float* from = packed.at(layer.weight);
    for (int matrix = 0; matrix < group.matrices() * group.matrices(); ++matrix) {
        const int row = matrix / group.matrices(), column = matrix % group.matrices();
        for (int first = 0; first < group.inputs; first += FloatTile::depth) {
            FloatRowTile& tile = weights.emplace_back();
            for (int lane = 0; lane < lanes_per_warp; ++lane) {
                for (int i = 0; i < FloatTile::row_numbers; ++i) {
                    const int output = first_output + texel_output(FloatTile::row(lane, i));
                    const int input = first + FloatTile::row_depth(lane, i);
                    if (output >= group.outputs || input >= group.inputs) continue;
                    tile.half[i / 4][lane].value[i % 4] = from[packed_place(layer, row, input, column, output)];
                }
            }
        }
    }
}

}  // namespace rigcast::cuda
