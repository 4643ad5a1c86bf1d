#include "rigwright/cuda/body/plan.h"

#include <cstdio>
#include <string>

#include "rigwright/body/vertex_set.h"
#include "rigwright/core/tensor_file.h"
#include "rigwright/network/storage.h"
#include "rigwright/rig/character.h"

namespace rigwright::cuda {
namespace {

using Integers = View<const std::int32_t, 1>;

/// The tensors of one set.
class SetTensors {
public:
    SetTensors(const TensorFile& file, std::int64_t set) : file_(file) {
        char text[24];
        std::snprintf(text, sizeof(text), "set.%03d.", static_cast<int>(set));
        prefix_ = text;
    }
    View<const float, 2> matrix(const char* name) const { return file_.get<float, 2>(prefix_ + name); }
    View<const float, 1> vector(const char* name) const { return file_.get<float, 1>(prefix_ + name); }

    /// Adds a layer with the weights that the model keeps, widened. Returns its first output column.
    std::int64_t add_layer(std::int64_t first_input, const std::string& name, ProductPlan& plan) const {
        const auto weight = matrix((name + ".weight").c_str());
        const network::Storage storage = body::layer_storage(file_, weight);
        std::vector<float> stored(weight.begin(), weight.end());
        for (float& w : stored) w = network::rounded(storage, w);
        return plan.add(first_input, {stored.data(), weight.extents()}, vector((name + ".bias").c_str()));
    }

private:
    const TensorFile& file_;
    std::string prefix_;
};

/// Lists, for every vertex, the members that make it, ascending by set.
void list_entries(BodyPlan& plan, Integers offset, Integers vertex, View<const float, 1> weight) {
    plan.offset.assign(plan.num_vertices + 1, 0);
    for (const std::int32_t k : vertex) ++plan.offset[k + 1];
    for (std::int64_t k = 0; k < plan.num_vertices; ++k) plan.offset[k + 1] += plan.offset[k];
    plan.point.resize(vertex.size());
    plan.transform.resize(vertex.size());
    plan.weight.resize(vertex.size());
    std::vector<std::int32_t> next(plan.offset.begin(), plan.offset.end() - 1);
    for (std::int32_t set = 0; set + 1 < offset.size(); ++set) {
        for (std::int32_t member = offset(set); member < offset(set + 1); ++member) {
            const std::int32_t entry = next[vertex(member)]++;
            plan.point[entry] = member;
            plan.transform[entry] = set;
            plan.weight[entry] = weight(member);
        }
    }
}

/// (X^0)^-1 (v^0 - t^0) + mean, in double precision: where the members of a set rest in the frame of its joint.
std::vector<float> base_points(const rig::Character& body, std::int32_t joint, const std::int32_t* vertices,
                               View<const float, 1> mean) {
    const float* rest = body.skeleton.rest_globals().row(joint);
    const float* inverse = body.skeleton.inverse_rest_globals().row(joint);
    std::vector<float> points;
    for (std::int64_t m = 0; m < mean.size() / 3; ++m) {
        const float* v = body.rest_vertices.row(vertices[m]);
        for (int row = 0; row < 3; ++row) {
            double sum = mean(3 * m + row);
            for (int k = 0; k < 3; ++k) {
                sum += static_cast<double>(inverse[4 * row + k]) * (static_cast<double>(v[k]) - rest[4 * k + 3]);
            }
            points.push_back(static_cast<float>(sum));
        }
    }
    return points;
}

}  // namespace

BodyPlan::BodyPlan(const rig::Character& body)
    : num_controls(body.num_controls()), num_vertices(body.num_vertices()), parents(body.skeleton.parents()) {
    const TensorFile& file = *body.tensors;
    const Integers set_joint = file.get<std::int32_t, 1>("sets.joint");
    const Integers first_member = file.get<std::int32_t, 1>("sets.offset");
    const Integers vertex = file.get<std::int32_t, 1>("sets.vertex");
    const Integers first_input = file.get<std::int32_t, 1>("inputs.offset");
    const Integers column = file.get<std::int32_t, 1>("inputs.column");
    joints.assign(set_joint.begin(), set_joint.end());
    columns.assign(column.begin(), column.end());
    list_entries(*this, first_member, vertex, file.get<float, 1>("sets.weight"));
    for (std::int64_t i = 0; i < set_joint.size(); ++i) {
        const SetTensors set(file, i);
        const std::vector<float> base =
            base_points(body, set_joint(i), vertex.data() + first_member(i), set.vector("mean"));
        const View<const float, 1> bias(base.data(), {static_cast<std::int64_t>(base.size())});
        const auto basis = set.matrix("basis");
        if (basis.extent(1) == 0) {  // without components there are no layers
            points.add(0, basis, bias);
            continue;
        }
        std::int64_t first = first_input(i);
        first = set.add_layer(first, "layer1", hidden1);
        first = set.add_layer(first, "layer2", hidden2);
        first = set.add_layer(first, "layer3", coefficients);
        points.add(first, basis, bias);
    }
}

}  // namespace rigwright::cuda
