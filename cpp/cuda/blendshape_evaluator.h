#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/view.h"
#include "cuda/blendshape_plan.h"

namespace rigwright::cuda {

/// A blendshape rig on the device: its numbers are copied once, the lists of an order when it changes; a call uploads
/// weights and prefix lengths only. All heads are one matrix product, grouped by prefix length. A head gives the same
/// bytes alone and in any batch. Calls from several threads take turns.
class BlendshapeEvaluator {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{256} << 20;

    /// `workspace` bounds, in bytes, what one chunk of heads takes beside the rig; one head always runs. Throws
    /// CudaError.
    explicit BlendshapeEvaluator(BlendshapePlan plan, std::int64_t workspace = default_workspace);
    ~BlendshapeEvaluator();

    /// Weights (T, K) to vertices (T, V, 3), both on the host. Throws ArgumentError on another shape, CudaError.
    void evaluate(View<const float, 2> weights, View<float, 3> vertices);
    /// The same for a part of the rig a head. Throws ArgumentError also if `order` is no permutation of the shapes or a
    /// length is out of range.
    void evaluate(View<const float, 2> weights, const rig::Prefix& prefix, View<float, 3> vertices);

    /// Device time in milliseconds of `repeats` evaluations of the first `batch` heads, then the next, without the
    /// copies, after three runs to warm up. A batch must fit the workspace.
    std::vector<double> milliseconds(View<const float, 2> weights, std::int64_t batch, int repeats);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigwright::cuda
