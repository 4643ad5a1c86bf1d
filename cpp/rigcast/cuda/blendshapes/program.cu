#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "rigcast/cuda/blendshapes/program.h"
#include "rigcast/cuda/products/blendshape_product.h"

namespace rigcast::cuda {
namespace {

class BlendshapeProgram final : public DeviceProgram {
public:
    BlendshapeProgram(Machine& machine, BlendshapePlan plan)
        : machine_(machine), plan_(std::move(plan)), is_int16_(!plan_.int16_values.empty()) {
        choose_columns();
        machine.upload(plan_.neutral, neutral_);
        const std::vector<float> zeros(plan_.neutral.size());
        machine.upload(zeros, zeros_);
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
        const rig::Prefix* prefix = batch.choices.prefix;
        if (prefix != nullptr) machine_.synchronize();  // uploads of the last batch may still read the lists below
        use_order(prefix);
        sort_frames(prefix, batch.first, batch.count);
        reserve(batch.count);
    }

    void evaluate(const FrameBatch& batch) override {
        const BlendshapeActivations activations{batch.poses,   plan_.num_shapes,   drivers(),
                                                scale_.data(), shape_rank_.data(), sorted()};
        const TeamShape shape = shape_of(batch.count);
        if (shape.columns == 1 && num_own_activations() > 0) {
            multiply_own(activations, batch.count, batch.vertices);
        } else {
            store(activations, batch.count);
            multiply(batch.count, neutral_.data(), batch.vertices);
        }
    }

    void linearize(const FrameBatch& batch) override { at_ = batch.poses; }

    void push_forward(const TangentBatch& batch) override {
        use_order(nullptr);
        has_prefixes_ = false;
        reserve(batch.count);
        store(
            BlendshapeActivationTangents{at_, batch.tangents, batch.frames, plan_.num_shapes, drivers(), scale_.data()},
            batch.count);
        multiply(batch.count, zeros_.data(), batch.derivatives);
    }

private:
    template <class Value, int Columns>
    using Product = BlendshapeProduct<Value, Columns, StoredActivations>;
    template <class Value>
    using OwnProduct = BlendshapeProduct<Value, 1, OwnActivations>;

    /// How a batch is divided among teams: each takes up to `columns` times 8 frames of a window.
    struct TeamShape {
        int columns;
        FrameGroups groups;
    };

    static constexpr int most_columns = 4;
    static constexpr std::int64_t most_own = 8192;  // activations that a team computes itself: 32 KB

    /// As many frames as possible per team, so that values are read as few times as possible; but several teams for
    /// each multiprocessor.
    TeamShape shape_of(std::int64_t count) const {
        for (int most = columns_; most > 1; --most) {
            const TeamShape shape = shape_of(count, most);
            if (shape.groups.num_groups * plan_.num_windows >= many_teams_) return shape;
        }
        return shape_of(count, 1);
    }
    static TeamShape shape_of(std::int64_t count, std::int64_t most) {
        const std::int64_t columns = (count + FloatTile::columns - 1) / FloatTile::columns;
        const std::int64_t groups = std::max<std::int64_t>((columns + most - 1) / most, 1);
        const auto frames = static_cast<std::int32_t>((count + groups - 1) / groups);
        const int used = std::max((frames + FloatTile::columns - 1) / FloatTile::columns, 1);
        return {used, {count, static_cast<std::int32_t>(groups), frames, used == 3 ? 4 : used}};
    }

    /// Chooses the most columns of a team: of so many, two teams fit a multiprocessor.
    template <int Columns = most_columns>
    void choose_columns() {
        using Kernel = Product<float, Columns>;
        const std::int64_t shared = Kernel::num_shared(Columns * FloatTile::columns, 0);
        if constexpr (Columns > 2) {
            if (machine_.teams_per_processor<Kernel>(shared) < 2) return choose_columns<Columns - 1>();
        }
        columns_ = Columns;
        many_teams_ = machine_.num_teams<Kernel>(shared);
    }

    /// Activations that a team of few frames computes itself; 0 if there are too many.
    std::int64_t num_own_activations() const {
        const std::int64_t count = plan_.num_columns * FloatTile::columns;
        return count <= most_own ? count : 0;
    }

    DriverLists drivers() const { return {driver_offset_.data(), driver_shape_.data(), driver_tent_.data()}; }

    SortedFrames sorted() const {
        return has_prefixes_ ? SortedFrames{length_.data(), frame_.data()} : SortedFrames{nullptr, nullptr};
    }

    void reserve(std::int64_t count) {
        const FrameGroups groups = shape_of(count).groups;
        activations_.reserve(groups.num_groups * groups.pitch() * plan_.num_columns);
    }

