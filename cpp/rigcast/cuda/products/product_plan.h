#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/cuda/products/grouped_product.h"
#include "rigcast/network/dense.h"

namespace rigcast::cuda {

/// The matrices of one layer in the layout of GroupedProduct, on the host. The outputs of the groups are adjacent, in
/// the order in which the groups were added.
struct ProductPlan {
    explicit ProductPlan(network::Activation f) : activation(f) {}

    /// Adds a group with weight (outputs, inputs) and bias (outputs) that reads the input columns from `first_input`
    /// on. `storage` is the format of its weights on the device, which must be able to represent them; int16 and int8
    /// have a scale per input and `rows_per_block` outputs. Returns its first output column.
    std::int64_t add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias,
                     network::Storage storage = network::Storage::float32, std::int32_t rows_per_block = 1);
    /// Adds a packed layer in the format in which it is stored.
    std::int64_t add(std::int64_t first_input, const network::Dense& layer, const network::Packed& packed);

    /// Tiles of at most inputs_per_piece inputs, if a layer has so few tiles with such long sums that blocks of whole
    /// sums would leave most of a device idle: a layer of 2,048 x 2,048 has 32 tiles, and one pose took an H100 .17 ms.
    /// Otherwise none. It depends on the layer alone, so that a frame has the same bytes in any batch. Batches that
    /// fill a device add the pieces in registers instead (GroupedProduct).
    std::vector<ProductTile> pieces() const;

    /// The matrices of all groups in their order as float32, for libraries.
    std::vector<float> widened() const;

    /// The matrices as tiles (TiledWeights), and the groups with their first tiles.
    struct Tiles {
        std::vector<ProductGroup> groups;
        std::vector<FloatRowTile> wide;
        std::vector<StoredRowTile<4>> words;
        std::vector<StoredRowTile<2>> bytes;
    };
    Tiles tiled() const;

    static constexpr std::int32_t outputs_per_tile = 64;  // GroupedProduct
    static constexpr std::int64_t many_tiles = 128;       // about the multiprocessors of a large device

    network::Activation activation;
    std::int64_t output_width = 0;
    std::vector<ProductGroup> groups;
    std::vector<ProductTile> tiles;
    std::vector<float> weights;        // of the groups in float32
    std::vector<std::uint16_t> words;  // of the groups in 16 bits
    std::vector<std::int8_t> bytes;    // of the groups in int8
    std::vector<float> scales;         // of int16 and int8
    std::vector<float> biases;

private:
    float weight(const ProductGroup& group, std::int64_t output, std::int64_t input) const;
    template <class Add>
    static void for_tiles(const ProductGroup& group, const Add& add);
    template <class T, class At>
    static auto stored_tile(const std::vector<T>& numbers, std::int64_t first, const At& at);
    std::int64_t append_weights(View<const float, 2> weight, network::Storage storage);
    void append_blocks(View<const float, 2> weight, network::Storage storage, std::int32_t rows_per_block);
};

/// Appends whole numbers and scales. The numbers are those that the weights were widened from: scales are powers of
/// two, and block_scale of numbers that were rounded to multiples of a scale is that scale.
inline void ProductPlan::append_blocks(View<const float, 2> weight, network::Storage storage,
                                       std::int32_t rows_per_block) {
    const std::int64_t inputs = weight.extent(1);
    for (std::int64_t first = 0; first < weight.extent(0); first += rows_per_block) {
        const std::int64_t end = std::min(first + rows_per_block, weight.extent(0));
        std::vector<float> scale(static_cast<std::size_t>(inputs));
        for (std::int64_t row = first; row < end; ++row) {
            for (std::int64_t k = 0; k < inputs; ++k) scale[k] = std::max(scale[k], std::abs(weight(row, k)));
        }
        for (float& value : scale) value = network::block_scale(storage, value);
        for (std::int64_t row = first; row < end; ++row) {
            for (std::int64_t k = 0; k < inputs; ++k) {
                const int whole = network::to_whole(weight(row, k), scale[k]);
                if (storage == network::Storage::int8) {
                    bytes.push_back(static_cast<std::int8_t>(whole));
                } else {
                    words.push_back(static_cast<std::uint16_t>(whole));
                }
            }
        }
        scales.insert(scales.end(), scale.begin(), scale.end());
    }
}

/// Appends a matrix without blocks. Returns the index of its first number.
inline std::int64_t ProductPlan::append_weights(View<const float, 2> weight, network::Storage storage) {
    if (storage == network::Storage::float32) {
        weights.insert(weights.end(), weight.begin(), weight.end());
        return static_cast<std::int64_t>(weights.size()) - weight.size();
    }
    const auto narrowed = storage == network::Storage::float16 ? network::to_float16 : network::to_bfloat16;
    std::transform(weight.begin(), weight.end(), std::back_inserter(words), narrowed);
    return static_cast<std::int64_t>(words.size()) - weight.size();
}

inline std::int64_t ProductPlan::add(std::int64_t first_input, View<const float, 2> weight, View<const float, 1> bias,
                                     network::Storage storage, std::int32_t rows_per_block) {
    const std::int64_t outputs = weight.extent(0);
    const std::int64_t first_output = output_width;
    const auto group = static_cast<std::int32_t>(groups.size());
    const auto first_scale = static_cast<std::int64_t>(scales.size());
    std::int64_t first_weight = 0;
    if (network::has_blocks(storage)) {
        first_weight = static_cast<std::int64_t>(storage == network::Storage::int8 ? bytes.size() : words.size());
        append_blocks(weight, storage, rows_per_block);
    } else {
        first_weight = append_weights(weight, storage);
    }
    groups.push_back({first_input, first_output, first_weight, static_cast<std::int64_t>(biases.size()),
                      static_cast<std::int32_t>(outputs), static_cast<std::int32_t>(weight.extent(1)), storage,
                      rows_per_block, first_scale});
    for (std::int64_t first = 0; first < outputs; first += outputs_per_tile) {
        tiles.push_back({group, static_cast<std::int32_t>(first), 0, groups.back().inputs});
    }
    biases.insert(biases.end(), bias.begin(), bias.end());
    output_width += outputs;
    return first_output;
}

