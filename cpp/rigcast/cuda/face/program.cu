#include "rigcast/cuda/blendshapes/base.h"
#include "rigcast/cuda/face/program.h"
#include "rigcast/cuda/face/resident_layers.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/resident_product.h"

namespace rigcast::cuda {
namespace {

/// Intermediate values of a batch of frames, or their derivatives along a batch of tangents; one row per frame or
/// tangent.
struct FaceValues {
    Buffer<float> inputs;
    std::vector<Buffer<float>> dense;
    Buffer<float> base;
    Buffer<float> maps;
    Buffer<float> more;  // points that are no vertices
};

class FaceMapsProgram final : public DeviceProgram {
public:
    FaceMapsProgram(Machine& machine, const FaceMapsPlan& plan)
        : machine_(machine),
          num_controls_(plan.num_controls),
          num_vertices_(plan.num_vertices),
          num_points_(static_cast<std::int64_t>(plan.rest.size()) / 3),
          num_refinements_(plan.num_refinements),
          num_inputs_(static_cast<std::int64_t>(plan.columns.size())),
          maps_width_(plan.maps_width),
          base_(machine, plan.base),
          parts_(machine, plan.parts) {
        if (plan.shapes != nullptr) shapes_ = std::make_unique<ResidentBase>(machine, *plan.shapes);
        for (const ProductPlan& layer : plan.dense) dense_.push_back(std::make_unique<ResidentProduct>(machine, layer));
        for (FaceValues* values : {&values_, &tangents_}) values->dense = std::vector<Buffer<float>>(dense_.size());
        for (const TexelPlan& layer : plan.layers) {
            layers_.push_back(std::make_unique<ResidentConvolution>(machine, layer));
        }
        machine.upload(plan.columns, columns_);
        machine.upload(plan.rest, rest_);
        machine.upload(plan.offset, offset_);
        machine.upload(plan.entries, entries_);
        machine.upload(plan.last_maps, last_maps_);
        machine.upload(plan.last_weights, last_weights_);
        machine.synchronize();
    }

    std::int64_t floats_per_frame() const override {
        constexpr std::int64_t floats_per_fit = sizeof(PartFit) / sizeof(float);
        return floats_per_row() + num_refinements_ + floats_per_fit * parts_.count() + 3 * num_vertices_;
    }
    std::int64_t floats_per_tangent() const override {
        constexpr std::int64_t floats_per_change = sizeof(PartTangent) / sizeof(float);
        return floats_per_row() + floats_per_change * parts_.count();
    }

    void prepare(const FrameBatch& batch) override {
        reserve(batch.count, values_);
        fits_.reserve(batch.count * parts_.count());
        if (shapes_ != nullptr) shapes_->prepare(batch.count);
        detail_ = {};
        const View<const float, 2> detail = batch.choices.detail;
        if (detail.data() == nullptr) return;
        const bool alike = detail.extent(0) == 1;
        machine_.upload(detail.row(alike ? 0 : batch.first), (alike ? 1 : batch.count) * num_refinements_, factors_);
        detail_ = {factors_.data(), alike ? 0 : num_refinements_};
    }

    void evaluate(const FrameBatch& batch) override { queue_points(batch, batch.vertices); }

    /// The points stay here: push_forward needs the fits of the parts alone.
    void linearize(const FrameBatch& batch) override {
        prepare(batch);
        at_ = batch.poses;
        vertices_.reserve(batch.count * 3 * num_vertices_);
        queue_points(batch, vertices_.data());
    }

    void push_forward(const TangentBatch& batch) override {
        const std::int64_t count = batch.count;
        const FaceValues& x = values_;
        const FaceValues& dx = tangents_;
        reserve(count, tangents_);
        changes_.reserve(count * parts_.count());
        machine_.for_each(count, num_inputs_,
                          Gather{batch.tangents, num_controls_, columns_.data(), num_inputs_, dx.inputs.data()});
        Input rows{dx.inputs.data(), num_inputs_};
        for (std::size_t i = 0; i < dense_.size(); ++i) {
            dense_[i]->run_tangents(machine_, count, rows.rows, rows.width, x.dense[i].data(), batch.frames,
                                    dx.dense[i].data());
            rows = {dx.dense[i].data(), dense_[i]->output_width()};
        }
        base_.run_tangents(machine_, count, rows.rows, rows.width, x.base.data(), batch.frames, dx.base.data());
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const auto [input, width] = input_of(i, dx);
            layers_[i]->run_tangents(machine_, count, x.maps.data(), batch.frames, input, width, dx.maps.data(),
                                     maps_width_);
        }
        const Points points = points_of(dx, batch.derivatives);
        const float* start = nullptr;
        if (shapes_ != nullptr) start = shapes_->push_forward(count, batch.frames, at_, batch.tangents);
        queue_samples(count, input_of(layers_.size(), dx), {start, 3 * num_points_, true}, {}, points);
        if (parts_.count() == 0) return;
        machine_.for_each(count, parts_.count(),
                          FitPartTangents{parts_.get(), fits_.data(), batch.frames, points, changes_.data()});
        machine_.for_each(count, parts_.num_vertices(),
                          MovePartTangents{parts_.get(), fits_.data(), changes_.data(), batch.frames, points});
    }

private:
    struct Input {
        const float* rows;
        std::int64_t width;
    };

