#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/machine/block.h"
#include "rigcast/cuda/machine/matrix_units.h"
#include "rigcast/cuda/products/blendshape_activations.h"

namespace rigcast::cuda {

/// A row of a tile: a column of the rig, and the index of its values.
struct alignas(8) TileRow {
    std::int32_t column;
    std::int32_t row;
};

/// The offsets of a rig on the device (BlendshapePlan). A tile is 16 vertices of a window with the columns that move
/// them, each a row of 3 x 16 values: a coordinate of all vertices, then the next.
template <class Value>
struct BlendshapeTiles {
    static constexpr int vertices_per_tile = 16;
    static constexpr int vertices_per_window = 256;
    static constexpr int tiles_per_window = vertices_per_window / vertices_per_tile;
    static constexpr int values_per_row = 3 * vertices_per_tile;

    const std::int32_t* offset;  // (tiles + 1) into the rows
    const TileRow* rows;         // (R)
    const std::int32_t* rank;    // (R) position of its column's last shape in the order; ascends inside a tile
    std::int64_t num_shapes;
    const Value* values;         // (R, values_per_row); float, or int16 whose scales are in the activations
    const std::int32_t* vertex;  // (tiles, vertices_per_tile), -1 after the last vertex
};

/// Successive coordinates of a window in one frame of the result, which begins anywhere in memory. In shared memory
/// they have the same place among four numbers, so that both are read and written as whole vectors.
struct WindowRow {
    float* first;
    int phase;  // of the first coordinate among four numbers in memory
    int lead;   // whole vectors of its line of 128 bytes before it

    RIGCAST_DEVICE explicit WindowRow(float* begin) : first(begin) {
        const auto number = reinterpret_cast<std::uintptr_t>(begin) / sizeof(float);
        phase = static_cast<int>(number % 4);
        lead = static_cast<int>(number % 32 / 4);
    }
};

/// Team kernel: vertices = neutral + values^T activations for all frames in one launch (Carrigan 2020, ch. 4, whose
/// kernel reads every shape once per frame), on the matrix units, in float32 of two parts.
///
/// A team computes up to 8 Columns frames of one window; a warp takes a tile at a time: its rows are depth, 16 at a
/// time, its coordinates three tiles of A, the frames `Columns` tiles of B. Values go from the L2 cache to registers,
/// where int16 is widened. A tile's vertices are scattered over the window: results are gathered in shared memory and
/// written from there as whole lines, once, and leave the L2 cache before the values. Frames come in the order of
/// descending prefix lengths; a team stops at the last rows that its first frame needs. A frame has the same bytes in
/// teams of any shape: terms have the order of the rows, and rows beyond a frame's prefix add zeros.
///
/// 100 heads of 72 shapes, of which a vertex has 21.6 of 46,000 (a tile 25.2, padded to 32.3), predicted for an H100:
///   operations  4 groups of 4 tiles of 8 frames: 46,000 x 3 x 32.3 x 128 x 3 products x 2 = 3.4 GFLOP, .011 ms at
///               300 TFLOP/s
///   bytes       67 MB (55 written, 12 of values): .023 ms at 2.97 TB/s; .021 ms with int16
///   L2 cache    55 MB written + 4 x 14 MB of values + 10 MB of rows and activations: .022 ms at 5.5 TB/s
///   shared      55 MB written and read, some of it with conflicts: .008 ms
/// so that .025 to .030 ms are to be expected with the launch of the activations. Not run on a device.
template <class Value, int Columns, class Activations>
struct BlendshapeProduct {
    using Tiles = BlendshapeTiles<Value>;

    static constexpr int threads = 256;
    static constexpr int blocks = Columns == 1 ? 3 : 2;
    static constexpr int slots = Columns == 3 ? 4 : Columns;  // FrameGroups
    static constexpr int coordinates_per_window = 3 * Tiles::vertices_per_window;
    static constexpr int pitch = coordinates_per_window + 4;  // of a frame in shared memory: room for any phase
    static constexpr int vectors = pitch / 4;
    static constexpr int vectors_of_lines = (vectors + 7 + 7) / 8 * 8;  // of the lines that a window may touch
    static constexpr int rows_per_lane = 4;
    static constexpr int rows_at_once = FloatTile::depth;

