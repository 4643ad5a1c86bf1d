#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/channels/channels.h"
#include "rigcast/rig/channels/skeleton.h"
#include "rigcast/rig/confidence.h"

namespace rigcast::rig {

/// The kind of model in a file: "blendshape", "body", ... Throws ArgumentError if the metadata have no kind or another
/// version than 1.
std::string model_kind(const TensorFile& tensors);

/// The data that all kinds of models share, read from a model file and checked: V rest vertices, F faces, J joints and
/// the C = 12 J + K controls of a pose (K numeric ones), with their ranges in the training data. A model without joints
/// (J = 0) has no skeleton tensors.
struct Character {
    /// Throws ArgumentError if an entry is missing, malformed or out of range, or a number is not finite.
    explicit Character(std::shared_ptr<const TensorFile> file);

    std::int64_t num_vertices() const { return rest_vertices.extent(0); }
    std::int64_t num_controls() const { return static_cast<std::int64_t>(control_names.size()); }
    /// The rest pose (C): joints at rest, and numeric controls at the rest value of their channel, or without one at
    /// the value of their range nearest to 0.
    std::vector<float> rest_pose() const;

    std::shared_ptr<const TensorFile> tensors;  // owns the data of the views below
    std::string kind;
    Skeleton skeleton;
    std::vector<std::string> control_names;  // (C) "JOINT.m00" to "JOINT.m23" per joint, then the numeric controls
    View<const float, 2> rest_vertices;      // (V, 3)
    View<const std::int32_t, 2> faces;       // (F, 4), -1 pads triangles
    View<const float, 2> control_ranges;     // (C, 2)
    Channels channels;                       // the artist's controls; empty if the file has none
    Confidence confidence;
};

}  // namespace rigcast::rig
