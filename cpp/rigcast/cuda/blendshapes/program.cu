#include <algorithm>
#include <numeric>
#include <vector>

#include "rigcast/cuda/blendshapes/program.h"
#include "rigcast/cuda/products/blendshape_product.h"

namespace rigcast::cuda {
namespace {

class BlendshapeProgram final : public DeviceProgram {
public:
    BlendshapeProgram(Machine& machine, BlendshapePlan plan)
        : machine_(machine), plan_(std::move(plan)), is_int16_(!plan_.int16_values.empty()) {
        machine.upload(plan_.neutral, neutral_);
        machine.upload(std::vector<float>(plan_.neutral.size()), zeros_);
        machine.upload(plan_.vertex, vertex_);
        machine.upload(plan_.tile_offset, tile_offset_);
        machine.upload(plan_.values, values_);
        machine.upload(plan_.int16_values, int16_values_);
        machine.upload(plan_.scale, scale_);
        machine.upload(plan_.driver_offset, driver_offset_);
        machine.upload(plan_.driver_shape, driver_shape_);
        machine.upload(plan_.driver_tent, driver_tent_);
        machine.synchronize();
        plan_.values = {};  // they are on the device now
        plan_.int16_values = {};
    }

    std::int64_t floats_per_frame() const override { return plan_.num_columns + 2; }
    std::int64_t floats_per_tangent() const override { return plan_.num_columns + 2; }

    void prepare(const FrameBatch& batch) override {
        machine_.synchronize();  // uploads of the last batch may still read the lists below
        use_order(batch.choices.prefix);
        sort_frames(batch);
        activations_.reserve(pitch(batch.count) * plan_.num_columns);
    }

    void evaluate(const FrameBatch& batch) override {
        machine_.for_each(
            plan_.num_columns, batch.count,
            BlendshapeActivations{batch.poses, plan_.num_shapes, drivers(), scale_.data(), shape_rank_.data(),
                                  length_.data(), frame_.data(), pitch(batch.count), activations_.data()});
        multiply(batch.count, neutral_.data(), batch.vertices);
    }

    void linearize(const FrameBatch& batch) override { at_ = batch.poses; }

    void push_forward(const TangentBatch& batch) override {
        prepare({0, batch.count, nullptr, nullptr});
        machine_.for_each(plan_.num_columns, batch.count,
                          BlendshapeActivationTangents{at_, batch.tangents, batch.frames, plan_.num_shapes, drivers(),
                                                       scale_.data(), pitch(batch.count), activations_.data()});
        multiply(batch.count, zeros_.data(), batch.derivatives);
    }

private:
    using Product = BlendshapeProduct<float>;

    /// Frames of a row of activations.
    static std::int64_t pitch(std::int64_t count) {
        return (count + Product::frames_per_team - 1) / Product::frames_per_team * Product::frames_per_team;
    }

    DriverLists drivers() const { return {driver_offset_.data(), driver_shape_.data(), driver_tent_.data()}; }

    /// Uploads the frames of a batch in the order of descending prefix lengths.
    void sort_frames(const FrameBatch& batch) {
        lengths_.assign(batch.count, static_cast<std::int32_t>(plan_.num_shapes));
        const rig::Prefix* prefix = batch.choices.prefix;
        if (prefix) std::copy_n(prefix->length.data() + batch.first, batch.count, lengths_.begin());
        frames_.resize(batch.count);
        std::iota(frames_.begin(), frames_.end(), 0);
        std::stable_sort(frames_.begin(), frames_.end(),
                         [&](std::int32_t a, std::int32_t b) { return lengths_[a] > lengths_[b]; });
        sorted_lengths_.resize(batch.count);
        for (std::int64_t t = 0; t < batch.count; ++t) sorted_lengths_[t] = lengths_[frames_[t]];
        machine_.upload(sorted_lengths_, length_);
        machine_.upload(frames_, frame_);
    }

    /// Uploads the rows in the order of a prefix, or of the rig if there is none, unless they are there already.
    void use_order(const rig::Prefix* prefix) {
        std::vector<std::int32_t> order(plan_.num_shapes);
        if (prefix) {
            std::copy(prefix->order.begin(), prefix->order.end(), order.begin());
        } else {
            std::iota(order.begin(), order.end(), 0);
        }
        if (has_order_ && order == order_in_use_) return;
        const BlendshapePlan::Rows sorted = plan_.sorted_rows(order);
        machine_.upload(sorted.shape_rank, shape_rank_);
        machine_.upload(sorted.rows, rows_);
        machine_.upload(sorted.rank, rank_);
        machine_.synchronize();
        order_in_use_ = std::move(order);
        has_order_ = true;
    }

    void multiply(std::int64_t count, const float* base, float* vertices) {
        if (is_int16_) {
            multiply(count, int16_values_.data(), base, vertices);
        } else {
            multiply(count, values_.data(), base, vertices);
        }
    }

    template <class Value>
    void multiply(std::int64_t count, const Value* values, const float* base, float* vertices) {
        const BlendshapeProduct<Value> product{tile_offset_.data(),
                                               rows_.data(),
                                               rank_.data(),
                                               plan_.num_shapes,
                                               values,
                                               vertex_.data(),
                                               base,
                                               plan_.num_vertices,
                                               plan_.num_windows,
                                               activations_.data(),
                                               static_cast<std::int32_t>(pitch(count)),
                                               length_.data(),
                                               frame_.data(),
                                               count,
                                               vertices};
        machine_.run_teams(product.num_teams(), Product::num_shared, product);
    }

    Machine& machine_;
    BlendshapePlan plan_;
    bool is_int16_;
    bool has_order_ = false;
    std::vector<std::int32_t> order_in_use_;
    std::vector<std::int32_t> lengths_;         // (count) of the prefixes of the batch
    std::vector<std::int32_t> frames_;          // (count) by descending length
    std::vector<std::int32_t> sorted_lengths_;  // (count) of frames_
    Buffer<float> neutral_;
    Buffer<float> zeros_;  // (V, 3) the neutral of derivatives
    Buffer<float> values_;
    Buffer<std::int16_t> int16_values_;
    Buffer<float> scale_;
    Buffer<std::int32_t> driver_offset_;
    Buffer<std::int32_t> driver_shape_;
    Buffer<float> driver_tent_;
    Buffer<std::int32_t> vertex_;
    Buffer<std::int32_t> tile_offset_;
    Buffer<std::int32_t> shape_rank_;
    Buffer<TileRow> rows_;
    Buffer<std::int32_t> rank_;
    Buffer<std::int32_t> length_;  // sorted_lengths_
    Buffer<std::int32_t> frame_;   // frames_
    Buffer<float> activations_;
    const float* at_ = nullptr;  // the weights of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_blendshape_program(Machine& machine, BlendshapePlan plan) {
    return std::make_unique<BlendshapeProgram>(machine, std::move(plan));
}

}  // namespace rigcast::cuda
