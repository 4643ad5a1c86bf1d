#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/optimize/box/box_least_squares.h"
#include "rigcast/rig/channels/channels.h"
#include "rigcast/rig/channels/mechanism_differences.h"

namespace rigcast::rig {

/// Differences between given joints and those of channels, as lengths; and of the numeric controls.
class PoseDifferences final : public optimize::Residuals {
public:
    PoseDifferences(const Channels& channels, std::int64_t num_joints, std::int64_t width, double lever)
        : channels_(channels), num_joints_(num_joints), width_(width), lever_(lever), pose_(width) {}

    void aim_at(const float* pose) { wanted_ = pose; }
    /// The sum of squares of a joint that has a given transform (3, 4).
    double square_of(std::int64_t joint, const double* transform) const {
        double sum = 0.0;
        for (std::int64_t i = 0; i < 12; ++i) {
            const double apart = weight(i) * (transform[i] - double(wanted_[12 * joint + i]));
            sum += apart * apart;
        }
        return sum;
    }
    std::int64_t num_joints() const { return num_joints_; }
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

}  // namespace rigcast::rig
