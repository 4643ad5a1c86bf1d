#include <algorithm>
#include <vector>

#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"
#include "rigwright/rig/blendshapes/blendshape_rig.h"
#include "rigwright/rig/blendshapes/kernels.h"
#include "rigwright/rig/blendshapes/transpose_heads.h"

namespace rigwright::rig {
namespace {

/// Vertices of more bytes than this fit no cache until somebody reads them.
constexpr std::int64_t kept_by_caches = 16 << 20;

/// So many heads' sums of a window still stay in the second cache: 3 * 512 * 128 floats are 768 KB.
constexpr std::int64_t heads_of_piece = 128;

/// Parts of a thread's scratch, one after another on cache lines.
class Parts {
public:
    template <class T>
    static std::size_t floats(std::int64_t count) {
        return Scratch::padded((static_cast<std::size_t>(count) * sizeof(T) + sizeof(float) - 1) / sizeof(float));
    }
    Parts() = default;
    explicit Parts(std::size_t count) : memory_(count), next_(memory_.data()) {}

    template <class T>
    T* take(std::int64_t count) {
        T* part = reinterpret_cast<T*>(next_);
        next_ += floats<T>(count);
        return part;
    }

private:
    Scratch::Lease<float> memory_;
    float* next_ = nullptr;
};

}  // namespace

/// Adding 0 leaves no negative zero, as in the kernels.
void copy_still(std::span<const GroupedColumns::Run> still, const float* neutral, float* vertices) {
    for (const GroupedColumns::Run& run : still) {
        for (std::int64_t i = 3 * run.first; i < 3 * (std::int64_t{run.first} + run.count); ++i) {
            vertices[i] = neutral[i] + 0.0f;
        }
    }
}

/// Working memory of a piece: some heads, in some windows.
struct BlendshapeRig::Workspace {
    Workspace(const BlendshapeRig& rig, std::int64_t heads, bool is_large) : past_caches(is_large) {
        const BlendshapeKernels& kernels = blendshape_kernels();
        const std::int64_t columns = rig.num_columns(), words = rig.grouped_.num_words(), shapes = rig.num_shapes();
        const std::int64_t room = rig.grouped_.list_room();
        // Fewer heads than half a vector cost less one after another: measured, six of sixteen even out.
        side_by_side = 2 * heads >= kernels.lanes;
        stride = side_by_side ? (heads + kernels.lanes - 1) / kernels.lanes * kernels.lanes : 1;
        const std::int64_t masks = side_by_side ? words : heads * words;
        const std::int64_t all = columns * (side_by_side ? stride : heads);
        const std::int64_t window = side_by_side ? 3 * GroupedColumns::window * stride : 0;
        const std::int64_t wide = side_by_side && rig.grouped_.is_half() ? rig.grouped_.largest_group() : 0;
        parts =
            Parts(Parts::floats<float>(all) + Parts::floats<float>(columns) + Parts::floats<float>(window) +
                  Parts::floats<float>(wide) + Parts::floats<std::uint32_t>(masks) + Parts::floats<std::int64_t>(room) +
                  Parts::floats<std::int32_t>(room) + Parts::floats<std::int32_t>(shapes));
        activations = parts.take<float>(all);
        own = parts.take<float>(columns);
        sums = parts.take<float>(window);
        widened = parts.take<float>(wide);
        used = parts.take<std::uint32_t>(masks);
        first = parts.take<std::int64_t>(room);
        column = parts.take<std::int32_t>(room);
        rank = parts.take<std::int32_t>(shapes);
        std::fill_n(used, masks, 0u);
        if (side_by_side) std::fill_n(activations, all, 0.0f);
    }

    /// Calls body(first head, heads in whole vectors) for the runs of heads that a kernel takes at once. Of such a run
    /// activations and sums are matrices of their own, one run's after the other's.
    template <class Body>
    void for_blocks(const Body& body) const {
        const std::int64_t block = blendshape_kernels().block;
        for (std::int64_t h = 0; h < stride; h += block) body(h, std::min(block, stride - h));
    }

