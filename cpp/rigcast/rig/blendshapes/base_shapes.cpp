#include "rigcast/rig/blendshapes/base_shapes.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/scratch.h"
#include "rigcast/rig/chosen_rows.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::rig {
namespace {

constexpr const char* column_tensors[] = {"group.offset", "group.vertex", "group.columns", "delta", "delta16", "scale"};

/// Adds the tensors of the columns that are there under other names.
void rename_columns(const TensorFile& source, const std::string& from, const std::string& to, TensorFile& result) {
    for (const char* name : column_tensors) {
        const auto entry = source.entries().find(from + name);
        if (entry != source.entries().end()) result.add(to + name, source, entry->second);
    }
}

std::vector<std::int32_t> read_controls(const TensorFile& tensors, const char* name, std::int64_t count,
                                        std::int32_t least, std::int64_t num_controls) {
    const auto controls = tensors.get<std::int32_t, 1>(name, {count});
    for (const std::int32_t c : controls) {
        if (c < least || c >= num_controls) {
            const std::string range = std::to_string(least) + " to below " + std::to_string(num_controls);
            throw bad_argument("load", name, "holding " + std::to_string(c), "pose columns from " + range);
        }
    }
    return {controls.begin(), controls.end()};
}

std::string metadata_of(std::int64_t num_features) {
    std::vector<std::string> names;
    for (std::int64_t f = 0; f < num_features; ++f) names.push_back(std::to_string(f));
    const nlohmann::json about{
        {"kind", "blendshape"},      {"version", 1},           {"joint_names", nlohmann::json::array()},
        {"numeric_controls", names}, {"meters_per_unit", 1.0}, {"up_axis", "Y"}};
    return about.dump();
}

/// The rig of F features; `start` as in the constructor.
std::shared_ptr<const BlendshapeRig> read_rig(const TensorFile& tensors, std::int64_t num_features,
                                              std::int64_t num_points, View<const float, 2> start) {
    const auto constant = tensors.get<float, 2>("base.constant", {num_points, 3});
    std::vector<float> neutral(constant.begin(), constant.end());
    if (start.data() != nullptr) {
        std::transform(neutral.begin(), neutral.end(), start.begin(), neutral.begin(), std::plus<>());
    }
    const std::vector<float> bounds(static_cast<std::size_t>(2 * num_features));
    const std::int32_t none[1] = {0};
    TensorFile file;
    file.add("rest_vertices", {num_points, 3}, neutral.data());
    file.add("faces", {0, 4}, none);
    file.add("control_ranges", {num_features, 2}, bounds.data());
    file.add("blendshape.factor.offset", {1}, none);
    file.add("blendshape.factor.shape", {0}, none);
    file.add("blendshape.factor.tent", {0, 3}, bounds.data());
    rename_columns(tensors, "base.", "blendshape.", file);
    file.set_metadata(metadata_of(num_features));
    try {
        return std::make_shared<const BlendshapeRig>(std::make_shared<const TensorFile>(std::move(file)));
    } catch (const ArgumentError& error) {
        throw bad_argument("load", "base.*", std::string("malformed (") + error.what() + ")",
                           "the columns of a blendshape rig");
    }
}

}  // namespace

bool BaseShapes::are_in(const TensorFile& tensors) {
    const auto entry = tensors.entries().lower_bound("base.");
    return entry != tensors.entries().end() && entry->first.starts_with("base.");
}

BaseShapes::BaseShapes(const TensorFile& tensors, std::int64_t num_controls, std::int64_t num_points,
                       View<const float, 2> start)
    : first_(read_controls(tensors, "base.first", -1, 0, num_controls)),
      second_(read_controls(tensors, "base.second", static_cast<std::int64_t>(first_.size()), -1, num_controls)),
      rig_(read_rig(tensors, num_controls + static_cast<std::int64_t>(first_.size()), num_points, start)) {}

