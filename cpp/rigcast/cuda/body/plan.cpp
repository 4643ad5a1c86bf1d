#include "rigcast/cuda/body/plan.h"

#include <numeric>

#include "rigcast/body/body_model.h"

namespace rigcast::cuda {
namespace {

using body::Patch;

/// Adds the points of a patch: coefficients to points (3 M), by basis and base.
void add_points(const Patch& patch, const network::Packed& packed, std::int64_t first_input, ProductPlan& plan) {
    const std::int64_t rows = 3 * std::int64_t{patch.members};
    std::vector<float> base(static_cast<std::size_t>(rows));
    std::vector<float> basis(static_cast<std::size_t>(rows) * patch.components);
    std::vector<float> of_member(3 * static_cast<std::size_t>(patch.components));
    for (int m = 0; m < patch.members; ++m) {
        patch.read_basis(packed, m, of_member.data());
        for (int axis = 0; axis < 3; ++axis) {
            base[3 * m + axis] = patch.member(packed, m)[axis * Patch::vertices_per_tile];
            for (int c = 0; c < patch.components; ++c) {
                basis[(3 * m + axis) * patch.components + c] = of_member[3 * c + axis];
            }
        }
    }
    plan.add(first_input, {basis.data(), {rows, patch.components}}, {base.data(), {rows}}, patch.storage,
             3 * Patch::vertices_per_tile);
}

}  // namespace

BodyPlan::BodyPlan(const body::BodyModel& model)
    : num_controls(model.character().num_controls()),
      num_vertices(model.character().num_vertices()),
      parents(model.character().skeleton.parents()) {
    for (std::size_t set = 0; set < model.sets().size(); ++set) add_set(model, static_cast<std::int64_t>(set));
    list_entries(model);
}

void BodyPlan::add_set(const body::BodyModel& model, std::int64_t index) {
    const body::VertexSet& set = model.sets()[index];
    joints.push_back(set.joint);
    std::int64_t first = static_cast<std::int64_t>(columns.size());
    columns.insert(columns.end(), set.column.begin(), set.column.end());
    if (set.has_network()) {
        first = hidden1.add(first, set.layer[0], model.packed());
        first = hidden2.add(first, set.layer[1], model.packed());
        first = coefficients.add(first, set.layer[2], model.packed());
    } else {
        first = 0;  // the points have no inputs
    }
    add_points(set.patch, model.packed(), first, points);
}

void BodyPlan::list_entries(const body::BodyModel& model) {
    offset.assign(num_vertices + 1, 0);
    for (const body::VertexSet& set : model.sets()) {
        for (const std::int32_t k : set.patch.vertex) ++offset[k + 1];
    }
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    point.resize(offset.back());
    transform.resize(offset.back());
    weight.resize(offset.back());
    std::vector<std::int32_t> next(offset.begin(), offset.end() - 1);
    std::int32_t first_point = 0;
    for (std::size_t i = 0; i < model.sets().size(); ++i) {
        const Patch& patch = model.sets()[i].patch;
        for (int m = 0; m < patch.members; ++m) {
            const std::int32_t entry = next[patch.vertex[m]]++;
            point[entry] = first_point + m;
            transform[entry] = static_cast<std::int32_t>(i);
            weight[entry] = patch.weight(model.packed(), m);
        }
        first_point += patch.members;
    }
}

}  // namespace rigcast::cuda
