#pragma once
#include <memory>

#include "rigcast/cuda/differential/last_step.h"
#include "rigcast/cuda/differential/last_step_plan.h"
#include "rigcast/cuda/differential/solve_kernels.h"
#include "rigcast/cuda/products/library_product.h"

namespace rigcast::cuda {

/// Delta coordinates as one product, then a solve in double precision by the libraries (SolvePlan).
class SolveStep final : public LastStep {
public:
    SolveStep(Machine& machine, Libraries& libraries, const SolvePlan& plan, std::int64_t row_width)
        : machine_(machine),
          row_width_(row_width),
          first_anchor_(plan.first_anchor),
          size_(static_cast<std::int64_t>(plan.order.size())),
          num_vertices_(static_cast<std::int64_t>(plan.row.size())),
          delta_(make_layer_product(machine, &libraries, plan.delta)),
          cholesky_(libraries.load(plan.lower)) {
        machine.upload(plan.order, order_);
        machine.upload(plan.neighbor_start, neighbor_start_);
        machine.upload(plan.neighbor, neighbor_);
        machine.upload(plan.anchor, anchor_);
        machine.upload(plan.squared_weight, squared_weight_);
        machine.upload(plan.row, solved_row_);
        machine.upload(plan.rest, rest_);
        machine.synchronize();
    }

    /// Delta coordinates, and two doubles per coordinate of the mesh. What cuSPARSE's analysis takes is not counted.
    std::int64_t floats_per_row() const override { return 3 * size_ * (1 + 4); }

    /// Keeps the analysis of a batch for slightly smaller ones, since the last chunk of a call has fewer frames.
    /// Columns beyond the frames then hold numbers of an earlier batch; columns never mix.
    void reserve(std::int64_t count, LastStepMemory& memory) const override {
        memory.inner.reserve(count * 3 * size_);
        const std::int64_t columns = 3 * count;
        const std::int64_t has = memory.substitution ? memory.substitution->num_columns() : 0;
        if (columns <= has && has <= 2 * columns) return;
        machine_.synchronize();  // work that is queued may use the old one
        memory.substitution.reset();
        memory.substitution = cholesky_->substitution(columns);
    }

    void run(const LastStepBatch& batch) const override {
        delta_->run(machine_, batch.count, batch.row, row_width_, batch.memory.inner.data());
        solve(batch, rest_.data());
    }

    void run_tangents(const LastStepBatch& batch, const LastStepMemory& memory_at, const float*,
                      TangentFrames frames) const override {
        delta_->run_tangents(machine_, batch.count, batch.row, row_width_, memory_at.inner.data(), frames,
                             batch.memory.inner.data());
        solve(batch, nullptr);
    }

private:
    void solve(const LastStepBatch& batch, const float* rest) const {
        DeviceSubstitution& substitution = *batch.memory.substitution;
        machine_.for_each(batch.count, size_,
                          RightHandSides{order_.data(), neighbor_start_.data(), neighbor_.data(), anchor_.data(),
                                         squared_weight_.data(), size_, batch.memory.inner.data(), batch.row,
                                         row_width_, first_anchor_, substitution.columns()});
        substitution.run();
        machine_.for_each(
            batch.count, num_vertices_,
            SolvedPoints{substitution.columns(), size_, solved_row_.data(), rest, num_vertices_, batch.points});
    }

    Machine& machine_;
    std::int64_t row_width_;
    std::int64_t first_anchor_;
    std::int64_t size_;  // M
    std::int64_t num_vertices_;
    std::unique_ptr<LayerProduct> delta_;
    std::unique_ptr<DeviceCholesky> cholesky_;
    Buffer<std::int32_t> order_;
    Buffer<std::int32_t> neighbor_start_;
    Buffer<std::int32_t> neighbor_;
    Buffer<std::int32_t> anchor_;
    Buffer<double> squared_weight_;
    Buffer<std::int32_t> solved_row_;
    Buffer<float> rest_;
};

}  // namespace rigcast::cuda
