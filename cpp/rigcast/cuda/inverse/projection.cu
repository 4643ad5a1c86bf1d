#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/cuda/inverse/projection.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/projection_product.h"

namespace rigcast::cuda {
namespace {

/// The steps of ProjectionProduct, on the host: per tile of columns, those groups of coordinates that one of the
/// columns moves.
struct Steps {
    explicit Steps(View<const float, 3> columns) {
        constexpr std::int64_t tile = ProjectionProduct::columns_per_tile;
        constexpr std::int64_t depth = ProjectionProduct::coordinates_per_step;
        const std::int64_t count = columns.extent(0);
        const std::int64_t coordinates = 3 * columns.extent(1);
        for (std::int64_t column = 0; column < count; column += tile) {
            const std::int64_t width = std::min(tile, count - column);
            for (std::int64_t first = 0; first < coordinates; first += depth) {
                const std::int64_t length = std::min(depth, coordinates - first);
                bool moves = false;
                for (std::int64_t n = 0; n < width; ++n) {
                    const float* from = columns.row(column + n) + first;
                    moves = moves || std::any_of(from, from + length, [](float x) { return x != 0.0f; });
                }
                if (!moves) continue;
                first_vertex.push_back(static_cast<std::int32_t>(first / 3));
                add_tiles([&](std::int64_t n, std::int64_t k) {
                    return n < width && k < length ? columns.row(column + n)[first + k] : 0.0f;
                });
            }
            begin.push_back(static_cast<std::int32_t>(first_vertex.size()));
        }
    }

    std::vector<std::int32_t> begin{0};      // (tiles of columns + 1) into the steps
    std::vector<std::int32_t> first_vertex;  // (steps)
    std::vector<ColumnTile> numbers;         // (steps, depths, row tiles)

private:
    /// Adds the tiles of a step; at(n, k): coordinate k of column n.
    template <class At>
    void add_tiles(const At& at) {
        for (int depth = 0; depth < ProjectionProduct::depths; ++depth) {
            for (int row = 0; row < ProjectionProduct::row_tiles; ++row) {
                ColumnTile& tile = numbers.emplace_back();
                for (int lane = 0; lane < lanes_per_warp; ++lane) {
                    for (int i = 0; i < DoubleTile::row_numbers; ++i) {
                        tile.lane[lane].number[i] = at(row * DoubleTile::rows + DoubleTile::row(lane, i),
                                                       depth * DoubleTile::depth + DoubleTile::row_depth(lane, i));
                    }
                }
            }
        }
    }
};

std::vector<std::int32_t> ascending(std::int64_t count) {
    std::vector<std::int32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

void check(View<const float, 3> columns, View<const float, 2> neutral, View<const double, 1> vertex_weights,
           View<const std::int32_t, 1> vertices, std::int64_t num_rig_vertices) {
    constexpr const char* name = "Projection";
    const std::int64_t count = columns.extent(1);
    check_shape<const float, 3>(name, "columns", columns, {-1, count, 3});
    check_shape<const float, 2>(name, "neutral", neutral, {count, 3});
    check_shape<const double, 1>(name, "vertex_weights", vertex_weights, {count});
    check_shape<const std::int32_t, 1>(name, "vertices", vertices, {count});
    for (const std::int32_t v : vertices) {
        if (v >= 0 && v < num_rig_vertices) continue;
        throw bad_argument(name, "vertices", std::to_string(v) + " somewhere",
                           "vertex indices below " + std::to_string(num_rig_vertices));
    }
}

}  // namespace

/// The columns on the device.
struct DeviceProjection::Resident {
    /// A stream with the memory of a chunk of frames.
    struct Lane {
        Machine machine;
        PinnedBuffer<std::uint8_t> staged;
        Buffer<std::uint8_t> targets;
        Buffer<double> projections;
        Buffer<double> energies;
        PinnedBuffer<double> projected;  // results on their way to the host
        PinnedBuffer<double> summed;
        std::int64_t first = 0;  // frames that are on their way
        std::int64_t count = 0;
    };

