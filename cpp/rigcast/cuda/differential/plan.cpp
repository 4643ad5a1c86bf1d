#include "rigcast/cuda/differential/plan.h"

#include <cstddef>
#include <numeric>

#include "rigcast/differential/model/differential_model.h"

namespace rigcast::cuda {
namespace {

using differential::ReluNetwork;
using differential::ReluNetworks;

/// Adds a packed layer in the format in which it is stored. Returns its first output column.
std::int64_t add_layer(std::int64_t first_input, const differential::ReluLayer& layer, const network::Packed& packed,
                       ProductPlan& plan) {
    std::vector<float> weight(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    const View<float, 2> matrix(weight.data(), {layer.outputs, layer.inputs});
    differential::unpack_weights(layer, packed, matrix);
    return plan.add(first_input, matrix, {packed.at(layer.bias), {layer.outputs}}, layer.storage);
}

/// The columns of a row that the hidden layers of some networks take.
std::int64_t hidden_width(const ReluNetworks& networks) {
    std::int64_t width = 0;
    for (const ReluNetwork& network : networks.networks()) {
        for (std::size_t i = 0; i + 1 < network.layers.size(); ++i) width += network.layers[i].outputs;
    }
    return width;
}

/// The column of a row that coefficients and anchors begin at: after all hidden layers.
std::int64_t first_coefficient(const differential::DifferentialModel& model) {
    return hidden_width(model.network()) + hidden_width(model.anchors());
}

}  // namespace

DifferentialPlan::DifferentialPlan(const differential::DifferentialModel& model)
    : num_controls(model.character().num_controls()),
      num_vertices(model.character().num_vertices()),
      last_step(model.tail(), first_coefficient(model)) {
    const std::int64_t first = first_coefficient(model);
    networks[0] = layers_of(model.network(), first);
    networks[1] = layers_of(model.anchors(), first + model.num_coefficients());
    row_width = first + model.num_coefficients() + 3 * model.num_anchors();
    for (std::vector<ProductPlan>& layers : networks) {
        for (ProductPlan& layer : layers) layer.output_width = row_width;
    }
    add_skin(model);
    if (model.base()) shapes = std::make_shared<const rig::BaseShapes>(*model.base());
}

/// Appends the inputs of some networks to the columns, and makes one product per layer. Hidden layers take the next
/// columns of the row, the last ones those from `first_output` on, in the order of the networks.
std::vector<ProductPlan> DifferentialPlan::layers_of(const ReluNetworks& source, std::int64_t first_output) {
    std::vector<std::int64_t> inputs;
    std::size_t depth = 0;  // of all networks, as files have them
    for (const ReluNetwork& network : source.networks()) {
        inputs.push_back(static_cast<std::int64_t>(columns.size()));
        columns.insert(columns.end(), network.column.begin(), network.column.end());
        depth = network.layers.size();
    }
    std::vector<ProductPlan> layers;
    for (std::size_t i = 0; i < depth; ++i) {
        const bool is_last = i + 1 == depth;
        ProductPlan& plan = layers.emplace_back(is_last ? network::Activation::none : network::Activation::relu);
        plan.output_width = is_last ? first_output : row_width;
        for (std::size_t s = 0; s < inputs.size(); ++s) {
            inputs[s] = add_layer(inputs[s], source.networks()[s].layers[i], source.packed(), plan);
        }
        if (!is_last) row_width = plan.output_width;
    }
    return layers;
}

void DifferentialPlan::add_skin(const differential::DifferentialModel& model) {
    if (!model.skin()) return;
    const rig::Skeleton& skeleton = model.character().skeleton;
    parents = skeleton.parents();
    joints.resize(parents.size());
    std::iota(joints.begin(), joints.end(), 0);
    const View<const float, 3> inverse = skeleton.inverse_rest_globals();
    inverse_rest.assign(inverse.begin(), inverse.end());
    const rig::SkinWeights& skin = *model.skin();
    offset.push_back(0);
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
            joint.push_back(skin.joint(i));
            weight.push_back(skin.weight(i));
        }
        offset.push_back(static_cast<std::int32_t>(joint.size()));
    }
}

}  // namespace rigcast::cuda
