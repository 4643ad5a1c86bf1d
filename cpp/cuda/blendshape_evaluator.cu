#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>

#include "core/check.h"
#include "core/error.h"
#include "cuda/blendshape_evaluator.h"
#include "cuda/blendshape_product.h"
#include "cuda/machine.h"

namespace rigwright::cuda {

/// The rig, the lists of the order in use, and the workspace of the call that holds the lock.
struct BlendshapeEvaluator::Resident {
    static constexpr std::int64_t most_heads = 65535 * std::int64_t{BlendshapeProduct<float>::heads};

    Resident(BlendshapePlan from, std::int64_t workspace)
        : plan(std::move(from)),
          half(!plan.half_numbers.empty()),
          chunk(std::clamp<std::int64_t>(workspace / (4 * floats_a_head()), 1, most_heads)) {
        upload(plan.neutral, neutral);
        upload(plan.vertex, vertex);
        upload(plan.tile_offset, tile_offset);
        upload(plan.numbers, numbers);
        upload(plan.half_numbers, half_numbers);
        upload(plan.scale, scale);
        upload(plan.factor_offset, factor_offset);
        upload(plan.factor_shape, factor_shape);
        upload(plan.factor_tent, factor_tent);
        machine.synchronize();
        plan.numbers = {};  // the device has them
        plan.half_numbers = {};
        own_order.resize(plan.num_shapes);
        std::iota(own_order.begin(), own_order.end(), 0);
    }

    std::int64_t floats_a_head() const { return plan.num_shapes + plan.num_columns + 3 * plan.num_vertices + 2; }

    /// Makes an order the one in use.
    void use(const std::vector<std::int32_t>& order) {
        if (order == order_in_use) return;
        const BlendshapePlan::Order lists = plan.ordered(order);
        upload(lists.shape_rank, shape_rank);
        upload(lists.column, column);
        upload(lists.row, row);
        upload(lists.rank, rank);
        machine.synchronize();
        order_in_use = order;
    }

    /// Room for heads, and the lengths of `count` of them, longest first, with where each one's vertices go.
    void prepare(const std::int32_t* lengths, std::int64_t count) {
        head_target.resize(count);
        std::iota(head_target.begin(), head_target.end(), 0);
        std::stable_sort(head_target.begin(), head_target.end(),
                         [&](std::int32_t a, std::int32_t b) { return lengths[a] > lengths[b]; });
        head_length.resize(count);
        for (std::int64_t h = 0; h < count; ++h) head_length[h] = lengths[head_target[h]];
        upload(head_length, length);
        upload(head_target, target);
        activations.reserve(count * plan.num_columns);
        vertex_rows.reserve(count * 3 * plan.num_vertices);
    }

    /// Queues the kernels for `count` heads, from weights on the device to vertex_rows.
    void run(std::int64_t count, const float* weights) {
        machine.for_each(plan.num_columns, count,
                         BlendshapeActivations{weights, plan.num_shapes, factor_offset.data(), factor_shape.data(),
                                               factor_tent.data(), scale.data(), shape_rank.data(), length.data(),
                                               count, activations.data()});
        if (half) {
            multiply(count, half_numbers.data());
        } else {
            multiply(count, numbers.data());
        }
    }

    template <class Number>
    void multiply(std::int64_t count, const Number* all) {
        using Product = BlendshapeProduct<Number>;
        machine.run_tiles(
            (count + Product::heads - 1) / Product::heads, plan.num_tiles(),
            Product{tile_offset.data(), column.data(), row.data(), rank.data(), all, vertex.data(), neutral.data(),
                    plan.num_vertices, activations.data(), length.data(), target.data(), count, vertex_rows.data()});
    }

    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& to) {
        machine.upload(source.data(), static_cast<std::int64_t>(source.size()), to);
    }

    std::mutex turn;
    Machine machine;
    BlendshapePlan plan;
    bool half;
    std::int64_t chunk;  // heads at a time
    std::vector<std::int32_t> own_order, order_in_use, head_length, head_target;
    std::vector<float> sorted_weights;
    Buffer<float> neutral, numbers, scale, factor_tent;
    Buffer<std::int16_t> half_numbers;
    Buffer<std::int32_t> vertex, tile_offset, factor_offset, factor_shape, shape_rank, column, row, rank;
    Buffer<float> weight_rows, activations, vertex_rows;
    Buffer<std::int32_t> length, target;
};

BlendshapeEvaluator::BlendshapeEvaluator(BlendshapePlan plan, std::int64_t workspace) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>(std::move(plan), workspace);
}

BlendshapeEvaluator::~BlendshapeEvaluator() = default;

void BlendshapeEvaluator::evaluate(View<const float, 2> weights, View<float, 3> vertices) {
    const std::vector<std::int32_t> all(weights.extent(0), static_cast<std::int32_t>(resident_->plan.num_shapes));
    const std::vector<std::int32_t>& order = resident_->own_order;
    evaluate(weights, {{order.data(), {resident_->plan.num_shapes}}, {all.data(), {weights.extent(0)}}}, vertices);
}

void BlendshapeEvaluator::evaluate(View<const float, 2> weights, const rig::Prefix& prefix, View<float, 3> vertices) {
    Resident& r = *resident_;
    const std::int64_t heads = weights.extent(0), shapes = r.plan.num_shapes;
    check_shape<const float, 2>("evaluate", "weights", weights, {-1, shapes});
    check_shape<float, 3>("evaluate", "out", vertices, {heads, r.plan.num_vertices, 3});
    rig::check_prefix(prefix, shapes, heads);
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    r.use({prefix.order.begin(), prefix.order.end()});
    for (std::int64_t first = 0; first < heads; first += r.chunk) {
        const std::int64_t count = std::min(r.chunk, heads - first);
        r.prepare(prefix.length.data() + first, count);
        r.sorted_weights.resize(count * shapes);
        for (std::int64_t h = 0; h < count; ++h) {
            std::copy_n(weights.row(first + r.head_target[h]), shapes, r.sorted_weights.data() + h * shapes);
        }
        r.upload(r.sorted_weights, r.weight_rows);
        r.run(count, r.weight_rows.data());
        r.machine.download(r.vertex_rows, count * 3 * r.plan.num_vertices, vertices.row(first));
        r.machine.synchronize();  // the next chunk overwrites the lists that are being uploaded
    }
}

std::vector<double> BlendshapeEvaluator::milliseconds(View<const float, 2> weights, std::int64_t batch, int repeats) {
    Resident& r = *resident_;
    check_shape<const float, 2>("milliseconds", "weights", weights, {-1, r.plan.num_shapes});
    if (batch < 1 || batch > std::min(weights.extent(0), r.chunk)) {
        throw bad_argument("milliseconds", "batch", std::to_string(batch),
                           "1 to the heads given, and what the workspace holds: " + std::to_string(r.chunk));
    }
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    r.use(r.own_order);
    Buffer<float> all;
    r.machine.upload(weights.data(), weights.size(), all);
    const std::vector<std::int32_t> lengths(batch, static_cast<std::int32_t>(r.plan.num_shapes));
    r.prepare(lengths.data(), batch);
    const std::int64_t batches = weights.extent(0) / batch;
    std::vector<double> times;
    constexpr int warm_up = 3;
    for (int i = 0; i < repeats + warm_up; ++i) {
        const float* rows = all.data() + i % batches * batch * r.plan.num_shapes;
        const double time = r.machine.milliseconds([&] { r.run(batch, rows); });
        if (i >= warm_up) times.push_back(time);
    }
    return times;
}

}  // namespace rigwright::cuda
