#include "rigcast/rig/stated/error_bound.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/deformer.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::rig {
namespace {

constexpr double farthest = 4.0;  // deviations: quadratic terms say nothing beyond the training poses

void check_range(const char* name, View<const std::int32_t, 1> indices, std::int32_t low, std::int64_t end) {
    for (const std::int32_t i : indices) {
        if (i < low || i >= end) {
            throw bad_argument("load", name, "holding " + std::to_string(i), "indices below " + std::to_string(end));
        }
    }
}

}  // namespace

ErrorBound::ErrorBound(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_controls)
    : column_(tensors.get<std::int32_t, 1>("bound.column")),
      output_weight_(tensors.get<float, 3>("bound.output.weight")) {
    const std::int64_t columns = column_.extent(0);
    const std::int64_t groups = output_weight_.extent(0);
    const std::int64_t hidden = output_weight_.extent(1);
    const std::int64_t components = output_weight_.extent(2);
    offset_ = read_offsets(tensors, "bound.offset", groups, columns);
    mean_ = tensors.get<float, 1>("bound.mean", {columns});
    inverse_ = tensors.get<float, 1>("bound.inverse", {columns});
    hidden_weight_ = tensors.get<float, 2>("bound.hidden.weight", {columns, hidden});
    hidden_bias_ = tensors.get<float, 2>("bound.hidden.bias", {groups, hidden});
    linear_ = tensors.get<float, 2>("bound.linear.weight", {columns, components});
    square_ = tensors.get<float, 2>("bound.square.weight", {columns, components});
    output_bias_ = tensors.get<float, 2>("bound.output.bias", {groups, components});
    group_ = tensors.get<std::int32_t, 1>("bound.vertex.group", {num_vertices});
    scale_ = tensors.get<float, 1>("bound.vertex.scale", {num_vertices});
    vertex_offset_ = tensors.get<float, 1>("bound.vertex.offset", {num_vertices});
    lowest_ = tensors.get<float, 1>("bound.vertex.lowest", {num_vertices});
    highest_ = tensors.get<float, 1>("bound.vertex.highest", {num_vertices});
    loading_ = tensors.get<float, 2>("bound.vertex.loading", {num_vertices, components});
    check_range("bound.column", column_, 0, num_controls);
    check_range("bound.vertex.group", group_, -1, groups);
    for (std::int64_t v = 0; v < num_vertices; ++v) {
        if (!(scale_(v) >= 0.0f)) {
            throw bad_argument("load", "bound.vertex.scale", std::to_string(scale_(v)), "at least 0");
        }
        if (!(lowest_(v) <= highest_(v))) {
            throw bad_argument("load", "bound.vertex.lowest", std::to_string(lowest_(v)),
                               "at most bound.vertex.highest");
        }
    }
}

std::size_t ErrorBound::work_size() const {
    std::int64_t widest = 0;
    for (std::int64_t g = 0; g < output_weight_.extent(0); ++g) {
        widest = std::max<std::int64_t>(widest, offset_(g + 1) - offset_(g));
    }
    return static_cast<std::size_t>(widest + output_weight_.extent(1) +
                                    output_weight_.extent(0) * output_weight_.extent(2));
}

void ErrorBound::coefficients(std::int64_t group, const float* pose, double* work, double* result) const {
    const std::int32_t begin = offset_(group);
    const std::int32_t count = offset_(group + 1) - begin;
    const std::int64_t hidden = output_weight_.extent(1);
    const std::int64_t components = output_weight_.extent(2);
    double* values = work;  // z, then the hidden values
    double* activation = work + count;
    for (std::int64_t h = 0; h < hidden; ++h) activation[h] = hidden_bias_(group, h);
    for (std::int64_t k = 0; k < components; ++k) result[k] = output_bias_(group, k);
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int64_t n = begin + i;
        const double deviation = (double{pose[column_(n)]} - mean_(n)) * inverse_(n);
        values[i] = std::clamp(deviation, -farthest, farthest);
        for (std::int64_t h = 0; h < hidden; ++h) activation[h] += values[i] * hidden_weight_(n, h);
        for (std::int64_t k = 0; k < components; ++k) {
            result[k] += values[i] * (double{linear_(n, k)} + values[i] * square_(n, k));
        }
    }
    for (std::int64_t h = 0; h < hidden; ++h) {
        const double value = std::tanh(activation[h]);
        for (std::int64_t k = 0; k < components; ++k) result[k] += value * output_weight_(group, h, k);
    }
}

void ErrorBound::operator()(const float* pose, double* work, float* bounds) const {
    const std::int64_t groups = output_weight_.extent(0);
    const std::int64_t components = output_weight_.extent(2);
    double* found = work;
    for (std::int64_t g = 0; g < groups; ++g) {
        coefficients(g, pose, work + groups * components, found + g * components);
    }
    for (std::int64_t v = 0; v < group_.extent(0); ++v) {
        double exponent = 0.0;
        if (group_(v) >= 0) {
            const double* mine = found + group_(v) * components;
            double sum = vertex_offset_(v);
            for (std::int64_t k = 0; k < components; ++k) sum += mine[k] * loading_(v, k);
            exponent = std::clamp(sum, double{lowest_(v)}, double{highest_(v)});
        }
        bounds[v] = static_cast<float>(scale_(v) * std::exp(exponent));
    }
}

void error_bound(const Deformer& model, View<const float, 2> poses, View<float, 2> bounds, int threads) {
    const Character& character = model.character();
    model.check_poses("error_bound", poses);
    check_shape<float, 2>("error_bound", "bounds", bounds, {poses.extent(0), character.num_vertices()});
    if (!ErrorBound::stated(*character.tensors)) {
        throw bad_argument("error_bound", "the model", "one whose file states no bound",
                           "learned by training.body from enough poses to hold 25 of them out");
    }
    const ErrorBound bound(*character.tensors, character.num_vertices(), character.num_controls());
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> work(bound.work_size());
        for (std::int64_t t = begin; t < end; ++t) bound(poses.row(t), work.data(), bounds.row(t));
    });
}

}  // namespace rigcast::rig