    Tiles tiles;
    Activations activations;
    FrameGroups groups;
    SortedFrames frames;
    const float* neutral;  // (V, 3)
    std::int64_t num_vertices;
    std::int64_t num_windows;
    float* vertices;  // (T, V, 3)

    /// Teams of the launch.
    std::int64_t num_teams() const { return num_windows * groups.num_groups; }
    /// Doubles that a team shares for the results of so many frames, and beside them for activations of its own.
    static constexpr std::int64_t num_shared(std::int64_t num_frames, std::int64_t num_activations) {
        return (num_frames * pitch + num_activations + 1) / 2;
    }

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        const auto window = static_cast<std::int32_t>(team.index() / groups.num_groups);
        const auto group = static_cast<std::int32_t>(team.index() % groups.num_groups);
        auto* results = reinterpret_cast<float*>(team.shared());  // (frames_per_group, pitch)
        const float* x = activations.of_group(team, groups, group, results + groups.frames_per_group * pitch);
        team.each(Tiles::tiles_per_window * lanes_per_warp, [&](int n) {
            const int tile = window * Tiles::tiles_per_window + n / lanes_per_warp;
            compute_tile(window, tile, group, n % lanes_per_warp, x, results);
        });
        team.each(groups.frames_of(group) * vectors_of_lines, [&](int n) {
            const int frame = n / vectors_of_lines;
            const WindowRow row = row_of(groups.first_frame(group) + frame, window);
            write_vector(window, row, n % vectors_of_lines - row.lead, results + frame * pitch);
        });
    }

private:
    using Sums = float[3][Columns][FloatTile::sums];
    struct LaneRows {
        TileRow row[rows_per_lane];  // -1 beyond the last
    };
    struct alignas(2 * sizeof(Value)) TwoValues {
        Value value[2];
    };
    struct alignas(slots * sizeof(float)) Slots {
        float value[slots];
    };

    RIGCAST_DEVICE WindowRow row_of(std::int64_t frame, std::int32_t window) const {
        return WindowRow(vertices + frames.row_of(frame) * 3 * num_vertices +
                         std::int64_t{window} * coordinates_per_window);
    }

    /// The rows of a lane, of those from `first` on.
    RIGCAST_DEVICE LaneRows rows_of(int lane, std::int32_t first, std::int32_t end) const {
        LaneRows result;
        const std::int32_t from = first + rows_per_lane * (lane % 4);
        RIGCAST_UNROLL
        for (int i = 0; i < rows_per_lane; ++i) {
            result.row[i] = from + i < end ? tiles.rows[from + i] : TileRow{-1, -1};
        }
        return result;
    }

    /// Numbers of coordinate `axis` for half of a lane's rows: its two vertices in one row, then in the next.
    RIGCAST_DEVICE FourFloats values_of(int lane, const LaneRows& rows, int axis, int half) const {
        FourFloats result{};
        RIGCAST_UNROLL
        for (int i = 0; i < 2; ++i) {
            const std::int64_t row = rows.row[2 * half + i].row;
            if (row < 0) continue;
            const Value* from = tiles.values + row * Tiles::values_per_row + axis * Tiles::vertices_per_tile;
            const auto two = *reinterpret_cast<const TwoValues*>(from + lane / 4 * 2);
            result.value[2 * i] = static_cast<float>(two.value[0]);
            result.value[2 * i + 1] = static_cast<float>(two.value[1]);
        }
        return result;
    }

    /// The activations of row i of a lane's rows.
    RIGCAST_DEVICE Slots activations_of(int lane, const LaneRows& rows, int i, const float* x) const {
        const std::int32_t column = rows.row[i].column;
        if (column < 0) return Slots{};
        return *reinterpret_cast<const Slots*>(x + std::int64_t{column} * groups.pitch() + lane / 4 * slots);
    }

