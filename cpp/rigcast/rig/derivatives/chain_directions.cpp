#include "rigcast/rig/derivatives/chain_directions.h"

#include <algorithm>

namespace rigcast::rig {
namespace {

constexpr float identity_transform[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

}  // namespace

std::vector<std::int32_t> with_ancestors(const Skeleton& skeleton, std::span<const std::int32_t> joints) {
    std::vector<char> needed(static_cast<std::size_t>(skeleton.num_joints()), 0);
    for (const std::int32_t j : joints) needed[j] = 1;
    std::vector<std::int32_t> found;
    for (int j = skeleton.num_joints() - 1; j >= 0; --j) {
        if (needed[j] == 0) continue;
        found.push_back(j);
        if (skeleton.parents()[j] >= 0) needed[skeleton.parents()[j]] = 1;
    }
    std::reverse(found.begin(), found.end());
    return found;
}

ChainDirections::ChainDirections(const Skeleton& skeleton)
    : skeleton_(skeleton), first_(static_cast<std::size_t>(skeleton.num_joints())) {}

void ChainDirections::set(const PoseDirections& directions) {
    changes_ = directions.joints.data();
    std::fill(first_.begin(), first_.end(), -1);
    next_.resize(directions.joints.size());
    for (std::size_t i = directions.joints.size(); i-- > 0;) {
        std::int32_t& first = first_[directions.joints[i].joint];
        next_[i] = first;
        first = static_cast<std::int32_t>(i);
    }
}

void ChainDirections::add_point(int joint, const float* pose, const float* globals, const float* point, double weight,
                                double* rows, std::int64_t stride) const {
    double local[4] = {point[0], point[1], point[2], 1.0};  // the point in the coordinates of joint j
    for (int j = joint; j >= 0; j = skeleton_.parents()[j]) {
        const int above = skeleton_.parents()[j];
        const float* parent = above < 0 ? identity_transform : globals + 12 * above;
        for (std::int32_t i = first_[j]; i >= 0; i = next_[i]) {
            const double* m = changes_[i].change;
            double moved[3];
            for (int row = 0; row < 3; ++row, m += 4) {
                moved[row] = weight * (m[0] * local[0] + m[1] * local[1] + m[2] * local[2] + m[3]);
            }
            double* to = rows + changes_[i].direction;
            for (int axis = 0; axis < 3; ++axis, to += stride) {
                const float* p = parent + 4 * axis;
                *to += p[0] * moved[0] + p[1] * moved[1] + p[2] * moved[2];
            }
        }
        const float* m = pose + 12 * j;
        double in_parent[3];
        for (int row = 0; row < 3; ++row, m += 4) {
            in_parent[row] = m[0] * local[0] + m[1] * local[1] + m[2] * local[2] + m[3];
        }
        std::copy_n(in_parent, 3, local);
    }
}

}  // namespace rigcast::rig
