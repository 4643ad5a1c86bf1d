#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/blendshapes/kernels.h"

namespace rigcast::rig {
namespace {

/// Windows per work item. Fixed, because it decides the order of a gradient's sum, which must not depend on the number
/// of threads. More windows need less memory for partial sums, fewer give more items to share among threads.
constexpr std::int64_t windows_per_item = 8;
/// Frames whose partial sums are in memory together; bounds the working memory. Chosen, not tuned.
constexpr std::int64_t frames_per_batch = 16;

}  // namespace

/// Partial sums and row lists of all work items of a batch. An item is one frame in windows_per_item windows.
struct BlendshapeRig::GradientMemory {
    GradientMemory(const BlendshapeRig& rig, std::int64_t items)
        : sums_size(Scratch::padded(rig.num_columns() * blendshape_kernels().lanes)),
          list_size(Scratch::padded(rig.grouped_.row_list_size())),
          words_size(Scratch::padded(rig.grouped_.num_words())),
          memory(static_cast<std::size_t>(items * stride() + words_size)),
          floats(memory.data()) {
        all_columns = reinterpret_cast<std::uint32_t*>(floats + items * stride());
        std::fill_n(all_columns, rig.grouped_.num_words(), ~0u);
    }

    std::int64_t stride() const { return sums_size + 3 * list_size; }
    float* sums(std::int64_t item) const { return floats + item * stride(); }
    std::int64_t* row_begin(std::int64_t item) const { return reinterpret_cast<std::int64_t*>(sums(item) + sums_size); }
    std::int32_t* row_column(std::int64_t item) const {
        return reinterpret_cast<std::int32_t*>(sums(item) + sums_size + 2 * list_size);
    }

    std::int64_t sums_size;  // floats, in whole cache lines, as all sizes here
    std::int64_t list_size;  // of a list of int32
    std::int64_t words_size;
    Scratch::Lease<float> memory;
    float* floats;
    std::uint32_t* all_columns;  // the set of all
};

void BlendshapeRig::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                           int threads) const {
    const std::int64_t items_per_frame = (grouped_.num_windows() + windows_per_item - 1) / windows_per_item;
    for (std::int64_t first = 0; first < poses.extent(0); first += frames_per_batch) {
        const std::int64_t frames = std::min(frames_per_batch, poses.extent(0) - first);
        const GradientMemory memory(*this, frames * items_per_frame);
        parallel_for(frames * items_per_frame, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t part = i / frames;
                const std::int64_t frame = i % frames;
                add_column_gradients(cotangents.row(first + frame), part * windows_per_item, memory,
                                     frame * items_per_frame + part);
            }
        });
        for (std::int64_t t = 0; t < frames; ++t) {
            sum_gradients(poses.row(first + t), memory, t * items_per_frame, items_per_frame, gradients.row(first + t));
        }
    }
}

/// Writes the partial sums of one work item.
void BlendshapeRig::add_column_gradients(const float* cotangents, std::int64_t first_window,
                                         const GradientMemory& memory, std::int64_t item) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    const std::int64_t last_window = std::min(first_window + windows_per_item, grouped_.num_windows());
    float* sums = memory.sums(item);
    std::fill_n(sums, memory.sums_size, 0.0f);
    for (std::int64_t g = grouped_.first_group(first_window); g < grouped_.first_group(last_window); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        const GroupRows rows =
            grouped_.rows(group, memory.all_columns, memory.row_begin(item), memory.row_column(item));
        if (grouped_.is_int16()) {
            kernels.add_gradient_int16(rows, grouped_.int16_values_from(group), cotangents, sums);
        } else {
            kernels.add_gradient(rows, grouped_.float_values_from(group), cotangents, sums);
        }
    }
}

/// Adds the partial sums of a frame in the order of its items, then writes the gradient of the weights by the chain
/// rule through the activations.
void BlendshapeRig::sum_gradients(const float* weights, const GradientMemory& memory, std::int64_t first_item,
                                  std::int64_t items_per_frame, float* gradient) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    float* sums = memory.sums(first_item);
    for (std::int64_t item = 1; item < items_per_frame; ++item) {
        const float* more = memory.sums(first_item + item);
        for (std::int64_t i = 0; i < memory.sums_size; ++i) sums[i] += more[i];
    }
    const auto column_gradient = [&](std::int64_t n) {
        return kernels.sum_lanes(sums + n * kernels.lanes) * grouped_.scale(n);
    };
    for (std::int64_t k = 0; k < num_shapes(); ++k) gradient[k] = column_gradient(k);
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        drivers_.add_vjp(c, weights, column_gradient(num_shapes() + c), gradient);
    }
}

}  // namespace rigcast::rig