    Parts parts;
    bool past_caches;      // how vertices are written
    bool side_by_side;     // heads in vectors, or one after another
    std::int64_t stride;   // heads in whole vectors
    float* activations;    // side by side: (N, block) of each block; otherwise (heads, N)
    float* own;            // (N) of one head
    float* sums;           // (3 window, block) of each block
    float* widened;        // numbers of a group
    std::uint32_t* used;   // columns with an activation: (words) of all heads, or (heads, words)
    std::int64_t* first;   // for GroupRows
    std::int32_t* column;  // as well
    std::int32_t* rank;    // (K) place of each shape in the order
};

void BlendshapeRig::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    run({poses, character().rest_vertices.data()}, vertices, threads);
}

void BlendshapeRig::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                           int threads) const {
    const std::vector<float> zero(static_cast<std::size_t>(3 * character().num_vertices()));
    run({poses, zero.data(), nullptr, &tangents}, derivatives, threads);
}

void BlendshapeRig::evaluate_prefix(View<const float, 2> weights, const Prefix& prefix, View<float, 3> vertices,
                                    int threads) const {
    check_arguments("evaluate", "out", weights, vertices);
    check_prefix(prefix, num_shapes(), weights.extent(0));
    run({weights, character().rest_vertices.data(), &prefix}, vertices, threads);
}

/// Heads come in pieces of some blocks that the kernels take side by side: a group's numbers are read once for all.
/// A few pieces are cut into runs of windows, so that all threads have work; how, changes no result.
void BlendshapeRig::run(const Heads& all, View<float, 3> vertices, int threads) const {
    const std::int64_t heads = all.weights.extent(0), windows = grouped_.num_windows();
    if (heads == 0) return;
    if (threads <= 0) threads = num_processors();
    const std::int64_t block = heads_of_piece, blocks = (heads + block - 1) / block;
    const std::int64_t wanted = threads == 1 ? 1 : (4 * threads + blocks - 1) / blocks;
    const std::int64_t run_length = (windows + wanted - 1) / wanted, runs = (windows + run_length - 1) / run_length;
    const std::int64_t bytes = heads * 3 * character().num_vertices() * static_cast<std::int64_t>(sizeof(float));
    const bool is_large = bytes > kept_by_caches;
    parallel_for(blocks * runs, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t head = i / runs * block, window = i % runs * run_length;
            const std::int64_t count = std::min(block, heads - head);
            const Workspace space(*this, count, is_large);
            activate(all, head, count, space);
            for (std::int64_t w = window; w < std::min(window + run_length, windows); ++w) {
                if (space.side_by_side) {
                    evaluate_side_by_side(space, all.base, w, count, vertices.row(head));
                } else {
                    evaluate_each(space, all.base, w, count, vertices.row(head));
                }
            }
        }
    });
}

/// The activations of `count` heads, scaled as 16-bit numbers ask for, and which of them are not 0.
void BlendshapeRig::activate(const Heads& heads, std::int64_t head, std::int64_t count, const Workspace& space) const {
    const std::int64_t columns = num_columns(), words = grouped_.num_words();
    if (heads.prefix) {
        for (std::int64_t k = 0; k < num_shapes(); ++k)
            space.rank[heads.prefix->order(k)] = static_cast<std::int32_t>(k);
    }
    for (std::int64_t h = 0; h < count; ++h) {
        float* own = space.side_by_side ? space.own : space.activations + h * columns;
        std::uint32_t* used = space.side_by_side ? space.used : space.used + h * words;
        activations_of(heads, head + h, own);
        if (heads.prefix) cut(space.rank, heads.prefix->length(head + h), own);
        for (std::int64_t n = 0; n < columns; ++n) {
            if (own[n] == 0.0f) continue;
            own[n] *= grouped_.scale(n);
            used[n / 32] |= std::uint32_t{1} << (n % 32);
        }
        if (space.side_by_side) {
            const std::int64_t block = blendshape_kernels().block, first = h / block * block;
            float* column = space.activations + columns * first + h % block;
            for (std::int64_t n = 0; n < columns; ++n) column[n * std::min(block, space.stride - first)] = own[n];
        }
    }
}

