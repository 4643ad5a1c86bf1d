#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "rigcast/body/body_model.h"
#include "rigcast/body/matrix_storage.h"
#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::body {
namespace {

/// The tables that all sets share.
struct Tables {
    explicit Tables(const rig::Character& character);

    View<const std::int32_t, 1> joint;
    View<const std::int32_t, 1> offset;
    View<const std::int32_t, 1> vertex;
    View<const std::int32_t, 1> input_offset;
    View<const std::int32_t, 1> column;
    View<const float, 1> weight;

    std::int64_t num_sets() const { return joint.extent(0); }
};

void check_range(const char* name, View<const std::int32_t, 1> values, std::int64_t limit, const char* what) {
    for (const std::int32_t value : values) {
        if (value < 0 || value >= limit) {
            throw bad_argument("load", name, "holding " + std::to_string(value),
                               std::string(what) + " below " + std::to_string(limit));
        }
    }
}

Tables::Tables(const rig::Character& character) {
    const TensorFile& tensors = *character.tensors;
    joint = tensors.get<std::int32_t, 1>("sets.joint");
    vertex = tensors.get<std::int32_t, 1>("sets.vertex");
    weight = tensors.get<float, 1>("sets.weight", {vertex.extent(0)});
    column = tensors.get<std::int32_t, 1>("inputs.column");
    offset = rig::read_offsets(tensors, "sets.offset", num_sets(), vertex.extent(0));
    input_offset = rig::read_offsets(tensors, "inputs.offset", num_sets(), column.extent(0));
    check_range("sets.joint", joint, character.skeleton.num_joints(), "joints");
    check_range("sets.vertex", vertex, character.num_vertices(), "vertices");
    check_range("inputs.column", column, character.num_controls(), "pose columns");
}

void check_order(const Tables& tables) {
    for (std::int64_t i = 0; i < tables.num_sets(); ++i) {
        for (std::int32_t m = tables.offset(i) + 1; m < tables.offset(i + 1); ++m) {
            if (tables.vertex(m) <= tables.vertex(m - 1)) {
                throw bad_argument("load", "sets.vertex", "not ascending inside set " + std::to_string(i),
                                   "ascending inside a set");
            }
        }
    }
}

void check_weights(const Tables& tables, std::int64_t num_vertices) {
    std::vector<double> sum(static_cast<std::size_t>(num_vertices));
    for (std::int64_t m = 0; m < tables.weight.extent(0); ++m) {
        if (tables.weight(m) < 0.0f) {
            throw bad_argument("load", "sets.weight", "holding " + std::to_string(tables.weight(m)), "not negative");
        }
        sum[tables.vertex(m)] += tables.weight(m);
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
        if (std::abs(sum[k] - 1.0) > 1e-3) {
            throw bad_argument("load", "sets.weight at vertex " + std::to_string(k), "of sum " + std::to_string(sum[k]),
                               "of sum 1 over the sets");
        }
    }
}

network::Dense read_layer(const TensorFile& tensors, const std::string& name, std::int64_t outputs, std::int64_t inputs,
                          network::Activation activation, const MatrixStorage& storage, Packed& packed) {
    const auto weight = tensors.get<float, 2>(name + ".weight", {outputs, inputs});
    const auto bias = tensors.get<float, 1>(name + ".bias", {weight.extent(0)});
    if (weight.extent(0) == 0) throw bad_argument("load", name + ".weight", "without rows", "of at least one row");
    return network::pack_dense(weight, bias, activation, packed, storage.of(name + ".weight", weight));
}

void read_network(const TensorFile& tensors, const std::string& name, std::int64_t inputs, std::int64_t components,
                  const MatrixStorage& storage, VertexSet& set, Packed& packed) {
    constexpr auto tanh = network::Activation::tanh;
    constexpr auto none = network::Activation::none;
    set.layer[0] = read_layer(tensors, name + "layer1", -1, inputs, tanh, storage, packed);
    set.layer[1] = read_layer(tensors, name + "layer2", -1, set.layer[0].outputs, tanh, storage, packed);
    set.layer[2] = read_layer(tensors, name + "layer3", components, set.layer[1].outputs, none, storage, packed);
}

/// The base points of a set: (X^0)^-1 (v^0 - t^0) + mean, computed in double precision.
std::vector<float> base_points(const rig::Character& character, const Tables& tables, std::int64_t index,
                               View<const float, 1> mean) {
    const float* rest = character.skeleton.rest_globals().row(tables.joint(index));
    const float* inverse = character.skeleton.inverse_rest_globals().row(tables.joint(index));
    std::vector<float> base;
    for (std::int32_t m = tables.offset(index); m < tables.offset(index + 1); ++m) {
        const float* v = character.rest_vertices.row(tables.vertex(m));
        for (int row = 0; row < 3; ++row) {
            double sum = mean(static_cast<std::int64_t>(base.size()));
            for (int k = 0; k < 3; ++k) {
                sum += static_cast<double>(inverse[4 * row + k]) * (static_cast<double>(v[k]) - rest[4 * k + 3]);
            }
            base.push_back(static_cast<float>(sum));
        }
    }
    return base;
}

/// Reads set `index`. `covered` (V) marks the vertices of earlier sets; those of this set are added.
VertexSet read_set(const rig::Character& character, const Tables& tables, std::int64_t index,
                   const MatrixStorage& storage, bool* covered, Packed& packed) {
    const TensorFile& tensors = *character.tensors;
    const std::string name = set_name(index);
    const std::int32_t begin = tables.offset(index);
    const std::int32_t end = tables.offset(index + 1);
    const std::int32_t members = end - begin;
    const std::int32_t inputs = tables.input_offset(index + 1) - tables.input_offset(index);
    const auto mean = tensors.get<float, 1>(name + "mean", {3 * std::int64_t{members}});
    // A set without inputs has no network, so nothing would determine coefficients.
    const auto basis = tensors.get<float, 2>(name + "basis", {mean.extent(0), inputs == 0 ? 0 : -1});

    VertexSet set;
    set.joint = tables.joint(index);
    if (basis.extent(1) > 0) {
        const std::int32_t* columns = tables.column.data() + tables.input_offset(index);
        set.column.assign(columns, columns + inputs);
        read_network(tensors, name, inputs, basis.extent(1), storage, set, packed);
    }
    const std::vector<float> base = base_points(character, tables, index, mean);
    const auto is_added = std::make_unique<bool[]>(members);
    for (std::int32_t m = 0; m < members; ++m) {
        bool& seen = covered[tables.vertex(begin + m)];
        is_added[m] = seen;
        seen = true;
    }
    const PatchSource source{tables.vertex.data() + begin, tables.weight.data() + begin, is_added.get(), base.data(),
                             basis};
    set.patch = pack_patch(source, members, storage.of(name + "basis", basis), packed);
    return set;
}

}  // namespace

