#pragma once
#include <memory>

#include "rigcast/cuda/differential/last_step.h"
#include "rigcast/cuda/differential/last_step_plan.h"
#include "rigcast/cuda/products/kernels.h"
#include "rigcast/cuda/products/library_product.h"

namespace rigcast::cuda {

/// One product with three groups, one per axis, of the gathered columns (FoldedPlan).
class FoldedStep final : public LastStep {
public:
    FoldedStep(Machine& machine, Libraries* libraries, const FoldedPlan& plan, std::int64_t row_width)
        : machine_(machine),
          row_width_(row_width),
          num_combined_(static_cast<std::int64_t>(plan.combined.size())),
          points_(make_layer_product(machine, libraries, plan.points)) {
        machine.upload(plan.combined, combined_);
        machine.synchronize();
    }

    std::int64_t floats_per_row() const override { return num_combined_; }
    void reserve(std::int64_t count, LastStepMemory& memory) const override {
        memory.inner.reserve(count * num_combined_);
    }

    void run(const LastStepBatch& batch) const override {
        gather(batch);
        points_->run(machine_, batch.count, batch.memory.inner.data(), num_combined_, batch.points);
    }

    void run_tangents(const LastStepBatch& batch, const LastStepMemory&, const float* points_at,
                      TangentFrames frames) const override {
        gather(batch);
        points_->run_tangents(machine_, batch.count, batch.memory.inner.data(), num_combined_, points_at, frames,
                              batch.points);
    }

private:
    void gather(const LastStepBatch& batch) const {
        machine_.for_each(batch.count, num_combined_,
                          Gather{batch.row, row_width_, combined_.data(), num_combined_, batch.memory.inner.data()});
    }

    Machine& machine_;
    std::int64_t row_width_;
    std::int64_t num_combined_;
    std::unique_ptr<LayerProduct> points_;
    Buffer<std::int32_t> combined_;
};

}  // namespace rigcast::cuda