    /// Waits for a lane's frames and writes their results.
    void deliver(Lane& lane, View<double, 2> projections_out, View<double, 1> energies_out) const {
        lane.machine.synchronize();
        if (lane.count == 0) return;
        std::copy_n(lane.projected.data(), lane.count * num_columns, projections_out.row(lane.first));
        std::copy_n(lane.summed.data(), lane.count, energies_out.data() + lane.first);
        lane.count = 0;
    }

    /// The targets of frames first ... first + count - 1 in device memory. `bytes`: of a frame.
    static const void* load(Lane& lane, const ShotTargets& from, std::int64_t bytes) {
        const auto* rows = static_cast<const std::uint8_t*>(from.data) + lane.first * bytes;
        if (from.on_device) return rows;
        const std::int64_t size = lane.count * bytes;
        lane.staged.reserve(size);
        parallel_for(lane.count, 1, 0, [&](std::int64_t begin, std::int64_t end) {
            std::memcpy(lane.staged.data() + begin * bytes, rows + begin * bytes, (end - begin) * bytes);
        });
        lane.machine.upload(lane.staged.data(), size, lane.targets);
        return lane.targets.data();
    }

    /// Queues the projections of a lane's frames and their way to the host.
    void queue(Lane& lane, const ShotTargets& targets, std::int64_t bytes) const {
        lane.projections.reserve(lane.count * num_columns);
        lane.energies.reserve(lane.count);
        lane.projected.reserve(lane.count * num_columns);
        lane.summed.reserve(lane.count);
        const bool are_all = targets.vertices == num_rig_vertices;
        const ProjectionTargets from{lane.count,
                                     targets.vertices,
                                     load(lane, targets, bytes),
                                     targets.is_float16,
                                     (are_all ? place_in_all : place_in_chosen).data(),
                                     neutral.data(),
                                     weight.data()};
        const int vertices = static_cast<int>(num_vertices);
        constexpr std::int64_t frames_per_block = ProjectionProduct::frames_per_block;
        constexpr std::int64_t columns_per_tile = ProjectionProduct::columns_per_tile;
        lane.machine.run_tiles((lane.count + frames_per_block - 1) / frames_per_block,
                               (num_columns + columns_per_tile - 1) / columns_per_tile,
                               ProjectionProduct{from, vertices, begin.data(), first_vertex.data(), numbers.data(),
                                                 num_columns, lane.projections.data()});
        const ProjectionEnergies kernel{from, vertices, lane.energies.data()};
        lane.machine.run_teams(std::min(lane.machine.num_teams<ProjectionEnergies>(0), lane.count), 0, kernel);
        lane.machine.download(lane.projections, lane.count * num_columns, lane.projected.data());
        lane.machine.download(lane.energies, lane.count, lane.summed.data());
    }

    /// Of targets that are staged at once: large enough for a copy's full rate. Chosen, not tuned.
    static constexpr std::int64_t staged_bytes = std::int64_t{32} << 20;

