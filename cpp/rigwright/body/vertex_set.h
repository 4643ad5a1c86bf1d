#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rigwright/body/patch.h"
#include "rigwright/network/dense.h"
#include "rigwright/rig/character.h"

namespace rigwright::body {

/// The program of one vertex set: gather inputs, three dense layers, patch. Without inputs or without
/// components there is no network, and its vertices only follow their joint.
struct VertexSet {
    std::int32_t joint = 0;
    std::vector<std::int32_t> column;     // pose columns that are inputs; empty without a network
    std::array<network::Dense, 3> layer;  // of no use without a network
    Patch patch;
    std::int64_t coefficients_begin = 0;  // among those of all sets
    std::int64_t results_begin = 0;       // of the gradients of this set among those of all sets

    /// The gradients of a set: of its transform, padded, then of its inputs, padded.
    static constexpr int transform_size = 16;
    std::int64_t results_size() const { return transform_size + (has_network() ? layer[0].padded_inputs() : 0); }

    bool has_network() const { return !column.empty(); }
    /// Widest row that its evaluation needs: inputs or a layer.
    int width() const;
    /// The inputs of `count` poses.
    void gather(Rows<const float> poses, Rows<float> inputs, int count) const;
};

/// metadata.network_storage of a body file, "float32" if there is none.
std::string network_storage(const TensorFile& tensors);

/// How the weights of a layer of a body file are kept: as network_storage says, "16-bit" being the better 16-bit format
/// for this matrix. Throws ArgumentError on anything else.
network::Storage layer_storage(const TensorFile& tensors, View<const float, 2> weight);

/// "set.007.": how the names of a set's tensors begin.
std::string set_name(std::int64_t index);

/// The sets of a body model, read from its tensors, checked, and packed in the order of evaluation. Throws
/// ArgumentError naming the tensor that is missing, malformed or out of range.
std::vector<VertexSet> read_vertex_sets(const rig::Character& character, Packed& packed);

}  // namespace rigwright::body
