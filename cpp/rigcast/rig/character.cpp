#include "rigcast/rig/character.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/mesh/topology.h"
#include "rigcast/rig/surface.h"

namespace rigcast::rig {
namespace {

Skeleton read_skeleton(const TensorFile& tensors) {
    std::vector<std::string> names = tensors.metadata().names("joint_names");
    if (names.empty()) return Skeleton();
    const std::int64_t count = static_cast<std::int64_t>(names.size());
    const auto parents = tensors.get<std::int32_t, 1>("skeleton.parents", {count});
    const auto rest = tensors.get<float, 3>("skeleton.rest", {count, 3, 4});
    return Skeleton(std::move(names), {parents.begin(), parents.end()}, rest);
}

std::vector<std::string> pose_names(const std::vector<std::string>& joints, const std::vector<std::string>& numeric) {
    std::vector<std::string> names;
    for (const std::string& joint : joints) {
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 4; ++column) {
                names.push_back(joint + ".m" + std::to_string(row) + std::to_string(column));
            }
        }
    }
    names.insert(names.end(), numeric.begin(), numeric.end());
    return names;
}

void check_finite(const TensorFile& tensors) {
    for (const auto& [name, entry] : tensors.entries()) {
        if (entry.dtype != DType::f32) continue;
        std::int64_t count = 1;
        for (const std::int64_t extent : entry.shape) count *= extent;
        const float* data = tensors.data(entry);
        if (!std::all_of(data, data + count, [](float x) { return std::isfinite(x); })) {
            throw bad_argument("load", tensors.origin() + ": " + name, "not finite everywhere", "finite");
        }
    }
}

/// Every model has a unit of length and an up axis: thresholds in millimeters need them.
void check_units(const TensorFile& tensors) {
    const double scale = tensors.metadata().number("meters_per_unit");
    if (!(std::isfinite(scale) && scale > 0.0)) {
        throw bad_argument("load", "metadata.meters_per_unit", std::to_string(scale), "a positive number");
    }
    const std::string axis = tensors.metadata().text("up_axis");
    if (axis != "X" && axis != "Y" && axis != "Z") {
        throw bad_argument("load", "metadata.up_axis", "'" + axis + "'", "\"X\", \"Y\" or \"Z\"");
    }
}

}  // namespace

std::string model_kind(const TensorFile& tensors) {
    const Metadata& metadata = tensors.metadata();
    if (!metadata.contains("version") || metadata.number("version") != 1) {
        throw bad_argument("load", tensors.origin(), "a file without rigcast metadata of version 1",
                           "a rigcast model of version 1");
    }
    return metadata.text("kind");
}

Character::Character(std::shared_ptr<const TensorFile> file)
    : tensors(std::move(file)),
      kind(model_kind(*tensors)),
      skeleton(read_skeleton(*tensors)),
      rest_vertices(tensors->get<float, 2>("rest_vertices", {-1, 3})),
      faces(tensors->get<std::int32_t, 2>("faces", {-1, 4})) {
    const std::vector<std::string> numeric = tensors->metadata().names("numeric_controls");
    control_names = pose_names(skeleton.names(), numeric);
    control_ranges = tensors->get<float, 2>("control_ranges", {num_controls(), 2});
    if (num_vertices() == 0) throw bad_argument("load", "rest_vertices", "empty", "at least one vertex");
    mesh::check_faces("load", faces, num_vertices());
    check_finite(*tensors);
    check_units(*tensors);
    read_surface(*tensors, num_vertices(), faces);
    channels = read_channels(*tensors, skeleton, numeric, control_ranges);
    confidence = Confidence(*tensors, num_controls());
}

std::vector<float> Character::rest_pose() const {
    const View<const float, 3> joints = skeleton.rest();
    std::vector<float> pose(joints.begin(), joints.end());
    const std::int64_t first = joints.size();
    for (std::int64_t c = first; c < num_controls(); ++c) {
        const auto [low, high] = std::minmax(control_ranges(c, 0), control_ranges(c, 1));
        pose.push_back(std::clamp(0.0f, low, high));
    }
    for (const Channel& channel : channels.list()) {
        if (channel.kind == ChannelKind::dial) pose[first + channel.control] = static_cast<float>(channel.rest);
    }
    return pose;
}

}  // namespace rigcast::rig