    /// Adds the products of up to 16 rows to a lane's sums.
    RIGCAST_DEVICE void add_rows(int lane, const LaneRows& own, std::int32_t first, std::int32_t end, const float* x,
                                 Sums& sum) const {
        const auto rows = [&](int of) { return of == lane ? own : rows_of(of, first, end); };
        const auto values = [&](int of, int axis, int half) { return values_of(of, rows(of), axis, half); };
#ifdef __CUDA_ARCH__
        Slots mine[rows_per_lane];
        RIGCAST_UNROLL
        for (int i = 0; i < rows_per_lane; ++i) mine[i] = activations_of(lane, own, i, x);
        const auto slots_of = [&](int, int i) { return mine[i]; };
#else
        const auto slots_of = [&](int of, int i) { return activations_of(of, rows(of), i, x); };
#endif
        const auto columns = [&](int of, int j) {
            FourFloats result;
            RIGCAST_UNROLL
            for (int i = 0; i < rows_per_lane; ++i) result.value[i] = slots_of(of, i).value[j];
            return result;
        };
        multiply_floats(lane, values, columns, sum);
    }

    /// True if there are rows from `first` on that a prefix needs.
    RIGCAST_DEVICE bool is_needed(std::int32_t first, std::int32_t end, std::int32_t prefix) const {
        return first < end && (prefix >= tiles.num_shapes || tiles.rank[first] < prefix);
    }

    /// Writes what a lane computes of a tile to the results.
    RIGCAST_DEVICE void compute_tile(std::int32_t window, std::int32_t tile, std::int32_t group, int lane,
                                     const float* x, float* results) const {
        const std::int64_t first_frame = groups.first_frame(group);
        const std::int32_t prefix =
            frames.length == nullptr ? static_cast<std::int32_t>(tiles.num_shapes) : frames.length[first_frame];
        const std::int32_t end = tiles.offset[tile + 1];
        std::int32_t first = tiles.offset[tile];
        Sums sum = {};
        LaneRows rows = rows_of(lane, first, end);
        RIGCAST_ROLLED
        for (; is_needed(first, end, prefix); first += rows_at_once) {
            const LaneRows next = rows_of(lane, first + rows_at_once, end);  // read while these are multiplied
            add_rows(lane, rows, first, end, x, sum);
            rows = next;
        }
        RIGCAST_UNROLL
        for (int two = 0; two < 2; ++two) {
            const std::int32_t v = tiles.vertex[std::int64_t{tile} * Tiles::vertices_per_tile + lane / 4 * 2 + two];
            if (v < 0) continue;
            const float* start = neutral + std::int64_t{3} * v;
            const float base[3] = {start[0], start[1], start[2]};
            float* to = results + 3 * (v - window * Tiles::vertices_per_window);
            RIGCAST_UNROLL
            for (int k = 0; k < 2 * Columns; ++k) {
                const int frame = FloatTile::columns * (k / 2) + FloatTile::sum_column(lane, k % 2);
                if (frame >= groups.frames_of(group)) continue;
                float* place = to + frame * pitch + row_of(first_frame + frame, window).phase;
                RIGCAST_UNROLL
                for (int axis = 0; axis < 3; ++axis) place[axis] = base[axis] + sum[axis][k / 2][2 * two + k % 2];
            }
        }
    }

    /// Writes a vector of a frame's results, which begins before the first coordinate or ends after the last one if
    /// memory is aligned so.
    RIGCAST_DEVICE void write_vector(std::int32_t window, const WindowRow& row, int vector,
                                     const float* results) const {
        if (vector < 0 || vector >= vectors) return;
        const std::int64_t left = 3 * num_vertices - std::int64_t{window} * coordinates_per_window;
        const int end = row.phase + static_cast<int>(left < coordinates_per_window ? left : coordinates_per_window);
        float* to = row.first - row.phase + 4 * vector;
        const float* from = results + 4 * vector;
        if (4 * vector >= row.phase && 4 * vector + 4 <= end) {
            store_streaming(reinterpret_cast<FourFloats*>(to), *reinterpret_cast<const FourFloats*>(from));
            return;
        }
        RIGCAST_UNROLL
        for (int i = 0; i < 4; ++i) {
            if (4 * vector + i >= row.phase && 4 * vector + i < end) store_streaming(to + i, from[i]);
        }
    }
};

}  // namespace rigcast::cuda
