#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/core/tent.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {

/// The drivers of the combinations (rig::Driver), as BlendshapePlan lists them. Combination c has the drivers offset[c]
/// to before offset[c + 1].
struct DriverLists {
    const std::int32_t* offset;  // (C + 1)
    const std::int32_t* shape;   // (M)
    const float* tent;           // (M, 3), zeros for a plain weight

    RIGCAST_DEVICE bool is_plain(std::int32_t d) const {
        return tent[3 * d] == 0.0f && tent[3 * d + 1] == 0.0f && tent[3 * d + 2] == 0.0f;
    }
    RIGCAST_DEVICE Tent<float> tent_of(std::int32_t d) const { return {tent[3 * d], tent[3 * d + 1], tent[3 * d + 2]}; }
    RIGCAST_DEVICE float value(std::int32_t d, const float* weights) const {
        const float w = weights[shape[d]];
        return is_plain(d) ? w : tent_of(d).value(w);
    }
    /// The derivative of `value`; at a corner of the tent, that toward larger weights.
    RIGCAST_DEVICE float slope(std::int32_t d, const float* weights) const {
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
    std::int64_t pitch;              // of `activations`
    float* activations;              // (N, pitch): T frames

    RIGCAST_DEVICE void operator()(std::int64_t n, std::int64_t frame) const {
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
        activations[n * pitch + frame] = inside ? product * scale[n] : 0.0f;
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
    std::int64_t pitch;  // of `activations`
    float* activations;  // (N, pitch): R tangents

    RIGCAST_DEVICE void operator()(std::int64_t n, std::int64_t r) const {
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
        activations[n * pitch + r] = sum * scale[n];
    }
};

/// A row of a tile: a column of the rig, and the index of its values.
struct alignas(8) TileRow {
    std::int32_t column;
    std::int32_t row;
};

/// Team kernel: vertices = neutral + values^T activations for all frames in one launch: each value is read once per 8
/// frames (Carrigan 2020, ch. 4, whose kernel reads every shape once per frame), mostly from the L2 cache. `Value` is
/// float or int16, whose scale is in the activations.
///
/// A tile is 32 vertices of a window with the columns that move them, each a row of 96 values (BlendshapePlan). Frames
/// come in the order of descending prefix lengths, and 8 frames stop at the last row that the first of them needs.
///
/// A team computes 8 frames of one window: a warp a tile at a time, a thread 3 coordinates of it, 32 apart. Rows are
/// few and short, so that values go to registers directly: on an H100, waiting for barriers and for lists of rows took
/// two thirds of the time of a product through shared memory. A tile's vertices are scattered over the window, and 12
/// bytes at a time take the L2 cache 3.5 x as many sectors as whole lines: sums are gathered in shared memory and
/// written from there.
template <class Value>
struct BlendshapeProduct {
    static constexpr int threads = 256;
    static constexpr int blocks = 3;  // 80 registers per thread
    static constexpr int warp_size = 32;
    static constexpr int vertices_per_tile = 32;
    static constexpr int vertices_per_window = 512;
    static constexpr int tiles_per_window = vertices_per_window / vertices_per_tile;
    static constexpr int coordinates_per_window = 3 * vertices_per_window;
    static constexpr int values_per_row = 3 * vertices_per_tile;
    static constexpr int rows_at_once = 4;  // whose loads a thread waits for together
    static constexpr int frames_per_team = 8;
    static constexpr int values_per_thread = 3;
    static constexpr std::int64_t num_shared =
        frames_per_team * coordinates_per_window / 2;  // doubles of a team: 48 KB
    static_assert(warp_size * values_per_thread == values_per_row);

    const std::int32_t* tile_offset;  // (tiles + 1) into the rows
    const TileRow* rows;              // (R)
    const std::int32_t* rank;         // (R) position of its column's last shape in the order; ascends inside a tile
    std::int64_t num_shapes;
    const Value* values;         // (R, values_per_row)
    const std::int32_t* vertex;  // (tiles, vertices_per_tile), -1 after the last vertex
    const float* neutral;        // (V, 3)
    std::int64_t num_vertices;
    std::int64_t num_windows;
    const float* activations;    // (N, pitch)
    std::int32_t pitch;          // a multiple of frames_per_team, at least T
    const std::int32_t* length;  // (T) of the prefixes, descending
    const std::int32_t* target;  // (T) row of `vertices` of each frame
    std::int64_t num_frames;
    float* vertices;  // (T, V, 3)

    /// Teams of the launch.
    RIGCAST_DEVICE std::int64_t num_teams() const { return num_windows * num_frame_groups(); }

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        float* sums = reinterpret_cast<float*>(team.shared());  // (frames_per_team, coordinates_per_window)
        for (std::int64_t i = team.index(); i < num_teams(); i += team.count()) {
            const std::int64_t window = i / num_frame_groups();
            const std::int64_t first_frame = i % num_frame_groups() * frames_per_team;
            team.each(tiles_per_window * warp_size,
                      [&](int n) { sum_tile(window, n / warp_size, first_frame, n % warp_size, sums); });
            team.each(frames_per_team * coordinates_per_window, [&](int n) {
                const std::int64_t frame = first_frame + n / coordinates_per_window;
                const std::int64_t coordinate = window * coordinates_per_window + n % coordinates_per_window;
                if (frame >= num_frames || coordinate >= 3 * num_vertices) return;
                vertices[target[frame] * 3 * num_vertices + coordinate] = neutral[coordinate] + sums[n];
            });
        }
    }

private:
    struct alignas(16) Four {
        float value[4];
    };
    struct RowValues {
        Four x[frames_per_team / 4];
        float b[values_per_thread];
    };

    RIGCAST_DEVICE std::int64_t num_frame_groups() const {
        return (num_frames + frames_per_team - 1) / frames_per_team;
    }

    /// The end of the rows of a tile that a prefix needs.
    RIGCAST_DEVICE std::int32_t end_of_rows(std::int64_t tile, std::int32_t prefix) const {
        std::int32_t low = tile_offset[tile];
        std::int32_t high = tile_offset[tile + 1];
        if (prefix >= num_shapes) return high;
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            if (rank[middle] < prefix) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    RIGCAST_DEVICE RowValues load(std::int32_t r, std::int64_t first_frame, int lane) const {
        RowValues result;
        const TileRow from = rows[r];
        const float* x = activations + first_frame + std::int64_t{from.column} * pitch;
        const Value* b = values + lane + std::int64_t{from.row} * values_per_row;
        RIGCAST_UNROLL
        for (int i = 0; i < frames_per_team / 4; ++i) result.x[i] = reinterpret_cast<const Four*>(x)[i];
        RIGCAST_UNROLL
        for (int j = 0; j < values_per_thread; ++j) result.b[j] = static_cast<float>(b[warp_size * j]);
        return result;
    }

    /// Writes the sums of 8 frames at a lane's coordinates of tile `in_window`.
    RIGCAST_DEVICE void sum_tile(std::int64_t window, int in_window, std::int64_t first_frame, int lane,
                                 float* sums) const {
        const std::int64_t tile = window * tiles_per_window + in_window;
        const std::int32_t end = end_of_rows(tile, length[first_frame]);
        float sum[frames_per_team][values_per_thread] = {};
        const auto add = [&](const RowValues& from) {
            RIGCAST_UNROLL
            for (int i = 0; i < frames_per_team; ++i) {
                RIGCAST_UNROLL
                for (int j = 0; j < values_per_thread; ++j) sum[i][j] += from.x[i / 4].value[i % 4] * from.b[j];
            }
        };
        std::int32_t r = tile_offset[tile];
        RIGCAST_ROLLED
        for (; r + rows_at_once <= end; r += rows_at_once) {
            RowValues loaded[rows_at_once];
            RIGCAST_UNROLL
            for (int k = 0; k < rows_at_once; ++k) loaded[k] = load(r + k, first_frame, lane);
            RIGCAST_UNROLL
            for (int k = 0; k < rows_at_once; ++k) add(loaded[k]);
        }
        RIGCAST_ROLLED
        for (; r < end; ++r) add(load(r, first_frame, lane));
        RIGCAST_UNROLL
        for (int j = 0; j < values_per_thread; ++j) {
            const int value = lane + warp_size * j;
            const std::int32_t v = vertex[tile * vertices_per_tile + value / 3];
            if (v < 0) continue;
            const std::int64_t coordinate = std::int64_t{3} * (v - window * vertices_per_window) + value % 3;
            RIGCAST_UNROLL
            for (int i = 0; i < frames_per_team; ++i) sums[i * coordinates_per_window + coordinate] = sum[i][j];
        }
    }
};

}  // namespace rigcast::cuda
