#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "rigwright/core/check.h"
#include "rigwright/core/error.h"
#include "rigwright/cuda/inverse/projector.h"
#include "rigwright/cuda/machine/machine.h"
#include "rigwright/cuda/products/projection_product.h"

namespace rigwright::cuda {
namespace {

/// The steps of ProjectionProduct, on the host.
struct Steps {
    explicit Steps(View<const float, 3> columns) {
        constexpr std::int64_t tile = ProjectionProduct::columns_per_tile;
        constexpr std::int64_t depth = ProjectionProduct::coordinates_per_step;
        const std::int64_t count = columns.extent(0), coordinates = 3 * columns.extent(1);
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

    std::vector<std::int32_t> begin{0}, first_vertex;
    std::vector<float> numbers;
};

}  // namespace

struct Projector::Resident {
    Machine machine;
    std::mutex turn;
    std::int64_t num_columns, num_vertices, num_rig_vertices, workspace;
    Buffer<std::int32_t> begin, first_vertex, chosen, all;
    Buffer<float> numbers, neutral, targets;
    Buffer<double> weight, projections, energies;
};

Projector::Projector(View<const float, 3> columns, View<const float, 2> neutral, View<const double, 1> weights,
                     View<const std::int32_t, 1> vertices, std::int64_t num_rig_vertices, std::int64_t workspace) {
    const DeviceScope scope;
    resident_ = std::make_unique<Resident>();
    Resident& r = *resident_;
    r.num_columns = columns.extent(0);
    r.num_vertices = columns.extent(1);
    r.num_rig_vertices = num_rig_vertices;
    r.workspace = workspace;
    const Steps steps(columns);
    std::vector<std::int32_t> in_order(r.num_vertices);
    std::iota(in_order.begin(), in_order.end(), 0);
    const auto upload = [&](const auto& from, auto& to) {
        r.machine.upload(from.data(), static_cast<std::int64_t>(from.size()), to);
    };
    upload(steps.begin, r.begin);
    upload(steps.first_vertex, r.first_vertex);
    upload(steps.numbers, r.numbers);
    upload(in_order, r.chosen);
    upload(vertices, r.all);
    upload(neutral, r.neutral);
    upload(weights, r.weight);
    r.machine.synchronize();
}

Projector::~Projector() = default;

std::int64_t Projector::num_columns() const {
    return resident_->num_columns;
}

void Projector::project(View<const float, 3> targets, View<double, 2> projections, View<double, 1> energies) {
    Resident& r = *resident_;
    const std::int64_t frames = targets.extent(0), width = targets.extent(1);
    if ((width != r.num_vertices && width != r.num_rig_vertices) || targets.extent(2) != 3) {
        throw bad_argument("project", "targets", describe_shape<3>(targets.extents()),
                           "of the rig's or the chosen vertices");
    }
    check_shape<double, 2>("project", "projections", projections, {frames, r.num_columns});
    check_shape<double, 1>("project", "energies", energies, {frames});
    const std::lock_guard<std::mutex> turn(r.turn);
    const DeviceScope scope;
    const std::int64_t bytes = 12 * width + 8 * r.num_columns + 8;
    const std::int64_t chunk = std::max<std::int64_t>(r.workspace / bytes, 1);
    const std::int32_t* vertex = (width == r.num_rig_vertices ? r.all : r.chosen).data();
    for (std::int64_t first = 0; first < frames; first += chunk) {
        const std::int64_t count = std::min(chunk, frames - first);
        r.machine.upload(targets.row(first), count * width * 3, r.targets);
        r.projections.reserve(count * r.num_columns);
        r.energies.reserve(count);
        const ProjectionTargets from{count, width, r.targets.data(), vertex, r.neutral.data(), r.weight.data()};
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

}  // namespace rigwright::cuda
