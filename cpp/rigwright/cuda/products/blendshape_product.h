#pragma once
#include <cstdint>

#include "rigwright/core/portable.h"
#include "rigwright/core/tent.h"
#include "rigwright/cuda/machine/block.h"
#include "rigwright/cuda/products/tangent_kernels.h"
#include "rigwright/cuda/products/tile_product.h"

namespace rigwright::cuda {

/// The drivers of the combinations (rig::Driver), as BlendshapePlan lists them. Combination c has the drivers offset[c]
/// to before offset[c + 1].
struct DriverLists {
    const std::int32_t* offset;  // (C + 1)
    const std::int32_t* shape;   // (M)
    const float* tent;           // (M, 3), zeros for a plain weight

    RIGWRIGHT_DEVICE bool is_plain(std::int32_t d) const {
        return tent[3 * d] == 0.0f && tent[3 * d + 1] == 0.0f && tent[3 * d + 2] == 0.0f;
    }
    RIGWRIGHT_DEVICE Tent<float> tent_of(std::int32_t d) const {
        return {tent[3 * d], tent[3 * d + 1], tent[3 * d + 2]};
    }
    RIGWRIGHT_DEVICE float value(std::int32_t d, const float* weights) const {
        const float w = weights[shape[d]];
        return is_plain(d) ? w : tent_of(d).value(w);
    }
    /// The derivative of `value`; at a corner of the tent, that toward larger weights.
    RIGWRIGHT_DEVICE float slope(std::int32_t d, const float* weights) const {
        return is_plain(d) ? 1.0f : tent_of(d).slope(weights[shape[d]], 1);
    }
};

/// Activations of blendshape columns, times the columns' scales. An activation is the weight of a shape or a product of
/// drivers; it is 0 if one of its shapes is not in the frame's prefix. Frames are in the order of BlendshapeProduct.
struct BlendshapeActivations {
    const float* weights;  // (T, K)
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;              // (N)
    const std::int32_t* shape_rank;  // (K) position of each shape in the order
    const std::int32_t* length;      // (T) shapes in each frame's prefix
    const std::int32_t* source;      // (T) row of `weights` of each frame
    std::int64_t num_frames;
    float* activations;  // (N, T)

    RIGWRIGHT_DEVICE void operator()(std::int64_t n, std::int64_t frame) const {
        const float* w = weights + source[frame] * num_shapes;
        float product = 1.0f;
        bool inside = true;
        if (n < num_shapes) {
            product = w[n];
            inside = shape_rank[n] < length[frame];
        } else {
            for (std::int32_t d = drivers.offset[n - num_shapes]; d < drivers.offset[n - num_shapes + 1]; ++d) {
                product *= drivers.value(d, w);
                inside = inside && shape_rank[drivers.shape[d]] < length[frame];
            }
        }
        activations[n * num_frames + frame] = inside ? product * scale[n] : 0.0f;
    }
};

/// The derivatives of the activations, without prefixes, along tangents of the weights.
struct BlendshapeActivationTangents {
    const float* weights;   // (T, K)
    const float* tangents;  // (R, K)
    TangentFrames frames;
    std::int64_t num_shapes;
    DriverLists drivers;
    const float* scale;  // (N)
    std::int64_t num_tangents;
    float* activations;  // (N, R)

    RIGWRIGHT_DEVICE void operator()(std::int64_t n, std::int64_t r) const {
        const float* w = weights + frames.frame(r) * num_shapes;
        const float* dw = tangents + r * num_shapes;
        float sum = 0.0f;
        if (n < num_shapes) {
            sum = dw[n];
        } else {
            const std::int32_t begin = drivers.offset[n - num_shapes];
            const std::int32_t end = drivers.offset[n - num_shapes + 1];
            for (std::int32_t d = begin; d < end; ++d) {
                float product = dw[drivers.shape[d]] * drivers.slope(d, w);
                for (std::int32_t other = begin; other < end; ++other) {
                    if (other != d) product *= drivers.value(other, w);
                }
                sum += product;
            }
        }
        activations[n * num_tangents + r] = sum * scale[n];
    }
};

/// Vertices = neutral + values^T activations for all frames in one launch: each value is read once per 64 frames
/// (Carrigan 2020, ch. 4, whose kernel reads every shape once per frame). `Value` is float or int16, whose scale is in
/// the activations.
///
/// A tile is 32 vertices with the columns that move them, each a row of 96 values (BlendshapePlan). Frames come in the
/// order of descending prefix lengths, and a block stops at the last row that one of its frames needs.
///
/// A block of 256 threads computes 64 frames x 32 vertices, 16 rows per step; a warp 8 frames x 96 coordinates; a
/// thread 8 frames x 3 coordinates, 32 apart.
template <class Value>
struct BlendshapeProduct {
    static constexpr int threads = 256;
    static constexpr int frames_per_block = 64;
    static constexpr int vertices_per_tile = 32;
    static constexpr int values_per_row = 3 * vertices_per_tile;
    static constexpr int rows_per_step = 16;
    static constexpr int frames_per_thread = 8;
    static constexpr int values_per_thread = 3;
    static_assert(threads / warp_size * frames_per_thread == frames_per_block);
    static_assert(warp_size * values_per_thread == values_per_row);

