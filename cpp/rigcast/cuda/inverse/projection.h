#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/core/view.h"

namespace rigcast::cuda {

/// Targets of T frames, (T, V, 3) in float32 or float16: on the host, or in memory of the first device.
struct ShotTargets {
    const void* data;
    std::int64_t frames;
    std::int64_t vertices;  // per frame
    bool is_float16;
    bool on_device;
};

/// Copies some frames of targets that are on the device to vertices (frames, V, 3) on the host. Throws ArgumentError if
/// a frame does not exist or a shape is another, CudaError.
void read_frames(const ShotTargets& targets, View<const std::int32_t, 1> frames, View<float, 3> vertices);

/// N columns of a rig on M chosen vertices in device memory, for projections of targets: the device's
/// inverse::Projection. Calls from several threads run one after another.
class DeviceProjection {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{512} << 20;  // bytes

    /// `columns` (N, M, 3), `neutral` (M, 3) and `vertex_weights` (M) of the chosen vertices, which are `vertices` (M)
    /// of the rig's `num_rig_vertices`. `workspace`: bytes of device memory for the frames that are projected at once;
    /// at least one frame is. Throws ArgumentError on wrong shapes or vertices, CudaError.
    DeviceProjection(View<const float, 3> columns, View<const float, 2> neutral, View<const double, 1> vertex_weights,
                     View<const std::int32_t, 1> vertices, std::int64_t num_rig_vertices,
                     std::int64_t workspace = default_workspace);
    ~DeviceProjection();

    std::int64_t num_columns() const;

    /// Writes Phi^T Omega b (T, N) and b^T Omega b (T), where b are targets (T, M, 3), or (T, V, 3) of all vertices of
    /// the rig, minus the neutral. Targets on the host pass through locked memory in two chunks that take turns, so
    /// that copies run beside kernels; targets on the device are not copied. Throws ArgumentError on other shapes,
    /// CudaError.
    void project(const ShotTargets& targets, View<double, 2> projections, View<double, 1> energies);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigcast::cuda
