#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/channels.h"
#include "rigwright/rig/confidence.h"
#include "rigwright/rig/skeleton.h"

namespace rigwright::rig {

/// The kind of model that a file holds. Throws ArgumentError if it has no usable metadata.
std::string model_kind(const TensorFile& tensors);

/// What every model shares, read from its tensors and checked: V rest vertices, F faces, J joints, the C = 12
/// J + K controls of a pose row with the ranges seen in training, and the confidence. A model without joints (J = 0)
/// has no skeleton tensors.
struct Character {
    /// Throws ArgumentError on anything missing, malformed or out of range.
    explicit Character(std::shared_ptr<const TensorFile> file);

    std::int64_t num_vertices() const { return rest_vertices.extent(0); }
    std::int64_t num_controls() const { return static_cast<std::int64_t>(control_names.size()); }

    std::shared_ptr<const TensorFile> tensors;  // keeps the views below alive
    std::string kind;
    Skeleton skeleton;
    std::vector<std::string> control_names;
    View<const float, 2> rest_vertices;   // (V, 3)
    View<const std::int32_t, 2> faces;    // (F, 4), -1 pads triangles
    View<const float, 2> control_ranges;  // (C, 2)
    Channels channels;                    // what an artist changes; none in a file that has no such entry
    Confidence confidence;
};

}  // namespace rigwright::rig
