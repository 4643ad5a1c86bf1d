#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/view.h"
#include "cuda/body_plan.h"

namespace rigwright::cuda {

/// A body model on the device: its weights are copied once, poses and vertices in chunks that fit the
/// workspace. A pose gives the same bytes alone and in any batch. Calls from several threads take turns.
class BodyEvaluator {
public:
    static constexpr std::int64_t default_workspace = std::int64_t{256} << 20;

    /// `workspace` bounds, in bytes, what one chunk of poses takes beside the weights; one pose always runs.
    /// Throws CudaError.
    explicit BodyEvaluator(const BodyPlan& plan, std::int64_t workspace = default_workspace);
    ~BodyEvaluator();

    std::int64_t num_controls() const;
    std::int64_t num_vertices() const;

    /// Poses (T, C) to vertices (T, V, 3), both on the host. Throws ArgumentError on another shape, CudaError.
    void evaluate(View<const float, 2> poses, View<float, 3> vertices);

    /// Device time in milliseconds of `repeats` evaluations of `batch` poses, without the copies: events around
    /// the kernels, after three runs to warm up, over one batch of `poses` after the other. A batch must fit the
    /// workspace.
    std::vector<double> milliseconds(View<const float, 2> poses, std::int64_t batch, int repeats);

private:
    struct Resident;
    std::unique_ptr<Resident> resident_;
};

}  // namespace rigwright::cuda
