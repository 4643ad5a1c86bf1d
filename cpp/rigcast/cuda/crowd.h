#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/core/view.h"
#include "rigcast/crowd/crowd.h"
#include "rigcast/cuda/machine/device_array.h"
#include "rigcast/cuda/resident.h"

namespace rigcast::cuda {

using crowd::Heads;

/// Heads of one blendshape rig whose shapes and animation curves are on the first device (Carrigan 2020,
/// section 4.1.1). Head h has the vertices of BlendshapeRig::evaluate_prefix for the first prefix_h shapes of the order
/// and the weights
///   w_h = (1 - s) W(clip_h, i) + s W(clip_h, i + 1),   i = floor(frame_h), s = frame_h - i,
/// up to rounding of float32. A call uploads 16 bytes per head and no weights. Guarantee: a head has the same bytes in
/// any crowd. Calls from several threads run one after another. All members throw CudaError.
class ResidentCrowd {
public:
    /// Copies the clips of a crowd to the device. Throws ArgumentError if the model on the device is no blendshape rig,
    /// or not of as many shapes.
    ResidentCrowd(std::shared_ptr<const ResidentModel> rig, std::shared_ptr<const crowd::Crowd> crowd);
    ~ResidentCrowd();

    /// Vertices (H, V, 3) in new memory on the device. Throws ArgumentError, which names the head, if a clip, frame or
    /// prefix is out of range, or if their lengths differ.
    DeviceArray evaluate_on_device(const Heads& heads) const;
    /// The same into an array of that shape on the device: nothing is allocated if no earlier call had more heads.
    void evaluate_on_device(const Heads& heads, const DeviceArray& vertices) const;
    /// The same into host memory. Throws ArgumentError if a vertex is not finite.
    void evaluate(const Heads& heads, View<float, 3> vertices) const;

    /// Bytes of the curves on the device, without the rig (ResidentModel::num_bytes).
    std::int64_t num_bytes() const;

private:
    struct State;
    struct Keys;

    Keys keys(const char* function, const Heads& heads) const;

    std::shared_ptr<const ResidentModel> rig_;
    std::shared_ptr<const crowd::Crowd> crowd_;
    std::unique_ptr<State> state_;
};

}  // namespace rigcast::cuda
