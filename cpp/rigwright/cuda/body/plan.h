#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/cuda/products/product_plan.h"

namespace rigwright::rig {
struct Character;
}

namespace rigwright::cuda {

/// A model of kind "body" as flat arrays for the device. Per pose and set i with bone X_i, t_i:
///   p_i = basis_i (W3 tanh(W2 tanh(W1 x_i + b1) + b2) + b3) + (mean_i + rest_i),   v_k = sum_i a_ki (X_i p_ik + t_i),
/// the rest position in the bone's frame folded into the last bias (Bailey et al. 2018, eq. 2; see body/).
struct BodyPlan {
    /// `body` is what a checked model of that kind keeps.
    explicit BodyPlan(const rig::Character& body);

    std::int64_t num_controls, num_vertices;
    std::vector<std::int32_t> parents;  // (J)
    std::vector<std::int32_t> joints;   // (S)
    std::vector<std::int32_t> columns;  // (N) pose columns, the inputs of all sets side by side
    ProductPlan hidden1{network::Activation::tanh}, hidden2{network::Activation::tanh};
    ProductPlan coefficients{network::Activation::none}, points{network::Activation::none};
    /// Entries offset[k] to offset[k + 1] make vertex k: member `point` by the bone of set `transform`.
    std::vector<std::int32_t> offset, point, transform;
    std::vector<float> weight;
};

}  // namespace rigwright::cuda
