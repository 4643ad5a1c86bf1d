#include <algorithm>

#include "core/parallel.h"
#include "core/scratch.h"
#include "rig/blendshape_rig.h"

namespace rigwright::rig {
namespace {

/// Windows whose part of a gradient is summed together: fixed, so that the sum does not depend on the threads.
constexpr std::int64_t together = 8;
constexpr std::int64_t heads_at_once = 64;

}  // namespace

void BlendshapeRig::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                           int threads) const {
    const std::int64_t columns = num_columns(), windows = grouped_.num_windows();
    const std::int64_t parts = (windows + together - 1) / together;
    for (std::int64_t start = 0; start < poses.extent(0); start += heads_at_once) {
        const std::int64_t heads = std::min(heads_at_once, poses.extent(0) - start);
        float* partial = Scratch::floats(static_cast<std::size_t>(heads * parts * columns));
        parallel_for(heads * parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i / heads * together, head = i % heads;
                column_gradients(cotangents.row(start + head), first, std::min(first + together, windows),
                                 partial + (head * parts + i / heads) * columns);
            }
        });
        for (std::int64_t t = 0; t < heads; ++t) {
            float* sum = partial + t * parts * columns;
            for (std::int64_t part = 1; part < parts; ++part) {
                for (std::int64_t n = 0; n < columns; ++n) sum[n] += sum[part * columns + n];
            }
            const float* weights = poses.row(start + t);
            float* gradient = gradients.row(start + t);
            std::copy_n(sum, num_shapes(), gradient);
            for (std::int64_t c = 0; c < factors_.num_corrections(); ++c) {
                factors_.add_vjp(c, weights, sum[num_shapes() + c], gradient);
            }
        }
    }
}

void BlendshapeRig::column_gradients(const float* cotangents, std::int64_t first, std::int64_t last,
                                     float* gradients) const {
    std::fill_n(gradients, num_columns(), 0.0f);
    for (std::int64_t g = grouped_.first_group(first); g < grouped_.first_group(last); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        std::int64_t row = group.data;
        for (std::int64_t n = 0; n < 32 * grouped_.num_words(); ++n) {
            if ((static_cast<std::uint32_t>(group.columns[n / 32]) >> n % 32 & 1) == 0) continue;
            float sum = 0.0f;
            for (std::int64_t i = 0; i < 3 * group.size; ++i) {
                const float number =
                    grouped_.is_half() ? grouped_.half_numbers()[row + i] : grouped_.numbers()[row + i];
                sum += number * cotangents[3 * group.vertex[i / 3] + i % 3];
            }
            gradients[n] += sum * grouped_.scale(n);
            row += 3 * group.size;
        }
    }
}

}  // namespace rigwright::rig
