#include <algorithm>
#include <cmath>
#include <vector>

#include "rigcast/optimize/box/box_least_squares.h"
#include "rigcast/rig/channels/channels.h"
#include "rigcast/rig/channels/mechanism_differences.h"

namespace rigcast::rig {
namespace {

constexpr double lever_share = 0.1;      // what a rotation counts as, relative to the longest offset of a joint
constexpr double ridge_share = 1e-6;     // pull of channels to rest, relative to a lever
constexpr double enough = 1e-5;          // root mean square of the residual, relative to a lever: no other start
constexpr std::int64_t most_steps = 60;  // per start

/// Differences between given joints and those of channels, as lengths; and of the numeric controls.
class PoseDifferences final : public optimize::Residuals {
public:
    PoseDifferences(const Channels& channels, std::int64_t num_joints, std::int64_t width, double lever)
        : channels_(channels), num_joints_(num_joints), width_(width), lever_(lever), pose_(width) {}

    void aim_at(const float* pose) { wanted_ = pose; }
    std::int64_t num_rows() const override { return width_; }
    void evaluate(const double* x, double* residuals) override {
        channels_.poses({x, {1, channels_.size()}}, {pose_.data(), {1, width_}});
        for (std::int64_t c = 0; c < width_; ++c) residuals[c] = weight(c) * (double(pose_[c]) - double(wanted_[c]));
    }
    void linearize(const double* x, std::vector<double>* jacobian) override {
        const std::int64_t n = channels_.size();
        jacobian->assign(static_cast<std::size_t>(width_ * n), 0.0);
        MechanismDifferences differences(channels_, x);
        for (std::int64_t k = 0; k < n; ++k) {
            const Channel& channel = channels_.list()[k];
            if (channel.whole) continue;
            differences.along(k, [&](std::int64_t joint, const double* change) {
                for (std::int64_t i = 0; i < 12; ++i) {
                    const std::int64_t c = 12 * joint + i;
                    (*jacobian)[c * n + k] = weight(c) * change[i];
                }
            });
            if (channel.control < 0) continue;
            const std::int64_t c = 12 * num_joints_ + channel.control;
            (*jacobian)[c * n + k] = weight(c);
        }
    }

private:
    double weight(std::int64_t column) const { return column % 4 == 3 && column < 12 * num_joints_ ? 1.0 : lever_; }

    const Channels& channels_;
    std::int64_t num_joints_;
    std::int64_t width_;
    double lever_;
    const float* wanted_ = nullptr;
    std::vector<float> pose_;
};

}  // namespace

void Channels::fit_mechanism(View<const float, 2> poses, View<float, 2> channels) const {
    double longest = 0.0;
    for (const Joint& joint : joints_) {
        for (int r = 0; r < 3; ++r) longest = std::max(longest, std::abs(joint.rest[4 * r + 3]));
    }
    const double lever = lever_share * (longest > 0.0 ? longest : 1.0);
    PoseDifferences differences(*this, static_cast<std::int64_t>(joints_.size()), width(), lever);
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
