#pragma once
#include <cstdint>
#include <memory>

#include "rigcast/cuda/differential/last_step_plan.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/library_product.h"
#include "rigcast/cuda/products/tangent_kernels.h"

namespace rigcast::cuda {

/// What the last step reads and writes: rows of values (count, row_width), points (count, 3, V), or their derivatives.
struct LastStepBatch {
    std::int64_t count;
    const float* row;
    float* gathered;  // (count, LastStep::floats_per_row()), overwritten
    float* points;
};

/// The last step of a differential subspace on the device, from coefficients and anchors to points axis by axis: one
/// product with three groups, one per axis, of gathered columns (LastStepPlan). The machine and the libraries, which
/// may be null, must outlive it.
class LastStep {
public:
    LastStep(Machine& machine, Libraries* libraries, const LastStepPlan& plan, std::int64_t row_width)
        : machine_(machine),
          row_width_(row_width),
          num_combined_(static_cast<std::int64_t>(plan.combined.size())),
          points_(make_layer_product(machine, libraries, plan.points)) {
        machine.upload(plan.combined, combined_);
        machine.synchronize();
    }

    /// Floats of working memory per frame or tangent.
    std::int64_t floats_per_row() const { return num_combined_; }

    /// Queues the points of a batch.
    void run(const LastStepBatch& batch) const {
        gather(batch);
        points_->run(machine_, batch.count, batch.gathered, num_combined_, batch.points);
    }

    /// Queues the derivatives along tangents of frames, given the points of a `run` of these.
    void run_tangents(const LastStepBatch& batch, const float* points_at, TangentFrames frames) const {
        gather(batch);
        points_->run_tangents(machine_, batch.count, batch.gathered, num_combined_, points_at, frames, batch.points);
    }

private:
    void gather(const LastStepBatch& batch) const {
        machine_.for_each(batch.count, num_combined_,
                          Gather{batch.row, row_width_, combined_.data(), num_combined_, batch.gathered});
    }

    Machine& machine_;
    std::int64_t row_width_;
    std::int64_t num_combined_;
    std::unique_ptr<LayerProduct> points_;
    Buffer<std::int32_t> combined_;
};

}  // namespace rigcast::cuda
