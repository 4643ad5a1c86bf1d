#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/cuda/differential/last_step_plan.h"
#include "rigcast/cuda/products/product_plan.h"

namespace rigcast::rig {
class BaseShapes;
}

namespace rigcast::differential {
class DifferentialModel;
class ReluNetworks;
}  // namespace rigcast::differential

namespace rigcast::cuda {

/// A model in a differential subspace (differential::DifferentialModel) as flat arrays for the device:
///   v_k = T_k(x) p_k(z, a),   T_k = sum_j w_kj G_j(x) (G_j^0)^-1,
/// with the coefficients z and the anchors a from networks with relu, and the points p from the last step.
///
/// Values of a frame are one row: the hidden layers of all networks, then z (R) and a (3 A). A product reads some
/// columns of the row (a first layer: of the inputs) and writes others, so that the last layers leave z and a side by
/// side.
struct DifferentialPlan {
    explicit DifferentialPlan(const differential::DifferentialModel& model);

    std::int64_t num_controls;
    std::int64_t num_vertices;
    std::int64_t row_width = 0;                        // columns of a row of values
    std::vector<std::int32_t> columns;                 // pose columns: the inputs of all networks
    std::array<std::vector<ProductPlan>, 2> networks;  // the layers of the network, and of all anchor networks
    LastStepPlan last_step;
    std::shared_ptr<const rig::BaseShapes> shapes;  // null without a base

    /// Without skin, all of these are empty and the transforms are the identity.
    std::vector<std::int32_t> parents;  // (J)
    std::vector<std::int32_t> joints;   // (J) 0, 1, ...
    std::vector<float> inverse_rest;    // (J, 3, 4) (G_j^0)^-1
    std::vector<std::int32_t> offset;   // (V + 1) into the influences
    std::vector<std::int32_t> joint;    // (E)
    std::vector<float> weight;          // (E)

    std::int64_t num_joints() const { return static_cast<std::int64_t>(joints.size()); }

private:
    std::vector<ProductPlan> layers_of(const differential::ReluNetworks& source, std::int64_t first_output);
    void add_skin(const differential::DifferentialModel& model);
};

}  // namespace rigcast::cuda
