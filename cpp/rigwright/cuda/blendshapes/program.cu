#include <algorithm>
#include <numeric>
#include <vector>

#include "rigwright/cuda/blendshapes/program.h"
#include "rigwright/cuda/products/blendshape_product.h"

namespace rigwright::cuda {
namespace {

class BlendshapeProgram final : public DeviceProgram {
public:
    BlendshapeProgram(Machine& machine, BlendshapePlan plan)
        : machine_(machine), plan_(std::move(plan)), half_(!plan_.half_numbers.empty()) {
        machine.upload(plan_.neutral, neutral_);
        machine.upload(std::vector<float>(plan_.neutral.size()), zeros_);
        machine.upload(plan_.vertex, vertex_);
        machine.upload(plan_.tile_offset, tile_offset_);
        machine.upload(plan_.numbers, numbers_);
        machine.upload(plan_.half_numbers, half_numbers_);
        machine.upload(plan_.scale, scale_);
        machine.upload(plan_.factor_offset, factor_offset_);
        machine.upload(plan_.factor_shape, factor_shape_);
        machine.upload(plan_.factor_tent, factor_tent_);
        machine.synchronize();
        plan_.numbers = {};  // the device has them
        plan_.half_numbers = {};
    }

    std::int64_t floats_per_pose() const override { return plan_.num_columns + 2; }
    std::int64_t floats_per_tangent() const override { return plan_.num_columns + 2; }

    void prepare(const PoseBatch& batch) override {
        machine_.synchronize();  // the lists below may still be on their way
        use_order(batch.prefix);
        const std::int32_t all = static_cast<std::int32_t>(plan_.num_shapes);
        lengths_.assign(batch.count, all);
        if (batch.prefix) std::copy_n(batch.prefix->length.data() + batch.first, batch.count, lengths_.begin());
        heads_.resize(batch.count);
        std::iota(heads_.begin(), heads_.end(), 0);
        std::stable_sort(heads_.begin(), heads_.end(),
                         [&](std::int32_t a, std::int32_t b) { return lengths_[a] > lengths_[b]; });
        sorted_lengths_.resize(batch.count);
        for (std::int64_t h = 0; h < batch.count; ++h) sorted_lengths_[h] = lengths_[heads_[h]];
        machine_.upload(sorted_lengths_, length_);
        machine_.upload(heads_, head_);
        activations_.reserve(batch.count * plan_.num_columns);
    }

    void evaluate(const PoseBatch& batch) override {
        machine_.for_each(
            plan_.num_columns, batch.count,
            BlendshapeActivations{batch.poses, plan_.num_shapes, drivers(), scale_.data(), shape_rank_.data(),
                                  length_.data(), head_.data(), batch.count, activations_.data()});
        multiply(batch.count, neutral_.data(), batch.vertices);
    }

    void linearize(const PoseBatch& batch) override { at_ = batch.poses; }

    void push_forward(const TangentBatch& batch) override {
        prepare({0, batch.count, nullptr, nullptr});
        machine_.for_each(plan_.num_columns, batch.count,
                          BlendshapeActivationTangents{at_, batch.tangents, batch.rows, plan_.num_shapes, drivers(),
                                                       scale_.data(), batch.count, activations_.data()});
        multiply(batch.count, zeros_.data(), batch.derivatives);
    }

private:
    DriverLists drivers() const { return {factor_offset_.data(), factor_shape_.data(), factor_tent_.data()}; }

    /// Makes the order of a prefix, or that of the rig, the one in use.
    void use_order(const rig::Prefix* prefix) {
        std::vector<std::int32_t> order(plan_.num_shapes);
        if (prefix) {
            std::copy(prefix->order.begin(), prefix->order.end(), order.begin());
        } else {
            std::iota(order.begin(), order.end(), 0);
        }
        if (has_order_ && order == order_in_use_) return;
        const BlendshapePlan::Order lists = plan_.ordered(order);
        machine_.upload(lists.shape_rank, shape_rank_);
        machine_.upload(lists.column, column_);
        machine_.upload(lists.row, row_);
        machine_.upload(lists.rank, rank_);
        machine_.synchronize();
        order_in_use_ = std::move(order);
        has_order_ = true;
    }

    void multiply(std::int64_t count, const float* base, float* vertices) {
        if (half_) {
            multiply(count, half_numbers_.data(), base, vertices);
        } else {
            multiply(count, numbers_.data(), base, vertices);
        }
    }

    template <class Number>
    void multiply(std::int64_t count, const Number* numbers, const float* base, float* vertices) {
        using Product = BlendshapeProduct<Number>;
        machine_.run_tiles(
            (count + Product::heads - 1) / Product::heads, plan_.num_tiles(),
            Product{tile_offset_.data(), column_.data(), row_.data(), rank_.data(), numbers, vertex_.data(), base,
                    plan_.num_vertices, activations_.data(), length_.data(), head_.data(), count, vertices});
    }

    Machine& machine_;
    BlendshapePlan plan_;
    bool half_, has_order_ = false;
    std::vector<std::int32_t> order_in_use_, lengths_, sorted_lengths_, heads_;
    Buffer<float> neutral_, zeros_, numbers_, scale_, factor_tent_, activations_;
    Buffer<std::int16_t> half_numbers_;
    Buffer<std::int32_t> vertex_, tile_offset_, factor_offset_, factor_shape_, shape_rank_, column_, row_, rank_;
    Buffer<std::int32_t> length_, head_;  // of the batch, by falling length
    const float* at_ = nullptr;           // the weights of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan) {
    return std::make_unique<BlendshapeProgram>(machine, std::move(plan));
}

}  // namespace rigwright::cuda