inline std::int64_t ProductPlan::add(std::int64_t first_input, const network::Dense& layer,
                                     const network::Packed& packed) {
    std::vector<float> weight(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    const View<float, 2> matrix(weight.data(), {layer.outputs, layer.inputs});
    network::unpack_weights(layer, packed, matrix);
    return add(first_input, matrix, {packed.at(layer.bias), {layer.outputs}}, layer.storage,
               network::Dense::outputs_per_group);
}

inline std::vector<ProductTile> ProductPlan::pieces() const {
    const auto is_long = [](const ProductTile& tile) { return tile.end > 2 * inputs_per_piece; };
    const bool is_idle = static_cast<std::int64_t>(tiles.size()) < many_tiles;
    std::vector<ProductTile> result;
    if (!is_idle || std::none_of(tiles.begin(), tiles.end(), is_long)) return result;
    for (const ProductTile& tile : tiles) {
        for (std::int32_t piece = 0; piece == 0 || piece * inputs_per_piece < tile.end; ++piece) {
            const std::int32_t begin = piece * inputs_per_piece;
            result.push_back({tile.group, tile.first, begin, std::min(begin + inputs_per_piece, tile.end), piece});
        }
    }
    return result;
}

inline std::vector<float> ProductPlan::widened() const {
    std::vector<float> result;
    for (const ProductGroup& group : groups) {
        for (std::int64_t i = 0; i < group.outputs; ++i) {
            for (std::int64_t k = 0; k < group.inputs; ++k) result.push_back(weight(group, i, k));
        }
    }
    return result;
}

inline float ProductPlan::weight(const ProductGroup& group, std::int64_t output, std::int64_t input) const {
    const std::int64_t index = group.weight + output * group.inputs + input;
    switch (group.storage) {
        case network::Storage::float32:
            return weights[index];
        case network::Storage::float16:
            return network::from_float16(words[index]);
        case network::Storage::bfloat16:
            return network::from_bfloat16(words[index]);
        default:
            break;
    }
    const float scale = scales[group.scale + output / group.rows_per_block * group.inputs + input];
    const auto whole =
        group.storage == network::Storage::int8 ? std::int16_t{bytes[index]} : static_cast<std::int16_t>(words[index]);
    return static_cast<float>(whole) * scale;
}

/// Calls add(at) for the tiles of a group in the order of TiledWeights; at(lane, i) is the index of number i of a lane
/// in the group's matrix, or -1 beyond it.
template <class Add>
void ProductPlan::for_tiles(const ProductGroup& group, const Add& add) {
    for (std::int32_t first = 0; first < group.outputs; first += outputs_per_tile) {
        const std::int32_t end = std::min(first + outputs_per_tile, group.outputs);
        for (std::int32_t depth = 0; depth < group.inputs; depth += FloatTile::depth) {
            for (std::int32_t row = first; row < end; row += FloatTile::rows) {
                add([&](int lane, int i) {
                    const std::int64_t output = row + FloatTile::row(lane, i);
                    const std::int64_t input = depth + FloatTile::row_depth(lane, i);
                    return output < group.outputs && input < group.inputs ? output * group.inputs + input
                                                                          : std::int64_t{-1};
                });
            }
        }
    }
}

/// A tile of numbers as they are stored.
template <class T, class At>
auto ProductPlan::stored_tile(const std::vector<T>& numbers, std::int64_t first, const At& at) {
    constexpr int per_word = 4 / sizeof(T);
    StoredRowTile<FloatTile::row_numbers / per_word> tile{};
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        for (int i = 0; i < FloatTile::row_numbers; ++i) {
            if (at(lane, i) < 0) continue;
            const auto bits = static_cast<std::make_unsigned_t<T>>(numbers[first + at(lane, i)]);
            tile.lane[lane].word[i / per_word] |= std::uint32_t{bits} << 8 * sizeof(T) * (i % per_word);
        }
    }
    return tile;
}

inline ProductPlan::Tiles ProductPlan::tiled() const {
    Tiles result{groups, {}, {}, {}};
    for (ProductGroup& group : result.groups) {
        const std::int64_t first = group.weight;
        const auto number = [&](std::int64_t at) { return at < 0 ? 0.0f : weights[first + at]; };
        if (group.storage == network::Storage::float32) {
            group.weight = static_cast<std::int64_t>(result.wide.size());
            for_tiles(group, [&](const auto& at) {
                FloatRowTile& tile = result.wide.emplace_back();
                for (int lane = 0; lane < lanes_per_warp; ++lane) {
                    for (int i = 0; i < FloatTile::row_numbers; ++i) {
                        tile.half[i / 4][lane].value[i % 4] = number(at(lane, i));
                    }
                }
            });
        } else if (group.storage == network::Storage::int8) {
            group.weight = static_cast<std::int64_t>(result.bytes.size());
            for_tiles(group, [&](const auto& at) { result.bytes.push_back(stored_tile(bytes, first, at)); });
        } else {
            group.weight = static_cast<std::int64_t>(result.words.size());
            for_tiles(group, [&](const auto& at) { result.words.push_back(stored_tile(words, first, at)); });
        }
    }
    return result;
}

}  // namespace rigcast::cuda