std::string set_name(std::int64_t index) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "set.%03lld.", static_cast<long long>(index));
    return text.data();
}

int VertexSet::width() const {
    int most = static_cast<int>(column.size());
    for (const network::Dense& dense : layer) most = std::max(most, dense.padded());
    return most;
}

void VertexSet::gather(Rows<const float> poses, Rows<float> inputs, int num_frames) const {
    for (int p = 0; p < num_frames; ++p) {
        const float* pose = poses.row(p);
        float* input = inputs.row(p);
        for (const std::int32_t index : column) *input++ = pose[index];
    }
}

std::vector<VertexSet> read_vertex_sets(const rig::Character& character, Packed& packed) {
    const Tables tables(character);
    const MatrixStorage storage(*character.tensors);
    check_order(tables);
    check_weights(tables, character.num_vertices());
    const auto covered = std::make_unique<bool[]>(character.num_vertices());
    std::vector<VertexSet> sets;
    std::int64_t added = 0;
    std::int64_t coefficients = 0;
    std::int64_t results = 0;
    for (std::int64_t i = 0; i < tables.num_sets(); ++i) {
        sets.push_back(read_set(character, tables, i, storage, covered.get(), packed));
        VertexSet& set = sets.back();
        set.patch.added_begin = added;
        added += set.patch.num_added();
        set.coefficients_begin = coefficients;
        coefficients += set.patch.padded_components();
        set.results_begin = results;
        results += set.results_size();
    }
    return sets;
}

}  // namespace rigcast::body