std::vector<float> BaseShapes::features(const char* function, std::int64_t frame, View<const float, 2> poses) const {
    const std::int64_t width = rig_->num_shapes();
    std::vector<float> result(static_cast<std::size_t>(poses.extent(0) * width));
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const float* pose = poses.row(t);
        float* next = std::copy_n(pose, poses.extent(1), result.data() + t * width);
        for (std::size_t p = 0; p < first_.size(); ++p) {
            const float x = pose[first_[p]];
            *next++ = second_[p] < 0 ? std::max(x, 0.0f) : x * pose[second_[p]];
        }
        check_overflow(function, frame + t, result.data() + t * width, width, rig_->pose_limit());
    }
    return result;
}

std::vector<float> BaseShapes::feature_tangents(View<const float, 2> poses, View<const float, 2> tangents) const {
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(poses.extent(0) * rig_->num_shapes()));
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        const float *x = poses.row(t), *dx = tangents.row(t);
        result.insert(result.end(), dx, dx + tangents.extent(1));
        for (std::size_t p = 0; p < first_.size(); ++p) {
            const std::int32_t a = first_[p], b = second_[p];
            if (b < 0) {
                result.push_back(x[a] > 0.0f ? dx[a] : 0.0f);
            } else {
                result.push_back(dx[a] * x[b] + x[a] * dx[b]);
            }
        }
    }
    return result;
}

void BaseShapes::evaluate(const char* function, std::int64_t frame, View<const float, 2> poses, View<float, 3> points,
                          int threads) const {
    const Scratch::Inside level;  // callers have leases
    rig_->evaluate(as_features(features(function, frame, poses)), points, threads);
}

void BaseShapes::jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives) const {
    const std::vector<float> at = features("jvp", 0, poses), along = feature_tangents(poses, tangents);
    const Scratch::Inside level;
    rig_->jvp(as_features(at), as_features(along), derivatives, 1);
}

void BaseShapes::add_vjp(View<const float, 1> pose, View<const float, 2> cotangents, float* gradient) const {
    const std::vector<float> at = features("vjp", 0, {pose.data(), {1, pose.extent(0)}});
    std::vector<float> found(at.size());
    const Scratch::Inside level;
    rig_->vjp(as_features(at), {cotangents.data(), {1, cotangents.extent(0), 3}},
              {found.data(), {1, static_cast<std::int64_t>(found.size())}}, 1);
    const std::int64_t controls = pose.extent(0);
    for (std::int64_t c = 0; c < controls; ++c) gradient[c] += found[c];
    for (std::size_t p = 0; p < first_.size(); ++p) {
        const std::int32_t a = first_[p], b = second_[p];
        const float slope = found[controls + p];
        if (b < 0) {
            gradient[a] += pose(a) > 0.0f ? slope : 0.0f;
        } else {
            gradient[a] += slope * pose(b);
            gradient[b] += slope * pose(a);
        }
    }
}

void BaseShapes::add_restricted(const TensorFile& source, std::int64_t num_controls, View<const std::int32_t, 1> points,
                                TensorFile& result) {
    const auto constant = source.get<float, 2>("base.constant");
    const BaseShapes whole(source, num_controls, constant.extent(0), {});
    const auto part = whole.rig_->restricted(points);
    const TensorFile& chosen = *part->character().tensors;
    rename_columns(chosen, "blendshape.", "base.", result);
    for (const char* name : {"base.first", "base.second"}) result.add(name, source, source.entries().at(name));
    result.add("base.constant", {points.extent(0), 3}, chosen_rows(constant.data(), 3, points).data());
}

void BaseSession::evaluate(View<const float, 1> pose, View<float, 2> points) {
    const std::vector<float> row = base_.features("evaluate", 0, {pose.data(), {1, pose.extent(0)}});
    session_.evaluate({row.data(), {static_cast<std::int64_t>(row.size())}}, points);
}

}  // namespace rigcast::rig