void BlendshapeRig::activations_of(const Heads& heads, std::int64_t head, float* own) const {
    const float* weights = heads.weights.row(head);
    if (heads.tangents == nullptr) {
        activations({weights, {num_shapes()}}, {own, {num_columns()}});
        return;
    }
    const float* tangents = heads.tangents->row(head);
    std::copy_n(tangents, num_shapes(), own);
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        own[num_shapes() + c] = drivers_.activation_tangent(c, weights, tangents);
    }
}

void BlendshapeRig::cut(const std::int32_t* rank, std::int32_t length, float* activations) const {
    const std::int64_t shapes = num_shapes();
    for (std::int64_t k = 0; k < shapes; ++k) {
        if (rank[k] >= length) activations[k] = 0.0f;
    }
    for (std::int64_t c = 0; c < drivers_.num_corrections(); ++c) {
        const auto drivers = drivers_.of(c);
        const auto outside = [&](const Driver& factor) { return rank[factor.shape] >= length; };
        if (std::any_of(drivers.begin(), drivers.end(), outside)) activations[shapes + c] = 0.0f;
    }
}

void BlendshapeRig::evaluate_side_by_side(const Workspace& space, const float* neutral, std::int64_t window,
                                          std::int64_t heads, float* vertices) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    const std::int64_t start = window * GroupedColumns::window, coordinates = 3 * character().num_vertices();
    const auto still = grouped_.still(window);
    constexpr std::int64_t rows_of_sums = 3 * GroupedColumns::window;
    if (grouped_.first_group(window) == grouped_.first_group(window + 1)) {
        write_equal_rows(neutral + 3 * start, std::min(rows_of_sums, coordinates - 3 * start), heads,
                         vertices + 3 * start, coordinates, space.past_caches);
        return;
    }
    space.for_blocks([&](std::int64_t first, std::int64_t stride) {
        for (const GroupedColumns::Run& run : still) {
            for (std::int64_t i = 3 * run.first; i < 3 * (std::int64_t{run.first} + run.count); ++i) {
                std::fill_n(space.sums + rows_of_sums * first + (i - 3 * start) * stride, stride, neutral[i]);
            }
        }
    });
    for (std::int64_t g = grouped_.first_group(window); g < grouped_.first_group(window + 1); ++g) {
        const GroupedColumns::Group group = grouped_.group(g);
        const GroupRows rows = grouped_.rows(group, space.used, space.first, space.column);
        const float* numbers = space.widened;
        if (!grouped_.is_half()) {
            numbers = grouped_.numbers() + group.data;
        } else if (rows.count > 0) {
            kernels.widen(grouped_.half_numbers() + group.data, grouped_.size(g), space.widened);
        }
        space.for_blocks([&](std::int64_t first, std::int64_t stride) {
            kernels.many(rows, numbers, neutral, space.activations + num_columns() * first, stride, start,
                         space.sums + rows_of_sums * first);
        });
    }
    space.for_blocks([&](std::int64_t first, std::int64_t stride) {
        write_head_rows(space.sums + rows_of_sums * first, stride, std::min(rows_of_sums, coordinates - 3 * start),
                        std::min(stride, heads - first), vertices + first * coordinates + 3 * start, coordinates,
                        space.past_caches);
    });
}

void BlendshapeRig::evaluate_each(const Workspace& space, const float* neutral, std::int64_t window, std::int64_t heads,
                                  float* vertices) const {
    const BlendshapeKernels& kernels = blendshape_kernels();
    for (std::int64_t h = 0; h < heads; ++h, vertices += 3 * character().num_vertices()) {
        const float* activations = space.activations + h * num_columns();
        const std::uint32_t* used = space.used + h * grouped_.num_words();
        copy_still(grouped_.still(window), neutral, vertices);
        for (std::int64_t g = grouped_.first_group(window); g < grouped_.first_group(window + 1); ++g) {
            const GroupedColumns::Group group = grouped_.group(g);
            const GroupRows rows = grouped_.rows(group, used, space.first, space.column);
            if (grouped_.is_half()) {
                kernels.one_half(rows, grouped_.half_from(group), neutral, activations, vertices);
            } else {
                kernels.one(rows, grouped_.from(group), neutral, activations, vertices);
            }
        }
    }
}

}  // namespace rigwright::rig
