#include <algorithm>

#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/blendshape_rig.h"

namespace rigwright::rig {

void BlendshapeRig::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    run(poses, nullptr, vertices, threads);
}

void BlendshapeRig::evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                                    int threads) const {
    check_arguments("evaluate", "out", weights, vertices);
    check_prefix(prefix, weights.extent(0));
    run(weights, &prefix, vertices, threads);
}

namespace {

/// Zeroes the activations of the columns outside of a prefix.
void cut(const BlendshapeRig& rig, const Prefix& prefix, std::int64_t head, float* activations) {
    const std::int64_t shapes = rig.num_shapes();
    const auto begin = prefix.order.begin(), end = begin + prefix.length(head);
    const auto outside = [&](std::int32_t shape) { return std::find(begin, end, shape) == end; };
    for (std::int64_t c = 0; c < rig.num_columns() - shapes; ++c) {
        const auto factors = rig.factors(c);
        const bool drop =
            activations[shapes + c] != 0.0f &&
            std::any_of(factors.begin(), factors.end(), [&](const Factor& f) { return outside(f.shape); });
        if (drop) activations[shapes + c] = 0.0f;
    }
    for (auto shape = end; shape != prefix.order.end(); ++shape) activations[*shape] = 0.0f;
}

}  // namespace

void BlendshapeRig::run(View<const float, 2> weights, const Prefix* prefix, View<float, 3> vertices,
                        int threads) const {
    const std::int64_t columns = num_columns();
    parallel_for(weights.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        float* activation = Scratch::floats(columns);
        for (std::int64_t t = begin; t < end; ++t) {
            activations({weights.row(t), {num_shapes()}}, {activation, {columns}});
            if (prefix) cut(*this, *prefix, t, activation);
            evaluate_windows(activation, 0, grouped_.num_windows(), vertices.row(t));
        }
    });
}

void BlendshapeRig::evaluate_windows(const float* activations, std::int64_t first, std::int64_t last,
                                     float* vertices) const {
    const float* neutral = character().rest_vertices.data();
    const std::int64_t words = grouped_.num_words();
    for (std::int64_t g = grouped_.first_group(first); g < grouped_.first_group(last); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        for (std::int64_t i = 0; i < group.size; ++i) {
            std::copy_n(neutral + 3 * group.vertex[i], 3, vertices + 3 * group.vertex[i]);
        }
        std::int64_t row = group.data;
        for (std::int64_t n = 0; n < 32 * words; ++n) {
            if ((static_cast<std::uint32_t>(group.columns[n / 32]) >> n % 32 & 1) == 0) continue;
            const float a = activations[n] * grouped_.scale(n);
            for (std::int64_t i = 0; i < 3 * group.size; ++i) {
                const float number =
                    grouped_.is_half() ? grouped_.half_numbers()[row + i] : grouped_.numbers()[row + i];
                vertices[3 * group.vertex[i / 3] + i % 3] += a * number;
            }
            row += 3 * group.size;
        }
    }
}

}  // namespace rigwright::rig
