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
constexpr double precise = 1e-4;         // decreases below this share of what is enough are negligible
constexpr std::int64_t most_steps = 60;  // per start
constexpr int most_searches = 8;         // per start

/// Channels (N) with the objective there.
struct Fit {
    std::vector<double> channels;
    double objective = 0.0;
};

/// Fits the channels of a rig with a mechanism to one pose at a time.
class PoseFitter {
public:
    PoseFitter(const Channels& channels, std::int64_t num_joints, std::int64_t width, double lever)
        : differences_(channels, num_joints, width, lever),
          search_(channels, differences_),
          threshold_(enough * enough * lever * lever * static_cast<double>(width)) {
        for (const Channel& channel : channels.list()) {
            problem_.low.push_back(channel.low);
            problem_.high.push_back(channel.high);
            problem_.scale.push_back(channel.high > channel.low ? channel.high - channel.low : 1.0);
            problem_.preferred.push_back(channel.rest);
        }
        problem_.ridge = ridge_share * ridge_share * lever * lever;
    }

    /// The best fit of a pose: by descent from each start, then beyond the local minima found, the lowest first.
    /// Stops as soon as a fit is good enough.
    std::vector<double> fit(const float* pose, const std::vector<std::vector<double>>& starts) {
        differences_.aim_at(pose);
        std::vector<Fit> fits;
        for (const std::vector<double>& start : starts) {
            fits.push_back(descend(start));
            if (fits.back().objective < threshold_) return std::move(fits.back().channels);
        }
        const auto is_lower = [](const Fit& a, const Fit& b) { return a.objective < b.objective; };
        std::stable_sort(fits.begin(), fits.end(), is_lower);
        for (Fit& found : fits) {
            leave_minima(&found);
            if (found.objective < threshold_) return std::move(found.channels);
        }
        return std::move(std::min_element(fits.begin(), fits.end(), is_lower)->channels);
    }

private:
    Fit descend(std::vector<double> start) {
        const double objective =
            solver_.minimize(differences_, problem_, precise * threshold_, most_steps, start.data()).objective;
        return {std::move(start), objective};
    }

    void leave_minima(Fit* fit) {
        for (int i = 0; i < most_searches && !(fit->objective < threshold_); ++i) {
            std::vector<double> start = fit->channels;
            if (!search_.improve(precise * threshold_, start.data())) return;
            Fit found = descend(std::move(start));
            if (!(found.objective < fit->objective)) return;
            *fit = std::move(found);
        }
    }

    PoseDifferences differences_;
    RangeSearch search_;
    optimize::BoxProblem problem_;
    optimize::BoxLeastSquares solver_;
    double threshold_;
};

}  // namespace

void Channels::fit_mechanism(View<const float, 2> poses, View<float, 2> channels) const {
    double longest = 0.0;
    for (const Joint& joint : joints_) {
        for (int r = 0; r < 3; ++r) longest = std::max(longest, std::abs(joint.rest[4 * r + 3]));
    }
    const double lever = lever_share * (longest > 0.0 ? longest : 1.0);
    PoseFitter fitter(*this, static_cast<std::int64_t>(joints_.size()), width(), lever);
    std::vector<double> rest;
    for (const Channel& channel : list_) rest.push_back(channel.rest);
    std::vector<double> before = rest;
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        before = fitter.fit(poses.row(t), starts_at(poses.row(t), before, rest));
        for (std::size_t n = 0; n < before.size(); ++n) channels(t, n) = static_cast<float>(before[n]);
    }
}

/// The frame before, and rest, with the numeric controls of the pose; switches decide which controls act.
std::vector<std::vector<double>> Channels::starts_at(const float* pose, const std::vector<double>& before,
                                                     const std::vector<double>& rest) const {
    std::vector<std::vector<double>> starts{before};
    if (before != rest) starts.push_back(rest);
    for (std::vector<double>& start : starts) {
        for (std::size_t k = 0; k < dials_.size(); ++k) {
            const Channel& dial = list_[dials_[k]];
            start[dials_[k]] = std::clamp(static_cast<double>(pose[12 * joints_.size() + k]), dial.low, dial.high);
        }
    }
    return starts;
}

}  // namespace rigcast::rig
