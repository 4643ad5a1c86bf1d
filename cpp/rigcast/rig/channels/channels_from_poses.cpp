#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/rig/channels/channels.h"
#include "rigcast/rig/channels/transform.h"
#include "rigcast/rig/rotations/channel_angles.h"

namespace rigcast::rig {
namespace {

/// If exactly one column of a 3x3 matrix is zero (scaled away), replaces it by the cross product of the other two.
void complete_rotation(double* m) {
    const auto is_zero = [&](int c) { return m[c] == 0.0 && m[3 + c] == 0.0 && m[6 + c] == 0.0; };
    for (int c = 0; c < 3; ++c) {
        const int a = (c + 1) % 3;
        const int b = (c + 2) % 3;
        if (!is_zero(c) || is_zero(a) || is_zero(b)) continue;
        for (int r = 0; r < 3; ++r) {
            const int p = (r + 1) % 3;
            const int q = (r + 2) % 3;
            m[r * 3 + c] = m[p * 3 + a] * m[q * 3 + b] - m[q * 3 + a] * m[p * 3 + b];
        }
    }
}

bool are_finite(const float* numbers, std::int64_t count) {
    return std::all_of(numbers, numbers + count, [](float x) { return std::isfinite(x); });
}

}  // namespace

void Channels::split_joint(std::size_t index, View<const float, 2> poses, View<float, 2> channels,
                           double* rotations) const {
    const Joint& joint = joints_[index];
    const bool scaled = joint.scales != std::array<int, 3>{-1, -1, -1};
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        double local[12];
        compose(joint.inverse.data(), poses.row(t) + 12 * index, local);
        double* linear = rotations + 9 * t;
        for (int c = 0; c < 3; ++c) {
            if (joint.translations[c] >= 0) channels(t, joint.translations[c]) = static_cast<float>(local[c * 4 + 3]);
            double scale = 1.0;
            if (joint.scales[c] >= 0) {
                scale = std::sqrt(local[c] * local[c] + local[4 + c] * local[4 + c] + local[8 + c] * local[8 + c]);
                channels(t, joint.scales[c]) = static_cast<float>(scale);
            }
            for (int r = 0; r < 3; ++r) linear[r * 3 + c] = scale > 0.0 ? local[r * 4 + c] / scale : 0.0;
        }
        if (scaled) complete_rotation(linear);
    }
}

void Channels::fit_joint(std::size_t index, View<const float, 2> poses, View<float, 2> channels) const {
    const Joint& joint = joints_[index];
    const bool turns = std::any_of(joint.turns.begin(), joint.turns.end(), [](const Turn& t) { return !t.follows; });
    if (!turns && joint.translations == joint.scales) return;  // it has neither
    const std::int64_t frames = poses.extent(0);
    const std::int64_t count = static_cast<std::int64_t>(joint.turns.size());
    std::vector<double> rotations(static_cast<std::size_t>(9 * frames));
    split_joint(index, poses, channels, rotations.data());
    if (!turns) return;
    std::vector<double> ranges;
    std::vector<double> angles(static_cast<std::size_t>(count * frames));
    std::vector<int> axes;
    for (const Turn& turn : joint.turns) {
        const double a = turn.factor * list_[turn.channel].low;
        const double b = turn.factor * list_[turn.channel].high;
        ranges.insert(ranges.end(), {std::min(a, b), std::max(a, b)});
        axes.push_back(turn.axis);
    }
    fit_angles({rotations.data(), {frames, 3, 3}}, axes, {ranges.data(), {count, 2}}, true,
               {angles.data(), {frames, count}});
    for (std::int64_t i = 0; i < count; ++i) {
        if (joint.turns[i].follows) continue;
        for (std::int64_t t = 0; t < frames; ++t) {
            channels(t, joint.turns[i].channel) = static_cast<float>(angles[t * count + i]);
        }
    }
}

void Channels::check_orders(const char* function) const {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        std::vector<int> axes;
        std::string order;
        for (const Turn& turn : joints_[j].turns) {
            axes.push_back(turn.axis);
            order += "XYZ"[turn.axis];
        }
        if (axes.empty() || can_fit_angles(axes)) continue;
        throw bad_argument(function, "model", "of a rig whose joint '" + joint_names_[j] + "' turns in order " + order,
                           "of one whose rotation orders have one to three axes, neighbors different");
    }
}

void Channels::channels(View<const float, 2> poses, View<float, 2> channels, View<float, 1> residuals) const {
    const char* function = "channels_from_poses";
    refuse_undecided(function);
    check_shape<const float, 2>(function, "poses", poses, {-1, width()});
    check_shape<float, 2>(function, "channels", channels, {poses.extent(0), size()});
    check_shape<float, 1>(function, "residuals", residuals, {poses.extent(0)});
    check_finite(function, "poses", poses);
    if (mechanism_ == nullptr) check_orders(function);
    const std::int64_t first_control = 12 * static_cast<std::int64_t>(joints_.size());
    if (mechanism_ != nullptr) {
        fit_mechanism(poses, channels);
    } else {
        parallel_for(static_cast<std::int64_t>(joints_.size()), 1, 0, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t j = begin; j < end; ++j) fit_joint(static_cast<std::size_t>(j), poses, channels);
        });
    }
    std::vector<double> found(list_.size());
    Mechanism::Poses bones;
    std::vector<float> reproduced(static_cast<std::size_t>(width()));
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        for (std::size_t k = 0; k < dials_.size(); ++k) channels(t, dials_[k]) = poses(t, first_control + k);
        std::copy_n(channels.row(t), found.size(), found.begin());
        write_pose(found.data(), &bones, reproduced.data());
        if (!are_finite(channels.row(t), size()) || !are_finite(reproduced.data(), width())) {
            throw bad_argument(function, "poses", "so large in row " + std::to_string(t) + " that channels overflow",
                               "smaller there");
        }
        residuals(t) = 0.0f;
        for (std::int64_t c = 0; c < width(); ++c) {
            residuals(t) = std::max(residuals(t), std::abs(reproduced[c] - poses(t, c)));
        }
    }
}

}  // namespace rigcast::rig
