#pragma once
#include <cstdint>
#include <memory>

#include "rigwright/core/view.h"

namespace rigwright::cuda {

/// N columns of a rig on M chosen vertices on the device, for the projection of targets on them; the device's
/// inverse::Projection. Calls from several threads take turns.
class Projector {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{512} << 20;

    /// Columns (N, M, 3), neutral (M, 3), vertex weights (M), and which of the rig's `num_rig_vertices` the chosen ones
    /// are (M). `workspace` bounds, in bytes, what one chunk of frames takes; one frame always runs. Throws CudaError.
    Projector(View<const float, 3> columns, View<const float, 2> neutral, View<const double, 1> weights,
              View<const std::int32_t, 1> vertices, std::int64_t num_rig_vertices,
              std::int64_t workspace = default_workspace);
    ~Projector();

    std::int64_t num_columns() const;

    /// Phi^T Omega b (T, N) and b^T Omega b (T), b being targets (T, M, 3), or (T, V, 3) of all vertices of the rig,
    /// minus the neutral. Targets are uploaded once a chunk. Throws ArgumentError on another shape, CudaError.
    void project(View<const float, 3> targets, View<double, 2> projections, View<double, 1> energies);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigwright::cuda
