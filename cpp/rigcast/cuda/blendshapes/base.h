#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/blendshapes/plan.h"
#include "rigcast/cuda/blendshapes/program.h"
#include "rigcast/rig/blendshapes/base_shapes.h"

namespace rigcast::cuda {

/// The features of a base: the columns of a pose, then products and positive parts of them.
struct FeatureLists {
    const std::int32_t* first;   // (P)
    const std::int32_t* second;  // (P), -1 for a positive part
    std::int64_t num_controls;
    std::int64_t num_features;
};

struct BaseFeatures {
    const float* poses;  // (T, C)
    FeatureLists lists;
    float* features;  // (T, C + P)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t f) const {
        const float* x = poses + frame * lists.num_controls;
        float* out = features + frame * lists.num_features + f;
        if (f < lists.num_controls) {
            *out = x[f];
            return;
        }
        const std::int32_t a = lists.first[f - lists.num_controls], b = lists.second[f - lists.num_controls];
        *out = b >= 0 ? x[a] * x[b] : x[a] > 0.0f ? x[a] : 0.0f;
    }
};

/// Their derivatives along tangents that belong to frames.
struct BaseFeatureTangents {
    const float* poses;     // (T, C)
    const float* tangents;  // (R, C)
    TangentFrames frames;
    FeatureLists lists;
    float* derivatives;  // (R, C + P)

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t f) const {
        const float* x = poses + frames.frame(r) * lists.num_controls;
        const float* dx = tangents + r * lists.num_controls;
        float* out = derivatives + r * lists.num_features + f;
        if (f < lists.num_controls) {
            *out = dx[f];
            return;
        }
        const std::int32_t a = lists.first[f - lists.num_controls], b = lists.second[f - lists.num_controls];
        *out = b >= 0 ? dx[a] * x[b] + x[a] * dx[b] : x[a] > 0.0f ? dx[a] : 0.0f;
    }
};

/// The base of a model (rig::BaseShapes) on the device. The machine must outlive it.
class ResidentBase {
public:
    ResidentBase(Machine& machine, const rig::BaseShapes& base)
        : machine_(machine),
          num_features_(base.rig()->num_shapes()),
          num_controls_(num_features_ - static_cast<std::int64_t>(base.first().size())),
          num_points_(base.rig()->character().num_vertices()),
          program_(make_blendshape_program(machine, BlendshapePlan(*base.rig(), Columns::moving))) {
        machine.upload(base.first(), first_);
        machine.upload(base.second(), second_);
        machine.synchronize();
    }

    /// Floats of working memory per frame, and per tangent.
    std::int64_t floats_per_row() const { return num_features_ + 3 * num_points_ + program_->floats_per_frame(); }

    /// Allocates memory for `count` frames. May wait for the device.
    void prepare(std::int64_t count) {
        features_.reserve(count * num_features_);
        points_.reserve(count * 3 * num_points_);
        program_->prepare({0, count, nullptr, nullptr});
    }
    /// Queues the points of prepared frames: (count, N, 3), there until the next call. Poses are (count, C).
    const float* evaluate(std::int64_t count, const float* poses) {
        machine_.for_each(count, num_features_, BaseFeatures{poses, lists(), features_.data()});
        program_->evaluate({0, count, features_.data(), points_.data()});
        return points_.data();
    }
    /// Queues the derivatives (count, N, 3) along tangents (count, C) of poses that were evaluated last.
    const float* push_forward(std::int64_t count, TangentFrames frames, const float* poses, const float* tangents) {
        feature_tangents_.reserve(count * num_features_);
        derivatives_.reserve(count * 3 * num_points_);
        machine_.for_each(count, num_features_,
                          BaseFeatureTangents{poses, tangents, frames, lists(), feature_tangents_.data()});
        program_->linearize({0, 0, features_.data(), nullptr});
        program_->push_forward({count, frames, feature_tangents_.data(), derivatives_.data()});
        return derivatives_.data();
    }

private:
    FeatureLists lists() const { return {first_.data(), second_.data(), num_controls_, num_features_}; }

    Machine& machine_;
    std::int64_t num_features_;
    std::int64_t num_controls_;
    std::int64_t num_points_;
    std::unique_ptr<DeviceProgram> program_;
    Buffer<std::int32_t> first_;
    Buffer<std::int32_t> second_;
    Buffer<float> features_;
    Buffer<float> points_;
    Buffer<float> feature_tangents_;
    Buffer<float> derivatives_;
};

}  // namespace rigcast::cuda
