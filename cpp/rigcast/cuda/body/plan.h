#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/products/product_plan.h"

namespace rigcast::body {
class BodyModel;
}

namespace rigcast::cuda {

/// A learned body (body::BodyModel) as flat arrays for the device. For each frame and set i with bone X_i, t_i:
///   p_i = basis_i (W3 tanh(W2 tanh(W1 x_i + b1) + b2) + b3) + base_i,   v_k = sum_i a_ki (X_i p_ik + t_i),
/// base_i = mean_i + rest_i in the bone's frame (Bailey et al. 2018, eq. 2).
struct BodyPlan {
    explicit BodyPlan(const body::BodyModel& model);

    std::int64_t num_controls;
    std::int64_t num_vertices;
    std::vector<std::int32_t> parents;  // (J)
    std::vector<std::int32_t> joints;   // (S) of the sets
    std::vector<std::int32_t> columns;  // (N) pose columns: the inputs of all sets, set after set
    ProductPlan hidden1{network::Activation::tanh};
    ProductPlan hidden2{network::Activation::tanh};
    ProductPlan coefficients{network::Activation::none};
    ProductPlan points{network::Activation::none};
    /// Vertex k is the sum of the entries offset[k] to before offset[k + 1], ascending by set: entry e is point[e] of
    /// all sets, transformed by the bone of set transform[e], times weight[e].
    std::vector<std::int32_t> offset;  // (V + 1)
    std::vector<std::int32_t> point;
    std::vector<std::int32_t> transform;
    std::vector<float> weight;

private:
    void add_set(const body::BodyModel& model, std::int64_t index);
    void list_entries(const body::BodyModel& model);
};

}  // namespace rigcast::cuda
