#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
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
                std::vector<float> step(depth * tile, 0.0f);
                bool moves = false;
                for (std::int64_t n = 0; n < width; ++n) {
                    const float* from = columns.row(column + n) + first;
                    for (std::int64_t k = 0; k < length; ++k) {
                        step[k * tile + n] = from[k];
                        moves = moves || from[k] != 0.0f;
                    }
                }
                if (!moves) continue;
                first_vertex.push_back(static_cast<std::int32_t>(first / 3));
                numbers.insert(numbers.end(), step.begin(), step.end());
            }
            begin.push_back(static_cast<std::int32_t>(first_vertex.size()));
        }
    }

    std::vector<std::int32_t> begin{0};      // (tiles of columns + 1) into the steps
    std::vector<std::int32_t> first_vertex;  // (steps)
    std::vector<float> numbers;              // (steps, depth, tile)
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

/// The columns on the device, and the workspace of the call that has the lock.
struct DeviceProjection::Resident {
    Machine machine;
    std::mutex turn;
    std::int64_t num_columns;
    std::int64_t num_vertices;
    std::int64_t num_rig_vertices;
    std::int64_t workspace;
    Buffer<std::int32_t> begin;            // see Steps
    Buffer<std::int32_t> first_vertex;     // see Steps
    Buffer<float> numbers;                 // see Steps
    Buffer<std::int32_t> place_in_chosen;  // (M): where targets (T, M, 3) have a vertex
    Buffer<std::int32_t> place_in_all;     // (M): where targets (T, V, 3) have it
    Buffer<float> neutral;
    Buffer<double> weight;
    Buffer<float> targets;  // of a chunk of frames, as those below
    Buffer<double> projections;
    Buffer<double> energies;
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
    const auto upload = [&](const auto& from, auto& to) {
        r.machine.upload(from.data(), static_cast<std::int64_t>(from.size()), to);
    };
    const std::vector<std::int32_t> place_in_chosen = ascending(r.num_vertices);
    upload(steps.begin, r.begin);
    upload(steps.first_vertex, r.first_vertex);
    upload(steps.numbers, r.numbers);
    upload(place_in_chosen, r.place_in_chosen);
    upload(vertices, r.place_in_all);
    upload(neutral, r.neutral);
    upload(vertex_weights, r.weight);
    r.machine.synchronize();
}

DeviceProjection::~DeviceProjection() = default;

std::int64_t DeviceProjection::num_columns() const {
    return resident_->num_columns;
}

void DeviceProjection::project(View<const float, 3> targets, View<double, 2> projections, View<double, 1> energies) {
    Resident& r = *resident_;
    const std::int64_t frames = targets.extent(0);
    const std::int64_t vertices_per_frame = targets.extent(1);
    const bool are_all = vertices_per_frame == r.num_rig_vertices;
    if ((!are_all && vertices_per_frame != r.num_vertices) || targets.extent(2) != 3) {
        throw bad_argument(
            "project", "targets", describe_shape<3>(targets.extents()),
            "(T, " + std::to_string(r.num_rig_vertices) + ", 3) or (T, " + std::to_string(r.num_vertices) + ", 3)");
    }
    check_shape<double, 2>("project", "projections", projections, {frames, r.num_columns});
    check_shape<double, 1>("project", "energies", energies, {frames});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    const std::int64_t bytes_per_frame = sizeof(float) * 3 * vertices_per_frame + sizeof(double) * (r.num_columns + 1);
    const std::int64_t frames_per_chunk = std::max<std::int64_t>(r.workspace / bytes_per_frame, 1);
    const std::int32_t* place = (are_all ? r.place_in_all : r.place_in_chosen).data();
    for (std::int64_t first = 0; first < frames; first += frames_per_chunk) {
        const std::int64_t count = std::min(frames_per_chunk, frames - first);
        r.machine.upload(targets.row(first), count * vertices_per_frame * 3, r.targets);
        r.projections.reserve(count * r.num_columns);
        r.energies.reserve(count);
        const ProjectionTargets from{count, vertices_per_frame, r.targets.data(),
                                     place, r.neutral.data(),   r.weight.data()};
        const int vertices = static_cast<int>(r.num_vertices);
        constexpr std::int64_t frames_per_block = ProjectionProduct::frames_per_block;
        constexpr std::int64_t columns_per_tile = ProjectionProduct::columns_per_tile;
        r.machine.run_tiles((count + frames_per_block - 1) / frames_per_block,
                            (r.num_columns + columns_per_tile - 1) / columns_per_tile,
                            ProjectionProduct{from, vertices, r.begin.data(), r.first_vertex.data(), r.numbers.data(),
                                              r.num_columns, r.projections.data()});
        const ProjectionEnergies kernel{from, vertices, r.energies.data()};
        r.machine.run_teams(std::min(r.machine.num_teams<ProjectionEnergies>(0), count), 0, kernel);
        r.machine.download(r.projections, count * r.num_columns, projections.row(first));
        r.machine.download(r.energies, count, energies.data() + first);
        r.machine.synchronize();
    }
}

}  // namespace rigcast::cuda