    std::mutex turn;
    std::int64_t num_columns;
    std::int64_t num_vertices;
    std::int64_t num_rig_vertices;
    std::int64_t workspace;
    Buffer<std::int32_t> begin;            // see Steps
    Buffer<std::int32_t> first_vertex;     // see Steps
    Buffer<ColumnTile> numbers;            // see Steps
    Buffer<std::int32_t> place_in_chosen;  // (M): where targets (T, M, 3) have a vertex
    Buffer<std::int32_t> place_in_all;     // (M): where targets (T, V, 3) have it
    Buffer<float> neutral;
    Buffer<double> weight;
    Lane lanes[2];  // take turns; used by the call that has the lock
};

DeviceProjection::DeviceProjection(View<const float, 3> columns, View<const float, 2> neutral,
                                   View<const double, 1> vertex_weights, View<const std::int32_t, 1> vertices,
                                   std::int64_t num_rig_vertices, std::int64_t workspace) {
    check(columns, neutral, vertex_weights, vertices, num_rig_vertices);
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>();
    Resident& r = *resident_;
    r.num_columns = columns.extent(0);
    r.num_vertices = columns.extent(1);
    r.num_rig_vertices = num_rig_vertices;
    r.workspace = workspace;
    const Steps steps(columns);
    Machine& machine = r.lanes[0].machine;
    const auto upload = [&](const auto& from, auto& to) {
        machine.upload(from.data(), static_cast<std::int64_t>(from.size()), to);
    };
    const std::vector<std::int32_t> place_in_chosen = ascending(r.num_vertices);
    upload(steps.begin, r.begin);
    upload(steps.first_vertex, r.first_vertex);
    upload(steps.numbers, r.numbers);
    upload(place_in_chosen, r.place_in_chosen);
    upload(vertices, r.place_in_all);
    upload(neutral, r.neutral);
    upload(vertex_weights, r.weight);
    machine.synchronize();
}

DeviceProjection::~DeviceProjection() = default;

std::int64_t DeviceProjection::num_columns() const {
    return resident_->num_columns;
}

void DeviceProjection::project(const ShotTargets& targets, View<double, 2> projections, View<double, 1> energies) {
    Resident& r = *resident_;
    if (targets.vertices != r.num_rig_vertices && targets.vertices != r.num_vertices) {
        throw bad_argument(
            "project", "targets", "of " + std::to_string(targets.vertices) + " vertices a frame",
            "(T, " + std::to_string(r.num_rig_vertices) + ", 3) or (T, " + std::to_string(r.num_vertices) + ", 3)");
    }
    check_shape<double, 2>("project", "projections", projections, {targets.frames, r.num_columns});
    check_shape<double, 1>("project", "energies", energies, {targets.frames});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    const std::int64_t bytes = 3 * targets.vertices * (targets.is_float16 ? 2 : 4);
    const std::int64_t results = sizeof(double) * (r.num_columns + 1);
    const std::int64_t held = targets.on_device ? results : bytes + results;
    const std::int64_t staged = targets.on_device ? results : std::max(bytes, results);
    const std::int64_t most = std::min(r.workspace / held, Resident::staged_bytes / staged);
    const std::int64_t frames_per_chunk = std::max<std::int64_t>(most, 1);
    for (auto& lane : r.lanes) lane.count = 0;  // an earlier call may have thrown
    for (std::int64_t first = 0; first < targets.frames; first += frames_per_chunk) {
        auto& lane = r.lanes[first / frames_per_chunk % 2];
        r.deliver(lane, projections, energies);
        lane.first = first;
        lane.count = std::min(frames_per_chunk, targets.frames - first);
        r.queue(lane, targets, bytes);
    }
    for (auto& lane : r.lanes) r.deliver(lane, projections, energies);
}

void read_frames(const ShotTargets& targets, View<const std::int32_t, 1> frames, View<float, 3> vertices) {
    const std::int64_t count = frames.extent(0);
    check_shape<float, 3>("read_frames", "vertices", vertices, {count, targets.vertices, 3});
    const std::int64_t size = 3 * targets.vertices;
    const DeviceScope scope;
    Machine machine;
    Buffer<float> wide;
    wide.reserve(std::max<std::int64_t>(count * size, 1));
    for (std::int64_t i = 0; i < count; ++i) {
        if (frames(i) < 0 || frames(i) >= targets.frames) {
            throw bad_argument("read_frames", "frames", std::to_string(frames(i)) + " somewhere",
                               "indices below " + std::to_string(targets.frames));
        }
        machine.for_each(1, size,
                         WidenTargets{targets.data, targets.is_float16, frames(i) * size, wide.data() + i * size});
    }
    machine.download(wide, count * size, vertices.data());
    machine.synchronize();
}

}  // namespace rigcast::cuda
