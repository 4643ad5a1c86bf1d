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

/// Successive coordinates of a window in one frame of the result, which begin anywhere in memory. In shared memory they
/// have the same place among four numbers, so that both are read and written as whole vectors.
struct alignas(16) WindowRow {
    float* first;
    std::int32_t phase;  // of the first coordinate among four numbers in memory
    std::int32_t lead;   // whole vectors of its line of 128 bytes before it

    RIGCAST_DEVICE explicit WindowRow(float* begin) : first(begin) {
        const auto number = reinterpret_cast<std::uintptr_t>(begin) / sizeof(float);
        phase = static_cast<std::int32_t>(number % 4);
        lead = static_cast<std::int32_t>(number % 32 / 4);
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
/// The benchmark on an H100: 100 heads, 46,000 vertices, 72 shapes of which 21.6 move a vertex and 25.2 a tile, padded
/// to 32.3; 180 windows x 4 groups of 25 heads, in teams of which a multiprocessor holds two:
///   operations    46,000 x 3 x 32.3 x 128 heads x 3 products x 2 = 3.4 GFLOP: .011 ms at 300 TFLOP/s
///   instructions  11,500 tiles x 990 and 18,000 rows x 75 of a warp: .014 ms at one per cycle and scheduler
///   bytes         55 MB written, 12 MB of offsets (6 MB as int16): .023 ms (.021) at 2.97 TB/s, the floor
///   L2 cache      55 MB written, 4 x 13.9 MB of values, 11 MB of lists and activations: .022 ms at 5.5 TB/s
///   shared        55 MB written, with conflicts, and read: .005 ms
/// Predicted: .025 ms, as the first results are there after .003 ms, and .028 ms with the launch of the activations. No
/// device has run it.
template <class Value, int Columns, class Activations>
struct BlendshapeProduct {
    using Tiles = BlendshapeTiles<Value>;

    static constexpr int threads = 256;
    static constexpr int blocks = Columns == 1 ? 3 : 2;
    static constexpr int slots = Columns == 3 ? 4 : Columns;  // FrameGroups
    static constexpr int coordinates_per_window = 3 * Tiles::vertices_per_window;
    static constexpr int pitch = coordinates_per_window + 4;  // of a frame in shared memory: room for any phase
    static constexpr int vectors_per_line = 8;
    static constexpr int steps_per_row =  // of a warp that writes whole lines
        (pitch / 4 + vectors_per_line - 1 + lanes_per_warp - 1) / lanes_per_warp;
    static constexpr int rows_of_team = FloatTile::columns * Columns;
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
    /// Doubles that a team shares for so many frames, and beside them for activations of its own.
    static constexpr std::int64_t num_shared(std::int64_t num_frames, std::int64_t num_activations) {
        return rows_of_team * static_cast<std::int64_t>(sizeof(WindowRow) / sizeof(double)) +
               (num_frames * pitch + num_activations + 1) / 2;
    }

    template <class Team>
    RIGCAST_TEAM void operator()(const Team& team) const {
        const auto index = static_cast<std::int32_t>(team.index());
        const Part part{index / groups.num_groups, index % groups.num_groups,
                        groups.frames_of(index % groups.num_groups)};
        auto* rows = reinterpret_cast<WindowRow*>(team.shared());       // (rows_of_team), those of frames are set
        auto* results = reinterpret_cast<float*>(rows + rows_of_team);  // (frames_per_group, pitch)
        float* own = results + groups.frames_per_group * pitch;
        team.each(part.num_frames, [&](int frame) { rows[frame] = row_of(part, frame); });
        const float* x = activations.of_group(team, groups, part.group, own);
        team.each(Tiles::tiles_per_window * lanes_per_warp,
                  [&](int n) { compute_tile(part, n / lanes_per_warp, n % lanes_per_warp, x, rows, results); });
        team.each(part.num_frames * lanes_per_warp, [&](int n) {
            const int frame = n / lanes_per_warp;
            write_row(part, rows[frame], n % lanes_per_warp, results + frame * pitch);
        });
    }

private:
    using Sums = float[3][Columns][FloatTile::sums];
    /// What a team computes.
    struct Part {
        std::int32_t window;
        std::int32_t group;
        std::int32_t num_frames;
    };
    struct LaneRows {
        TileRow row[rows_per_lane];  // -1 beyond the last
    };
    struct alignas(2 * sizeof(Value)) TwoValues {
        Value value[2];
    };
    struct alignas(8) TwoVertices {
        std::int32_t vertex[2];
    };
    struct alignas(slots * sizeof(float)) Slots {
        float value[slots];
    };

    RIGCAST_DEVICE WindowRow row_of(const Part& part, int frame) const {
        const std::int64_t row = frames.row_of(groups.first_frame(part.group) + frame);
        return WindowRow(vertices + row * 3 * num_vertices + std::int64_t{part.window} * coordinates_per_window);
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

    /// Writes what a lane computes of a tile of the window to the results.
    RIGCAST_DEVICE void compute_tile(const Part& part, int in_window, int lane, const float* x, const WindowRow* rows,
                                     float* results) const {
        const std::int32_t tile = part.window * Tiles::tiles_per_window + in_window;
        const std::int32_t prefix = frames.length == nullptr ? static_cast<std::int32_t>(tiles.num_shapes)
                                                             : frames.length[groups.first_frame(part.group)];
        const std::int32_t end = tiles.offset[tile + 1];
        std::int32_t first = tiles.offset[tile];
        Sums sum = {};
        LaneRows of_lane = rows_of(lane, first, end);
        RIGCAST_ROLLED
        for (; is_needed(first, end, prefix); first += rows_at_once) {
            const LaneRows next = rows_of(lane, first + rows_at_once, end);  // read while these are multiplied
            add_rows(lane, of_lane, first, end, x, sum);
            of_lane = next;
        }
        write_sums(part, tile, lane, sum, rows, results);
    }

    /// Writes neutral + sums to the results.
    RIGCAST_DEVICE void write_sums(const Part& part, std::int32_t tile, int lane, const Sums& sum,
                                   const WindowRow* rows, float* results) const {
        const auto two = *reinterpret_cast<const TwoVertices*>(
            tiles.vertex + std::int64_t{tile} * Tiles::vertices_per_tile + lane / 4 * 2);
        float base[2][3];
        RIGCAST_UNROLL
        for (int v = 0; v < 2; ++v) {
            RIGCAST_UNROLL
            for (int axis = 0; axis < 3; ++axis) {
                base[v][axis] = two.vertex[v] < 0 ? 0.0f : neutral[std::int64_t{3} * two.vertex[v] + axis];
            }
        }
        RIGCAST_UNROLL
        for (int k = 0; k < 2 * Columns; ++k) {
            const int frame = FloatTile::columns * (k / 2) + FloatTile::sum_column(lane, k % 2);
            const int place = frame * pitch + rows[frame].phase;
            RIGCAST_UNROLL
            for (int v = 0; v < 2; ++v) {
                const int at = place + 3 * (two.vertex[v] - part.window * Tiles::vertices_per_window);
                const bool is_wanted = frame < part.num_frames && two.vertex[v] >= 0;
                RIGCAST_UNROLL
                for (int axis = 0; axis < 3; ++axis) {
                    const float result = base[v][axis] + sum[axis][k / 2][2 * v + k % 2];
                    if (is_wanted) results[at + axis] = result;
                }
            }
        }
    }

    /// Writes a frame's results: whole vectors, 32 of them from the beginning of a line on at a time, then the numbers
    /// before and after them.
    RIGCAST_DEVICE void write_row(const Part& part, const WindowRow& row, int lane, const float* results) const {
        const std::int64_t left = 3 * num_vertices - std::int64_t{part.window} * coordinates_per_window;
        const int end = row.phase + static_cast<int>(left < coordinates_per_window ? left : coordinates_per_window);
        const int first_vector = (row.phase + 3) / 4;
        const int last_vector = end / 4 < first_vector ? first_vector : end / 4;
        const int first = lane - row.lead;
        float* to = row.first - row.phase;
        float* of_lane = to + 4 * first;
        RIGCAST_UNROLL
        for (int step = 0; step < steps_per_row; ++step) {
            const int skipped = lanes_per_warp * step;
            const bool is_whole = static_cast<unsigned>(first + skipped - first_vector) <
                                  static_cast<unsigned>(last_vector - first_vector);
            if (!is_whole) continue;
            store_streaming(reinterpret_cast<FourFloats*>(of_lane + 4 * skipped),
                            *reinterpret_cast<const FourFloats*>(results + 4 * first + 4 * skipped));
        }
        const int number = lane < 4 ? lane : end / 4 * 4 + lane - 4;
        const int limit = lane < 4 ? 4 * first_vector : end;
        if (lane < 8 && number >= row.phase && number < limit) store_streaming(to + number, results[number]);
    }
};

}  // namespace rigcast::cuda