    struct Shared {
        alignas(16) float x[rows_per_step][frames_per_block + 4];
        alignas(16) float b[rows_per_step][values_per_row];
    };
    struct Registers {
        float sum[frames_per_thread][values_per_thread];
    };

    const std::int32_t* tile_offset;  // (tiles + 1) into the rows
    const std::int32_t* column;       // (R) column of each row
    const std::int32_t* row;          // (R) index of its values
    const std::int32_t* rank;         // (R) position of its column's last shape in the order; ascends inside a tile
    const Value* values;              // (R, values_per_row)
    const std::int32_t* vertex;       // (tiles, vertices_per_tile), -1 after the last vertex
    const float* neutral;             // (V, 3)
    std::int64_t num_vertices;
    const float* activations;    // (N, T)
    const std::int32_t* length;  // (T) of the prefixes, descending
    const std::int32_t* target;  // (T) row of `vertices` of each frame
    std::int64_t num_frames;
    float* vertices;  // (T, V, 3)

    /// Rows of a tile that the block's first frame, which has the longest prefix, needs.
    RIGWRIGHT_DEVICE std::int32_t num_rows(Block block) const {
        const std::int32_t begin = tile_offset[block.column];
        const std::int32_t longest = length[block.row * frames_per_block];
        std::int32_t low = begin;
        std::int32_t high = tile_offset[block.column + 1];
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

    RIGWRIGHT_DEVICE int steps(Block block) const { return (num_rows(block) + rows_per_step - 1) / rows_per_step; }

    RIGWRIGHT_DEVICE void load(Block block, int thread, int step, Shared& shared) const {
        const std::int32_t first_row = tile_offset[block.column] + step * rows_per_step;
        const std::int32_t end = tile_offset[block.column + 1];
        for (int i = thread; i < rows_per_step * frames_per_block; i += threads) {
            const std::int32_t r = first_row + i / frames_per_block;
            const std::int64_t frame = block.row * frames_per_block + i % frames_per_block;
            shared.x[i / frames_per_block][i % frames_per_block] =
                r < end && frame < num_frames ? activations[column[r] * num_frames + frame] : 0.0f;
        }
        for (int i = thread; i < rows_per_step * values_per_row; i += threads) {
            const std::int32_t r = first_row + i / values_per_row;
            const int value = i % values_per_row;
            shared.b[i / values_per_row][value] =
                r < end ? static_cast<float>(values[static_cast<std::int64_t>(row[r]) * values_per_row + value]) : 0.0f;
        }
    }

    RIGWRIGHT_DEVICE void multiply(int thread, const Shared& shared, Registers& registers) const {
        multiply_tile(thread, shared.x, shared.b, registers.sum);
    }

    RIGWRIGHT_DEVICE void store(Block block, int thread, const Registers& registers) const {
        const std::int64_t first_frame = block.row * frames_per_block + thread / warp_size * frames_per_thread;
        for (int j = 0; j < values_per_thread; ++j) {
            const int value = thread % warp_size + warp_size * j;
            const std::int32_t v = vertex[block.column * vertices_per_tile + value / 3];
            if (v < 0) continue;
            const std::int64_t coordinate = std::int64_t{3} * v + value % 3;
            for (int i = 0; i < frames_per_thread; ++i) {
                if (first_frame + i >= num_frames) break;
                vertices[target[first_frame + i] * 3 * num_vertices + coordinate] =
                    neutral[coordinate] + registers.sum[i][j];
            }
        }
    }
};

}  // namespace rigwright::cuda