    /// Where points begin, as in SampleMaps.
    struct Start {
        const float* points;
        std::int64_t stride;
        bool is_derivative;
    };

    std::int64_t num_more() const { return num_points_ - num_vertices_; }
    std::int64_t floats_per_row() const {
        std::int64_t width = num_inputs_ + base_.output_width() + maps_width_ + 3 * num_more();
        for (const auto& layer : dense_) width += layer->output_width();
        if (shapes_ != nullptr) width += shapes_->floats_per_row();
        return width;
    }
    void reserve(std::int64_t count, FaceValues& values) const {
        values.inputs.reserve(count * num_inputs_);
        for (std::size_t i = 0; i < dense_.size(); ++i) values.dense[i].reserve(count * dense_[i]->output_width());
        values.base.reserve(count * base_.output_width());
        values.maps.reserve(count * maps_width_);
        values.more.reserve(count * 3 * num_more());
    }
    /// What a convolution layer reads; for one layer more, what is sampled.
    Input input_of(std::size_t layer, const FaceValues& values) const {
        if (layer == 0) return {values.base.data(), base_.output_width()};
        return {values.maps.data(), maps_width_};
    }
    Points points_of(const FaceValues& values, float* vertices) const {
        return {vertices, num_vertices_, values.more.data(), num_more()};
    }

    void queue_samples(std::int64_t count, Input maps, Start start, Detail detail, const Points& points) const {
        machine_.for_each(
            count, num_points_,
            SampleMaps{maps.rows, maps.width, start.points, start.stride, start.is_derivative, offset_.data(),
                       entries_.data(), last_maps_.data(), last_weights_.data(), detail, points});
    }

    void queue_points(const FrameBatch& batch, float* vertices) {
        const std::int64_t count = batch.count;
        const FaceValues& x = values_;
        machine_.for_each(count, num_inputs_,
                          Gather{batch.poses, num_controls_, columns_.data(), num_inputs_, x.inputs.data()});
        Input rows{x.inputs.data(), num_inputs_};
        for (std::size_t i = 0; i < dense_.size(); ++i) {
            dense_[i]->run(machine_, count, rows.rows, rows.width, x.dense[i].data());
            rows = {x.dense[i].data(), dense_[i]->output_width()};
        }
        base_.run(machine_, count, rows.rows, rows.width, x.base.data());
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const auto [input, width] = input_of(i, x);
            layers_[i]->run(machine_, count, detail_, input, width, x.maps.data(), maps_width_);
        }
        const Points points = points_of(x, vertices);
        Start start{rest_.data(), 0, false};
        if (shapes_ != nullptr) start = {shapes_->evaluate(count, batch.poses), 3 * num_points_, false};
        queue_samples(count, input_of(layers_.size(), x), start, detail_, points);
        if (parts_.count() == 0) return;
        machine_.for_each(count, parts_.count(), FitParts{parts_.get(), points, fits_.data()});
        machine_.for_each(count, parts_.num_vertices(), MoveParts{parts_.get(), fits_.data(), points});
    }

    Machine& machine_;
    std::int64_t num_controls_;
    std::int64_t num_vertices_;
    std::int64_t num_points_;
    std::int64_t num_refinements_;
    std::int64_t num_inputs_;
    std::int64_t maps_width_;
    std::vector<std::unique_ptr<ResidentProduct>> dense_;  // all but the last
    ResidentProduct base_;
    std::vector<std::unique_ptr<ResidentConvolution>> layers_;
    ResidentParts parts_;
    std::unique_ptr<ResidentBase> shapes_;  // null without a base
    Buffer<std::int32_t> columns_;
    Buffer<float> rest_;
    Buffer<std::int32_t> offset_;
    Buffer<MapEntry> entries_;
    Buffer<LastMap> last_maps_;
    Buffer<float> last_weights_;
    Buffer<float> factors_;
    Detail detail_;           // of the prepared batch
    FaceValues values_;       // of the last evaluate or linearize
    FaceValues tangents_;     // of the last push_forward
    Buffer<float> vertices_;  // of the last linearize
    Buffer<PartFit> fits_;    // of the last evaluate or linearize
    Buffer<PartTangent> changes_;
    const float* at_ = nullptr;  // the poses of the last linearize
};

}  // namespace

std::unique_ptr<DeviceProgram> make_face_maps_program(Machine& machine, const FaceMapsPlan& plan) {
    return std::make_unique<FaceMapsProgram>(machine, plan);
}

}  // namespace rigcast::cuda
