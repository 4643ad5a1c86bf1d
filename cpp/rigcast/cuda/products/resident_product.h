#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/add_pieces.h"
#include "rigcast/cuda/products/layer_product.h"

namespace rigcast::cuda {

/// A layer as one GroupedProduct; if its sums have pieces (ProductPlan::pieces), for few frames as one of the pieces
/// that AddPieces then adds. The caller runs one product at a time.
class ResidentProduct final : public LayerProduct {
public:
    ResidentProduct(Machine& machine, const ProductPlan& plan)
        : activation_(plan.activation),
          output_width_(plan.output_width),
          num_outputs_(static_cast<std::int64_t>(plan.biases.size())) {
        const std::vector<ProductTile> pieces = plan.pieces();
        const ProductPlan::Tiles tiles = plan.tiled();
        upload(machine, tiles.groups, plan.tiles, whole_);
        if (!pieces.empty()) upload_pieces(machine, tiles.groups, pieces);
        machine.upload(tiles.wide, wide_);
        machine.upload(tiles.words, words_);
        machine.upload(tiles.bytes, bytes_);
        machine.upload(plan.scales, scales_);
        machine.upload(plan.biases, biases_);
        machine.synchronize();  // the tiles that were made here are read until then
    }

    std::int64_t output_width() const { return output_width_; }

    void run(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
             float* output) const override {
        multiply(machine, num_frames, input, input_width, BiasAndActivation{biases_.data(), activation_}, output);
    }

    void run_tangents(Machine& machine, std::int64_t num_tangents, const float* input, std::int64_t input_width,
                      const float* values, TangentFrames frames, float* output) const override {
        multiply(machine, num_tangents, input, input_width, TimesSlope{values, output_width_, frames, activation_},
                 output);
    }

    /// Queues `run` in blocks of one shape, a GroupedProduct that finishes with bias and activation: for measurements.
    template <class Product>
    void run_in(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                float* output) const {
        run_shape<Product>(machine, whole_, num_frames, input, input_width,
                           BiasAndActivation{biases_.data(), activation_}, output, output_width_);
    }

private:
    static constexpr std::int64_t piece_floats = std::int64_t{4} << 20;  // of a layer, for at least one block of frames
    static constexpr std::int64_t many_blocks = 256;  // about two for each processor of a large device

    struct Tiles {
        std::int64_t count = 0;
        Buffer<ProductGroup> groups;
        Buffer<ProductTile> tiles;
    };

    static void upload(Machine& machine, const std::vector<ProductGroup>& groups, const std::vector<ProductTile>& tiles,
                       Tiles& to) {
        machine.upload(groups, to.groups);
        machine.upload(tiles, to.tiles);
        to.count = static_cast<std::int64_t>(tiles.size());
    }

    /// The outputs of all groups side by side, as their biases are: the layer's columns may be a part of a wider row.
    void upload_pieces(Machine& machine, std::vector<ProductGroup> groups, const std::vector<ProductTile>& tiles) {
        std::vector<PieceSum> sums(static_cast<std::size_t>(num_outputs_));
        for (const ProductTile& tile : tiles) {
            const ProductGroup& group = groups[tile.group];
            for (std::int32_t i = 0; i < group.outputs; ++i) {
                PieceSum& sum = sums[group.bias + i];
                sum = {static_cast<std::int32_t>(group.first_output) + i, std::max(sum.count, tile.piece + 1)};
            }
            most_pieces_ = std::max<std::int64_t>(most_pieces_, tile.piece + 1);
        }
        for (ProductGroup& group : groups) group.first_output = group.bias;
        machine.upload(sums, sums_);
        upload(machine, groups, tiles, apart_);
        machine.synchronize();  // the lists that were made here are read until then
    }

    template <class Finish>
    void multiply(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                  const Finish& finish, float* output) const {
        constexpr std::int64_t block = GroupedProduct<Unfinished, 128>::frames_per_block;
        if (most_pieces_ == 0) {
            run_tiles(machine, num_frames, input, input_width, finish, output, output_width_);
            return;
        }
        if ((num_frames + block - 1) / block * whole_.count >= many_blocks) {
            run_shape<GroupedProduct<Finish, block, true>>(machine, whole_, num_frames, input, input_width, finish,
                                                           output, output_width_);
            return;
        }
        const std::int64_t floats_per_block = most_pieces_ * block * num_outputs_;
        const std::int64_t frames_at_once = std::max<std::int64_t>(piece_floats / floats_per_block, 1) * block;
        pieces_.reserve(most_pieces_ * std::min(frames_at_once, num_frames) * num_outputs_);
        for (std::int64_t first = 0; first < num_frames; first += frames_at_once) {
            const std::int64_t count = std::min(frames_at_once, num_frames - first);
            run_tiles(machine, count, input + first * input_width, input_width, Unfinished{}, pieces_.data(),
                      num_outputs_);
            machine.for_each(count, num_outputs_,
                             AddPieces<Finish>{pieces_.data(), sums_.data(), count, num_outputs_, finish, first, output,
                                               output_width_});
        }
    }

    /// A frame has the same bytes in blocks of any number of frames.
    template <class Finish>
    void run_tiles(Machine& machine, std::int64_t num_frames, const float* input, std::int64_t input_width,
                   const Finish& finish, float* output, std::int64_t output_width) const {
        const auto run = [&](auto frames) {
            run_shape<GroupedProduct<Finish, frames()>>(machine, most_pieces_ == 0 ? whole_ : apart_, num_frames, input,
                                                        input_width, finish, output, output_width);
        };
        if (num_frames <= 8) {
            run(std::integral_constant<int, 8>{});
        } else if (num_frames <= 64) {
            run(std::integral_constant<int, 32>{});
        } else {
            run(std::integral_constant<int, 128>{});
        }
    }

    template <class Product, class Finish>
    void run_shape(Machine& machine, const Tiles& tiles, std::int64_t num_frames, const float* input,
                   std::int64_t input_width, const Finish& finish, float* output, std::int64_t output_width) const {
        machine.run_tiles((num_frames + Product::frames_per_block - 1) / Product::frames_per_block, tiles.count,
                          Product{tiles.groups.data(), tiles.tiles.data(),
                                  TiledWeights{wide_.data(), words_.data(), bytes_.data(), scales_.data()}, finish,
                                  input, input_width, output, output_width, num_frames});
    }

    network::Activation activation_;
    std::int64_t output_width_;
    std::int64_t num_outputs_;
    std::int64_t most_pieces_ = 0;  // of a sum; 0 if sums are whole
    Tiles whole_;
    Tiles apart_;            // one for each piece; none if sums are whole
    Buffer<PieceSum> sums_;  // of the pieces
    Buffer<FloatRowTile> wide_;
    Buffer<StoredRowTile<4>> words_;
    Buffer<StoredRowTile<2>> bytes_;
    Buffer<float> scales_;
    Buffer<float> biases_;
    mutable Buffer<float> pieces_;  // (most_pieces_, frames, num_outputs_)
};

}  // namespace rigcast::cuda
