#include "rigcast/rig/skinning/skin_weights.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/rig/channels/transform.h"

namespace rigcast::rig {
namespace {

template <class T>
void add_rows(const TensorFile& source, const std::string& name, View<const std::int32_t, 1> rows, TensorFile* file) {
    const auto all = source.get<T, 2>(name);
    std::vector<T> chosen;
    for (const std::int32_t row : rows) chosen.insert(chosen.end(), all.row(row), all.row(row + 1));
    file->add(name, {rows.extent(0), all.extent(1)}, chosen.data());
}

}  // namespace

SkinWeights::SkinWeights(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_joints) {
    const auto joint = tensors.get<std::int32_t, 2>("skin.joint", {num_vertices, -1});
    const auto weight = tensors.get<float, 2>("skin.weight", {num_vertices, joint.extent(1)});
    for (std::int64_t k = 0; k < num_vertices; ++k) {
        double sum = 0.0;
        const std::size_t first = joint_.size();
        for (std::int64_t i = 0; i < weight.extent(1); ++i) {
            const bool is_known = joint(k, i) >= 0 && joint(k, i) < num_joints;
            if (!is_known || weight(k, i) < 0.0f) {
                throw bad_argument("load", "skin at vertex " + std::to_string(k),
                                   "joint " + std::to_string(joint(k, i)) + " weight " + std::to_string(weight(k, i)),
                                   "a joint of the skeleton with a weight >= 0");
            }
            sum += weight(k, i);
            if (weight(k, i) == 0.0f) continue;
            joint_.push_back(joint(k, i));
            weight_.push_back(weight(k, i));
        }
        if (std::abs(sum - 1.0) > 1e-3) {
            throw bad_argument("load", "skin.weight at vertex " + std::to_string(k), "of sum " + std::to_string(sum),
                               "of sum 1");
        }
        const auto largest = std::max_element(weight_.begin() + first, weight_.end()) - weight_.begin();
        std::swap(weight_[first], weight_[largest]);
        std::swap(joint_[first], joint_[largest]);
        offset_.push_back(static_cast<std::int32_t>(joint_.size()));
    }
}

void SkinWeights::blend(const float* transforms, const float* vertices, std::int64_t first, std::int64_t last,
                        float* out) const {
    for (std::int64_t k = first; k < last; ++k) blend_point(transforms, k, vertices + 3 * k, out + 3 * k);
}

void SkinWeights::blend_vjp(const float* vertices, const float* cotangents, float* gradient) const {
    for (std::size_t k = 0; k + 1 < offset_.size(); ++k) {
        const float* v = vertices + 3 * k;
        const float* c = cotangents + 3 * k;
        float outer[12];
        for (int row = 0; row < 3; ++row) {
            for (int e = 0; e < 3; ++e) outer[row * 4 + e] = c[row] * v[e];
            outer[row * 4 + 3] = c[row];
        }
        for (std::int32_t i = offset_[k]; i < offset_[k + 1]; ++i) {
            float* g = gradient + 12 * joint_[i];
            for (int e = 0; e < 12; ++e) g[e] += weight_[i] * outer[e];
        }
    }
}

void add_skin_rows(const TensorFile& source, View<const std::int32_t, 1> vertices, TensorFile* file) {
    add_rows<std::int32_t>(source, "skin.joint", vertices, file);
    add_rows<float>(source, "skin.weight", vertices, file);
}

void skinning_transforms(const Skeleton& skeleton, const float* pose, float* globals, float* skinning) {
    skeleton.globals(pose, globals);
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        compose(globals + 12 * j, skeleton.inverse_rest_globals().row(j), skinning + 12 * j);
    }
}

/// M = G X gives dM = dG X. compose() is right although the fourth row of dG is 0: it uses the three rows only.
void skinning_jvp(const Skeleton& skeleton, const float* pose, const float* globals, const float* tangent,
                  float* globals_derivative, float* skinning_derivative) {
    skeleton.globals_jvp(pose, globals, tangent, globals_derivative);
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        compose(globals_derivative + 12 * j, skeleton.inverse_rest_globals().row(j), skinning_derivative + 12 * j);
    }
}

void skinning_vjp(const Skeleton& skeleton, const float* pose, const float* globals, float* skinning_gradient,
                  std::int64_t num_columns, float* pose_gradient) {
    for (int j = 0; j < skeleton.num_joints(); ++j) {
        const float* inverse = skeleton.inverse_rest_globals().row(j);
        float* g = skinning_gradient + 12 * j;
        for (int row = 0; row < 3; ++row) {  // M = G X: dG = dM X^T; the gradient of G's translation is that of M's
            float* r = g + 4 * row;
            float product[3];
            for (int e = 0; e < 3; ++e) {
                const float* x = inverse + 4 * e;
                product[e] = r[0] * x[0] + r[1] * x[1] + r[2] * x[2] + r[3] * x[3];
            }
            std::copy_n(product, 3, r);
        }
    }
    std::fill_n(pose_gradient, num_columns, 0.0f);
    skeleton.globals_vjp(pose, globals, skinning_gradient, pose_gradient);
}

}  // namespace rigcast::rig
