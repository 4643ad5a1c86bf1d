#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/core/tent.h"
#include "rigwright/cuda/machine/block.h"
#include "rigwright/cuda/products/tangent_kernels.h"
#include "rigwright/cuda/products/tile_product.h"

namespace rigwright::cuda {

/// The drivers of the corrections (rig::Driver), as BlendshapePlan lists them.
struct DriverLists {
    const std::int32_t* offset;  // (C + 1)
    const std::int32_t* shape;   // (M)
    const float* tent;           // (M, 3), zeros for a plain weight

    RIGWRIGHT_DEVICE bool is_plain(std::int32_t f) const {
        return tent[3 * f] == 0.0f && tent[3 * f + 1] == 0.0f && tent[3 * f + 2] == 0.0f;
    }
    RIGWRIGHT_DEVICE Tent<float> tent_of(std::int32_t f) const {
        return {tent[3 * f], tent[3 * f + 1], tent[3 * f + 2]};
    }
    RIGWRIGHT_DEVICE float value(std::int32_t f, const float* weights) const {
        const float w = weights[shape[f]];
        return is_plain(f) ? w : tent_of(f).value(w);
    }
    /// The derivative of `value`; at a corner that on the side of larger weights.
    RIGWRIGHT_DEVICE float slope(std::int32_t f, const float* weights) const {
        return is_plain(f) ? 1.0f : tent_of(f).slope(weights[shape[f]], 1);
    }
};

/// Activations of blendshape columns, times their scales: a row per column, a column per head. A column is the weight
/// of a shape or a product of drivers, and 0 if a shape of it is not among the head's prefix.
struct BlendshapeActivations {
    const float* weights;  // (T, K)
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;              // (N)
    const std::int32_t* shape_rank;  // (K) place of each shape in the order
    const std::int32_t* length;      // (T) shapes of each head's prefix
    const std::int32_t* source;      // (T) row of the weights of each head
    std::int64_t num_heads;
    float* activations;  // (N, T)

    RIGWRIGHT_DEVICE void operator()(std::int64_t n, std::int64_t head) const {
        const float* w = weights + source[head] * num_shapes;
        float product = 1.0f;
        bool inside = true;
        if (n < num_shapes) {
            product = w[n];
            inside = shape_rank[n] < length[head];
        } else {
            for (std::int32_t f = drivers.offset[n - num_shapes]; f < drivers.offset[n - num_shapes + 1]; ++f) {
                product *= drivers.value(f, w);
                inside = inside && shape_rank[drivers.shape[f]] < length[head];
            }
        }
        activations[n * num_heads + head] = inside ? product * scale[n] : 0.0f;
    }
};

/// The derivatives of the activations of whole rigs along tangents of the weights.
struct BlendshapeActivationTangents {
    const float* weights;   // (T, K)
    const float* tangents;  // (R, K)
    TangentRows rows;
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;  // (N)
    std::int64_t num_tangents;
    float* activations;  // (N, R)

    RIGWRIGHT_DEVICE void operator()(std::int64_t n, std::int64_t row) const {
        const float* w = weights + rows.pose(row) * num_shapes;
        const float* dw = tangents + row * num_shapes;
        float sum = 0.0f;
        if (n < num_shapes) {
            sum = dw[n];
        } else {
            const std::int32_t begin = drivers.offset[n - num_shapes], end = drivers.offset[n - num_shapes + 1];
            for (std::int32_t own = begin; own < end; ++own) {
                float product = dw[drivers.shape[own]] * drivers.slope(own, w);
                for (std::int32_t other = begin; other < end; ++other) {
                    if (other != own) product *= drivers.value(other, w);
                }
                sum += product;
            }
        }
        activations[n * num_tangents + row] = sum * scale[n];
    }
};

/// Vertices = neutral + numbers^T activations for all heads in one launch (Carrigan 2020, ch. 4, whose kernel reads
/// every shape once a head): each number is read once for 64 heads. `Number` is float or int16, whose scale is in
/// the activations. Heads come by falling prefix length, and a block stops at the last row that one of its heads uses.
///
/// A block of 256 threads computes 64 heads x 32 vertices, 16 rows at a time; a warp 8 heads x 96 coordinates; a thread
/// 8 heads x 3 coordinates, 32 apart.
template <class Number>
struct BlendshapeProduct {
    static constexpr int threads = 256;
    static constexpr int heads = 64;           // of a block
    static constexpr int members = 32;         // vertices of a block
    static constexpr int width = 3 * members;  // numbers of a row
    static constexpr int depth = 16;           // rows of a step
    static constexpr int heads_each = 8;
    static constexpr int numbers_each = 3;
    static_assert(threads / warp_size * heads_each == heads && warp_size * numbers_each == width);

    struct Shared {
        alignas(16) float x[depth][heads + 4];
        alignas(16) float b[depth][width];
    };
    struct Registers {
        float sum[heads_each][numbers_each];
    };

    const std::int32_t* tile_offset;  // (tiles + 1)
    const std::int32_t* column;       // (R)
    const std::int32_t* row;          // (R)
    const std::int32_t* rank;         // (R) rising inside a tile
    const Number* numbers;            // (R, width)
    const std::int32_t* vertex;       // (tiles, members)
    const float* neutral;             // (V, 3)
    std::int64_t num_vertices;
    const float* activations;    // (N, T)
    const std::int32_t* length;  // (T) falling
    const std::int32_t* target;  // (T) where each head's vertices go
    std::int64_t num_heads;
    float* vertices;  // (T, V, 3)

    /// Rows of a tile that the block's first head, whose prefix is the longest, uses.
    RIGWRIGHT_DEVICE std::int32_t num_rows(Block block) const {
        const std::int32_t begin = tile_offset[block.column], longest = length[block.row * heads];
        std::int32_t low = begin, high = tile_offset[block.column + 1];
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            if (rank[middle] < longest) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - begin;
    }

    RIGWRIGHT_DEVICE int steps(Block block) const { return (num_rows(block) + depth - 1) / depth; }

    RIGWRIGHT_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const std::int32_t begin = tile_offset[block.column], end = tile_offset[block.column + 1];
        for (int i = thread; i < depth * heads; i += threads) {
            const std::int32_t r = begin + step * depth + i / heads;
            const std::int64_t head = block.row * heads + i % heads;
            shared.x[i / heads][i % heads] =
                r < end && head < num_heads ? activations[column[r] * num_heads + head] : 0.0f;
        }
        for (int i = thread; i < depth * width; i += threads) {
            const std::int32_t r = begin + step * depth + i / width;
            shared.b[i / width][i % width] =
                r < end ? static_cast<float>(numbers[static_cast<std::int64_t>(row[r]) * width + i % width]) : 0.0f;
        }
    }

    RIGWRIGHT_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.x, shared.b, registers.sum);
    }

    RIGWRIGHT_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const std::int64_t first_head = block.row * heads + thread / warp_size * heads_each;
        for (int j = 0; j < numbers_each; ++j) {
            const int coordinate = thread % warp_size + warp_size * j;
            const std::int32_t v = vertex[block.column * members + coordinate / 3];
            if (v < 0) continue;
            const std::int64_t at = std::int64_t{3} * v + coordinate % 3;
            for (int i = 0; i < heads_each; ++i) {
                if (first_head + i >= num_heads) break;
                vertices[target[first_head + i] * 3 * num_vertices + at] = neutral[at] + registers.sum[i][j];
            }
        }
    }
};

}  // namespace rigwright::cuda
