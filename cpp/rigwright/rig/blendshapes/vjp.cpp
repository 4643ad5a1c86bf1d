#include <algorithm>

#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"
#include "rigwright/rig/blendshapes/kernels.h"

namespace rigwright::rig {
namespace {

/// Windows whose part of a gradient is summed together: fixed, so that the sum does not depend on the threads.
constexpr std::int64_t windows_at_once = 8;
constexpr std::int64_t heads_at_once = 16;

}  // namespace

/// The sums of a piece, one head in some windows, and the lists that making them needs.
struct BlendshapeRig::GradientMemory {
    GradientMemory(const BlendshapeRig& rig, std::int64_t pieces)
        : sums_size(Scratch::padded(rig.num_columns() * blendshape_kernels().lanes)),
          list_size(Scratch::padded(rig.grouped_.list_room())),
          words_size(Scratch::padded(rig.grouped_.num_words())),
          memory(static_cast<std::size_t>(pieces * stride() + words_size)),
          floats(memory.data()) {
        every = reinterpret_cast<std::uint32_t*>(floats + pieces * stride());
        std::fill_n(every, rig.grouped_.num_words(), ~0u);
    }

    std::int64_t stride() const { return sums_size + 3 * list_size; }
    float* sums(std::int64_t piece) const { return floats + piece * stride(); }
    std::int64_t* first(std::int64_t piece) const { return reinterpret_cast<std::int64_t*>(sums(piece) + sums_size); }
    std::int32_t* column(std::int64_t piece) const {
        return reinterpret_cast<std::int32_t*>(sums(piece) + sums_size + 2 * list_size);
    }

    std::int64_t sums_size, list_size, words_size;
    Scratch::Lease<float> memory;
    float* floats;
    std::uint32_t* every;  // all columns
};

void BlendshapeRig::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                           int threads) const {
    const std::int64_t windows = grouped_.num_windows();
    const std::int64_t parts = (windows + windows_at_once - 1) / windows_at_once;
    for (std::int64_t start = 0; start < poses.extent(0); start += heads_at_once) {
        const std::int64_t heads = std::min(heads_at_once, poses.extent(0) - start);
        const GradientMemory memory(*this, heads * parts);
        parallel_for(heads * parts, 1, threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t part = i / heads, head = i % heads;
                add_columns(cotangents.row(start + head), part * windows_at_once, memory, head * parts + part);
            }
        });
        for (std::int64_t t = 0; t < heads; ++t) {
            add_up(poses.row(start + t), memory, t * parts, parts, gradients.row(start + t));
        }
    }
}

void BlendshapeRig::add_columns(const float* cotangents, std::int64_t window, const GradientMemory& memory,
                                std::int64_t piece) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    const std::int64_t last = std::min(window + windows_at_once, grouped_.num_windows());
    std::fill_n(memory.sums(piece), memory.sums_size, 0.0f);
    for (std::int64_t g = grouped_.first_group(window); g < grouped_.first_group(last); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        const GroupRows rows = grouped_.rows(group, memory.every, memory.first(piece), memory.column(piece));
        if (grouped_.is_half()) {
            kernels.gradient_half(rows, grouped_.half_from(group), cotangents, memory.sums(piece));
        } else {
            kernels.gradient(rows, grouped_.from(group), cotangents, memory.sums(piece));
        }
    }
}

/// Adds the parts of a head in their order, and takes the gradients of the activations on to the weights.
void BlendshapeRig::add_up(const float* weights, const GradientMemory& memory, std::int64_t piece, std::int64_t parts,
                           float* gradient) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    float* sums = memory.sums(piece);
    for (std::int64_t part = 1; part < parts; ++part) {
        const float* more = memory.sums(piece + part);
        for (std::int64_t i = 0; i < memory.sums_size; ++i) sums[i] += more[i];
    }
    const auto column_gradient = [&](std::int64_t n) {
        return kernels.total(sums + n * kernels.lanes) * grouped_.scale(n);
    };
    for (std::int64_t k = 0; k < num_shapes(); ++k) gradient[k] = column_gradient(k);
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        drivers_.add_vjp(c, weights, column_gradient(num_shapes() + c), gradient);
    }
}

}  // namespace rigwright::rig
