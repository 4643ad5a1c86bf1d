#include "rigcast/synthesis/model/controls.h"

#include <algorithm>
#include <set>

#include "rigcast/core/error.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/rotations/channel_angles.h"

namespace rigcast::synthesis {
namespace {

void check_names(const char* function, const std::vector<std::string>& names) {
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (!name.empty() && seen.insert(name).second) continue;
        throw bad_argument(function, "control_names",
                           name.empty() ? "a list with an empty name" : "a list with '" + name + "' twice",
                           "a list of different, non-empty names");
    }
}

void check_limits(const char* function, const std::vector<double>& limits, std::size_t count) {
    if (limits.size() != 2 * count) {
        throw bad_argument(function, "limits", std::to_string(limits.size()) + " numbers",
                           "(" + std::to_string(count) + ", 2)");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const double low = limits[2 * i], high = limits[2 * i + 1];
        if (low <= high) continue;  // false for NaN
        throw bad_argument(function, "limits", "with a lowest value above the highest", "pairs (lowest, highest)");
    }
}

}  // namespace

Controls::Controls(const char* function, std::vector<std::string> names, std::vector<double> limits,
                   std::vector<Joint> joints)
    : names_(std::move(names)), limits_(std::move(limits)), joints_(std::move(joints)) {
    check_names(function, names_);
    check_limits(function, limits_, names_.size());
    std::set<std::int32_t> used;
    for (const Joint& joint : joints_) {
        for (const std::int32_t column : joint.columns) {
            if (column >= 0 && column < size() && used.insert(column).second) continue;
            throw bad_argument(function, "rotations", "with the control " + std::to_string(column),
                               "different controls from 0 to " + std::to_string(size() - 1));
        }
    }
    rounded_.assign(limits_.begin(), limits_.end());
}

std::array<int, 3> Controls::axes_of(const char* function, const std::string& order) {
    std::string sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "XYZ") throw bad_argument(function, "rotation_orders", "'" + order + "'", "permutations of XYZ");
    return {order[0] - 'X', order[1] - 'X', order[2] - 'X'};
}

rig::Matrix3 Controls::product(std::size_t j, const std::array<double, 3>& degrees) const {
    rig::Matrix3 matrix = rig::Matrix3::identity();
    for (std::size_t k = 0; k < 3; ++k) rig::turn(matrix.data(), joints_[j].axes[k], degrees[k]);
    return matrix;
}

void Controls::set_rotation(std::size_t j, const rig::Matrix3& rotation, double* controls) const {
    const Joint& joint = joints_[j];
    std::array<double, 6> ranges;
    std::array<double, 3> angles;
    for (std::size_t k = 0; k < 3; ++k) {
        ranges[2 * k] = limits_[2 * static_cast<std::size_t>(joint.columns[k])];
        ranges[2 * k + 1] = limits_[2 * static_cast<std::size_t>(joint.columns[k]) + 1];
    }
    rig::fit_angles({rotation.data(), {1, 3, 3}}, joint.axes, {ranges.data(), {3, 2}}, false, {angles.data(), {1, 3}});
    for (std::size_t k = 0; k < 3; ++k) controls[joint.columns[k]] = angles[k];
}

void Controls::clip(const double* controls, float* out) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        out[i] = std::clamp(static_cast<float>(controls[i]), rounded_[2 * i], rounded_[2 * i + 1]);
    }
}

}  // namespace rigcast::synthesis
