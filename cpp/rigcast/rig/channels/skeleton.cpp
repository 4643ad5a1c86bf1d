#include "rigcast/rig/channels/skeleton.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "rigcast/core/error.h"
#include "rigcast/rig/channels/transform.h"

namespace rigcast::rig {
namespace {

void check_tree(const std::vector<std::string>& names, const std::vector<std::int32_t>& parents) {
    for (std::size_t j = 0; j < parents.size(); ++j) {
        if (parents[j] < -1 || parents[j] >= static_cast<std::int32_t>(j)) {
            throw bad_argument("Skeleton", "parents", std::to_string(parents[j]) + " at joint " + names[j],
                               "-1 or the index of an earlier joint (parents before children, no cycles)");
        }
    }
}

}  // namespace

Skeleton::Skeleton(std::vector<std::string> names, std::vector<std::int32_t> parents, View<const float, 3> rest)
    : names_(std::move(names)), parents_(std::move(parents)), rest_(rest.begin(), rest.end()) {
    const std::size_t count = names_.size();
    if (count == 0) throw bad_argument("Skeleton", "names", "empty", "at least one joint");
    if (parents_.size() != count) {
        throw bad_argument("Skeleton", "parents", std::to_string(parents_.size()) + " long",
                           std::to_string(count) + " long, one per name");
    }
    if (rest.extent(0) != static_cast<std::int64_t>(count) || rest.extent(1) != 3 || rest.extent(2) != 4) {
        throw bad_argument("Skeleton", "rest", "of another shape", "(" + std::to_string(count) + ", 3, 4)");
    }
    std::set<std::string> seen;
    for (const std::string& name : names_) {
        if (!seen.insert(name).second) throw bad_argument("Skeleton", "names", "'" + name + "' twice", "unique");
    }
    check_tree(names_, parents_);
    if (!std::all_of(rest_.begin(), rest_.end(), [](float x) { return std::isfinite(x); })) {
        throw bad_argument("Skeleton", "rest", "not finite everywhere", "finite");
    }
    rest_globals_.resize(rest_.size());
    inverse_.resize(rest_.size());
    globals(rest_.data(), rest_globals_.data());
    for (std::size_t j = 0; j < count; ++j) {
        if (!invertible(rest_globals_.data() + 12 * j)) {
            throw bad_argument("Skeleton", "rest", "of zero scale at joint " + names_[j], "invertible");
        }
        invert(rest_globals_.data() + 12 * j, inverse_.data() + 12 * j);
    }
}

void Skeleton::globals(const float* pose, float* out) const {
    for (int j = 0; j < num_joints(); ++j) global(j, pose, out);
}

void Skeleton::global(int j, const float* pose, float* globals) const {
    if (parents_[j] < 0) {
        std::copy_n(pose + 12 * j, 12, globals + 12 * j);
    } else {
        compose(globals + 12 * parents_[j], pose + 12 * j, globals + 12 * j);
    }
}

void Skeleton::globals_vjp(const float* pose, const float* globals, float* global_gradient,
                           float* pose_gradient) const {
    for (std::size_t j = parents_.size(); j-- > 0;) {
        const float* g = global_gradient + 12 * j;
        float* local = pose_gradient + 12 * j;
        if (parents_[j] < 0) {
            for (int k = 0; k < 12; ++k) local[k] += g[k];
            continue;
        }
        const float* parent = globals + 12 * parents_[j];
        float* parent_gradient = global_gradient + 12 * parents_[j];
        const float* transform = pose + 12 * j;
        // G = P L: dL = P^T dG (3x3 part), dP = dG L^T; the gradient of P's translation is that of G's.
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 4; ++column) {
                float sum = 0.0f;
                for (int k = 0; k < 3; ++k) sum += parent[k * 4 + row] * g[k * 4 + column];
                local[row * 4 + column] += sum;
            }
            for (int column = 0; column < 3; ++column) {
                float sum = 0.0f;
                for (int k = 0; k < 4; ++k) sum += g[row * 4 + k] * transform[column * 4 + k];
                parent_gradient[row * 4 + column] += sum;
            }
            parent_gradient[row * 4 + 3] += g[row * 4 + 3];
        }
    }
}

/// G = P L: dG = dP L + P dL, where the fourth rows of dP and dL are 0.
void Skeleton::globals_jvp(const float* pose, const float* globals, const float* pose_tangent, float* out) const {
    for (std::size_t j = 0; j < parents_.size(); ++j) {
        const float* transform = pose + 12 * j;
        const float* tangent = pose_tangent + 12 * j;
        float* result = out + 12 * j;
        if (parents_[j] < 0) {
            std::copy_n(tangent, 12, result);
            continue;
        }
        const float* parent = globals + 12 * parents_[j];
        const float* parent_tangent = out + 12 * parents_[j];
        for (int row = 0; row < 3; ++row) {
            const float* p = parent + 4 * row;
            const float* dp = parent_tangent + 4 * row;
            for (int column = 0; column < 4; ++column) {
                float sum = column == 3 ? dp[3] : 0.0f;
                for (int k = 0; k < 3; ++k) sum += dp[k] * transform[k * 4 + column] + p[k] * tangent[k * 4 + column];
                result[row * 4 + column] = sum;
            }
        }
    }
}

void Skeleton::add_point_jacobian(int joint, const float* pose, const float* globals, const float* point, float weight,
                                  float* rows, std::int64_t stride) const {
    float local[4] = {point[0], point[1], point[2], 1.0f};  // the point in the coordinates of joint j
    for (int j = joint; j >= 0; j = parents_[j]) {
        const float* parent = parents_[j] < 0 ? nullptr : globals + 12 * parents_[j];
        for (int axis = 0; axis < 3; ++axis) {
            for (int row = 0; row < 3; ++row) {
                const float rotation = weight * (parent ? parent[4 * axis + row] : axis == row ? 1.0f : 0.0f);
                float* entries = rows + axis * stride + 12 * j + 4 * row;
                for (int column = 0; column < 4; ++column) entries[column] += rotation * local[column];
            }
        }
        float in_parent[3];
        apply(pose + 12 * j, local, in_parent);
        std::copy_n(in_parent, 3, local);
    }
}

}  // namespace rigcast::rig
