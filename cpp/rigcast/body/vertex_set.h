#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/body/patch/patch.h"
#include "rigcast/network/dense.h"
#include "rigcast/rig/character.h"

namespace rigcast::body {

/// One vertex set of a BodyModel: gather inputs, three dense layers, patch. A set without inputs or coefficients has no
/// network; its vertices only follow their joint.
struct VertexSet {
    std::int32_t joint = 0;
    std::vector<std::int32_t> column;     // pose columns that are inputs; empty without a network
    std::array<network::Dense, 3> layer;  // unused without a network
    Patch patch;
    std::int64_t coefficients_begin = 0;  // offset among the coefficients of all sets
    std::int64_t results_begin = 0;       // offset among the results of all sets

    /// The results of a set's vjp: the gradient of its transform (12 floats, padded), then of its inputs (padded).
    static constexpr int transform_size = 16;
    std::int64_t results_size() const { return transform_size + (has_network() ? layer[0].padded_inputs() : 0); }

    bool has_network() const { return !column.empty(); }
    /// Floats of its widest row: inputs or outputs of a layer, padded.
    int width() const;
    /// Writes the inputs of `num_frames` poses.
    void gather(Rows<const float> poses, Rows<float> inputs, int num_frames) const;
};

/// The beginning of the names of a set's tensors: "set.007.".
std::string set_name(std::int64_t index);

/// Reads and checks the sets of a body model, and packs their constants in the order of evaluation. Throws
/// ArgumentError that names the tensor that is missing, malformed or out of range.
std::vector<VertexSet> read_vertex_sets(const rig::Character& character, Packed& packed);

}  // namespace rigcast::body
