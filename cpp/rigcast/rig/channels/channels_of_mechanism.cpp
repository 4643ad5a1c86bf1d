#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/optimize/box/box_least_squares.h"
#include "rigcast/rig/channels/channels.h"
#include "rigcast/rig/channels/pose_differences.h"
#include "rigcast/rig/channels/range_search.h"

namespace rigcast::rig {
namespace {

constexpr double lever_share = 0.1;      // what a rotation counts as, relative to the longest offset of a joint
constexpr double ridge_share = 1e-6;     // pull of channels to rest, relative to a lever
constexpr double enough = 1e-5;          // root mean square of the residual, relative to a lever: no other start
constexpr std::int64_t most_steps = 60;  // per start
constexpr int most_searches = 8;         // per frame, for starts beyond a local minimum

}  // namespace

void Channels::fit_mechanism(View<const float, 2> poses, View<float, 2> channels) const {
    double longest = 0.0;
    for (const Joint& joint : joints_) {
        for (int r = 0; r < 3; ++r) longest = std::max(longest, std::abs(joint.rest[4 * r + 3]));
    }
    const double lever = lever_share * (longest > 0.0 ? longest : 1.0);
    PoseDifferences differences(*this, static_cast<std::int64_t>(joints_.size()), width(), lever);
    RangeSearch search(*this, differences);
    optimize::BoxProblem problem;
    std::vector<double> rest;
    for (const Channel& channel : list_) {
        problem.low.push_back(channel.low);
        problem.high.push_back(channel.high);
        problem.scale.push_back(channel.high > channel.low ? channel.high - channel.low : 1.0);
        rest.push_back(channel.rest);
    }
    problem.preferred = rest;
    problem.ridge = ridge_share * ridge_share * lever * lever;
    optimize::BoxLeastSquares solver;
    std::vector<double> before = rest;
    const double threshold = enough * enough * lever * lever * static_cast<double>(width());
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        differences.aim_at(poses.row(t));
        std::vector<double> best;
        double lowest = 0.0;
        for (std::vector<double> start : starts_at(poses.row(t), before, rest)) {
            const double objective =
                solver.minimize(differences, problem, 1e-4 * threshold, most_steps, start.data()).objective;
            if (best.empty() || objective < lowest) best = std::move(start), lowest = objective;
            if (lowest < threshold) break;
        }
        for (int i = 0; i < most_searches && !(lowest < threshold); ++i) {
            std::vector<double> start = best;
            if (!search.improve(1e-4 * threshold, start.data())) break;
            const double objective =
                solver.minimize(differences, problem, 1e-4 * threshold, most_steps, start.data()).objective;
            if (!(objective < lowest)) break;
            best = std::move(start), lowest = objective;
        }
        for (std::size_t n = 0; n < best.size(); ++n) channels(t, n) = static_cast<float>(best[n]);
        before = best;
    }
}

/// The frame before, and rest, with the numeric controls of the pose; switches decide which controls act.
std::vector<std::vector<double>> Channels::starts_at(const float* pose, const std::vector<double>& before,
                                                     const std::vector<double>& rest) const {
    std::vector<std::vector<double>> starts{before, rest};
    for (std::vector<double>& start : starts) {
        for (std::size_t k = 0; k < dials_.size(); ++k) {
            const Channel& dial = list_[dials_[k]];
            start[dials_[k]] = std::clamp(static_cast<double>(pose[12 * joints_.size() + k]), dial.low, dial.high);
        }
    }
    return starts;
}

}  // namespace rigcast::rig
