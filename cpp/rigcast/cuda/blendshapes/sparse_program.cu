#include <algorithm>
#include <numeric>
#include <vector>

#include "rigcast/cuda/blendshapes/sparse_program.h"
#include "rigcast/cuda/products/blendshape_product.h"

namespace rigcast::cuda {
namespace {

/// Fills a row of activations: that of the neutral, 1 for frames and 0 for tangents.
struct FillActivations {
    float value;
    float* row;  // (T)

    RIGCAST_DEVICE void operator()(std::int64_t, std::int64_t frame) const { row[frame] = value; }
};

/// An element kernel that writes activations (N, count).
template <class Source>
struct ActivationRows {
    Source source;
    std::int64_t count;
    float* activations;

    RIGCAST_DEVICE void operator()(std::int64_t n, std::int64_t frame) const {
        activations[n * count + frame] = source.value(n, frame);
    }
};

class SparseBlendshapeProgram final : public DeviceProgram {
public:
    SparseBlendshapeProgram(Machine& machine, Libraries& libraries, const BlendshapePlan& plan,
                            const CompressedRows& offsets)
        : machine_(machine),
          num_shapes_(plan.num_shapes),
          num_columns_(plan.num_columns),
          product_(libraries.load(offsets)),
          shape_ranks_(static_cast<std::size_t>(plan.num_shapes)) {
        machine.upload(plan.scale, scale_);
        machine.upload(plan.driver_offset, driver_offset_);
        machine.upload(plan.driver_shape, driver_shape_);
        machine.upload(plan.driver_tent, driver_tent_);
        machine.synchronize();
    }

    /// Activations and a length. What the library's analysis takes is not counted.
    std::int64_t floats_per_frame() const override { return num_columns_ + 2; }
    std::int64_t floats_per_tangent() const override { return num_columns_ + 1; }

    void prepare(const FrameBatch& batch) override {
        machine_.synchronize();  // uploads of the last batch may still read the lists below
        const rig::Prefix* prefix = batch.choices.prefix;
        std::vector<std::int32_t> order(shape_ranks_.size());
        std::iota(order.begin(), order.end(), 0);
        if (prefix != nullptr) std::copy(prefix->order.begin(), prefix->order.end(), order.begin());
        for (std::size_t k = 0; k < order.size(); ++k) shape_ranks_[order[k]] = static_cast<std::int32_t>(k);
        lengths_.assign(batch.count, static_cast<std::int32_t>(num_shapes_));
        if (prefix != nullptr) std::copy_n(prefix->length.data() + batch.first, batch.count, lengths_.begin());
        machine_.upload(shape_ranks_, shape_rank_);
        machine_.upload(lengths_, length_);
        activations_.reserve(batch.count * (num_columns_ + 1));
    }

    void evaluate(const FrameBatch& batch) override {
        multiply(
            BlendshapeActivations{
                batch.poses, num_shapes_, drivers(), scale_.data(), shape_rank_.data(), {length_.data(), nullptr}},
            batch.count, 1.0f, batch.vertices);
    }

    void linearize(const FrameBatch& batch) override { at_ = batch.poses; }

    void push_forward(const TangentBatch& batch) override {
        activations_.reserve(batch.count * (num_columns_ + 1));
        multiply(BlendshapeActivationTangents{at_, batch.tangents, batch.frames, num_shapes_, drivers(), scale_.data()},
                 batch.count, 0.0f, batch.derivatives);
    }

private:
    DriverLists drivers() const { return {driver_offset_.data(), driver_shape_.data(), driver_tent_.data()}; }

    template <class Source>
    void multiply(const Source& source, std::int64_t count, float neutral, float* vertices) {
        machine_.for_each(num_columns_, count, ActivationRows<Source>{source, count, activations_.data()});
        machine_.for_each(1, count, FillActivations{neutral, activations_.data() + num_columns_ * count});
        product_->multiply(count, activations_.data(), count, vertices);
    }

    Machine& machine_;
    std::int64_t num_shapes_;
    std::int64_t num_columns_;
    std::unique_ptr<SparseProduct> product_;
    std::vector<std::int32_t> shape_ranks_;  // (K) position of each shape in the order of the batch
    std::vector<std::int32_t> lengths_;      // (count) of the prefixes of the batch
    Buffer<float> scale_;
    Buffer<std::int32_t> driver_offset_;
    Buffer<std::int32_t> driver_shape_;
    Buffer<float> driver_tent_;
    Buffer<std::int32_t> shape_rank_;
    Buffer<std::int32_t> length_;
    Buffer<float> activations_;  // (N + 1, count)
    const float* at_ = nullptr;  // the weights of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_sparse_blendshape_program(Machine& machine, Libraries& libraries,
                                                              const BlendshapePlan& plan,
                                                              const CompressedRows& offsets) {
    return std::make_unique<SparseBlendshapeProgram>(machine, libraries, plan, offsets);
}

}  // namespace rigcast::cuda