    /// Uploads the frames of a batch in the order of descending prefix lengths; nothing without prefixes.
    void sort_frames(const rig::Prefix* prefix, std::int64_t first, std::int64_t count) {
        has_prefixes_ = prefix != nullptr;
        if (!has_prefixes_) return;
        const auto* lengths = prefix->length.data() + first;
        frames_.resize(count);
        std::iota(frames_.begin(), frames_.end(), 0);
        std::stable_sort(frames_.begin(), frames_.end(),
                         [&](std::int32_t a, std::int32_t b) { return lengths[a] > lengths[b]; });
        sorted_lengths_.resize(count);
        for (std::int64_t t = 0; t < count; ++t) sorted_lengths_[t] = lengths[frames_[t]];
        machine_.upload(sorted_lengths_, length_);
        machine_.upload(frames_, frame_);
    }

    /// Uploads the rows in the order of a prefix, or of the rig if there is none, unless they are there already.
    void use_order(const rig::Prefix* prefix) {
        if (prefix == nullptr && has_own_order_) return;
        std::vector<std::int32_t> order(plan_.num_shapes);
        std::iota(order.begin(), order.end(), 0);
        const bool is_own = prefix == nullptr || std::equal(order.begin(), order.end(), prefix->order.begin());
        if (!is_own) std::copy(prefix->order.begin(), prefix->order.end(), order.begin());
        if (has_order_ && order == order_in_use_) return;
        const BlendshapePlan::Rows sorted = plan_.sorted_rows(order);
        machine_.upload(sorted.shape_rank, shape_rank_);
        machine_.upload(sorted.rows, rows_);
        machine_.upload(sorted.rank, rank_);
        machine_.synchronize();
        order_in_use_ = std::move(order);
        has_order_ = true;
        has_own_order_ = is_own;
    }

    /// Queues the activations of a batch.
    template <class Source>
    void store(const Source& source, std::int64_t count) {
        const FrameGroups groups = shape_of(count).groups;
        machine_.for_each(plan_.num_columns, groups.num_groups * groups.pitch(),
                          StoreActivations<Source>{source, groups, plan_.num_columns, activations_.data()});
    }

    template <class Value>
    BlendshapeTiles<Value> tiles(const Buffer<Value>& values) const {
        return {tile_offset_.data(), rows_.data(), rank_.data(), plan_.num_shapes, values.data(), vertex_.data()};
    }

    template <class Kernel, class Value, class Activations>
    void run(const Buffer<Value>& values, const Activations& activations, const FrameGroups& groups,
             std::int64_t own_activations, const float* base, float* vertices) {
        const Kernel kernel{tiles(values),      activations,       groups,  sorted(), base,
                            plan_.num_vertices, plan_.num_windows, vertices};
        machine_.run_teams(kernel.num_teams(), Kernel::num_shared(groups.frames_per_group, own_activations), kernel);
    }

    /// Queues the product with the stored activations of a batch.
    void multiply(std::int64_t count, const float* base, float* vertices) {
        if (is_int16_) {
            multiply(int16_values_, shape_of(count), base, vertices);
        } else {
            multiply(values_, shape_of(count), base, vertices);
        }
    }
    template <class Value>
    void multiply(const Buffer<Value>& values, const TeamShape& shape, const float* base, float* vertices) {
        const StoredActivations activations{activations_.data(), plan_.num_columns};
        const auto run_columns = [&](auto columns) {
            run<Product<Value, columns()>>(values, activations, shape.groups, 0, base, vertices);
        };
        if (shape.columns == 1) run_columns(std::integral_constant<int, 1>{});
        if (shape.columns == 2) run_columns(std::integral_constant<int, 2>{});
        if (shape.columns == 3) run_columns(std::integral_constant<int, 3>{});
        if (shape.columns == 4) run_columns(std::integral_constant<int, 4>{});
    }

    /// Queues the product with activations that teams of few frames compute themselves.
    void multiply_own(const BlendshapeActivations& source, std::int64_t count, float* vertices) {
        const OwnActivations activations{source, plan_.num_columns};
        const FrameGroups groups = shape_of(count).groups;
        if (is_int16_) {
            run<OwnProduct<std::int16_t>>(int16_values_, activations, groups, num_own_activations(), neutral_.data(),
                                          vertices);
        } else {
            run<OwnProduct<float>>(values_, activations, groups, num_own_activations(), neutral_.data(), vertices);
        }
    }

    Machine& machine_;
    BlendshapePlan plan_;
    bool is_int16_;
    int columns_ = 1;              // the most of a team
    std::int64_t many_teams_ = 1;  // that the device runs at the same time
    bool has_order_ = false;
    bool has_own_order_ = false;  // the order in use is that of the rig
    bool has_prefixes_ = false;   // the last batch had
    std::vector<std::int32_t> order_in_use_;
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
