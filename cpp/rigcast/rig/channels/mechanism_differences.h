#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "rigcast/rig/channels/channels.h"

namespace rigcast::rig {

/// Derivatives of the joints of a rig with a mechanism with respect to its channels, at a row of channels (N), as
/// differences over a small part of the channel's range.
class MechanismDifferences {
public:
    /// `channels` has a mechanism and outlives this object.
    MechanismDifferences(const Channels& channels, const double* values)
        : channels_(channels), values_(channels.rounded(values)) {
        channels.mechanism()->evaluate(values_.data(), Mechanism::Accuracy::smooth, &base_);
    }

    /// Calls add(joint, change (12)) for each joint that channel `index` moves.
    template <class Add>
    void along(std::int64_t index, const Add& add) {
        const Mechanism& mechanism = *channels_.mechanism();
        const Channel& channel = channels_.list()[static_cast<std::size_t>(index)];
        const double range = channel.high > channel.low ? channel.high - channel.low : 1.0;
        const double step =
            relative_step * range * (values_[index] + relative_step * range > channel.high ? -1.0 : 1.0);
        const double value = values_[index];
        values_[index] = value + step;
        moved_ = base_;
        mechanism.update(values_.data(), static_cast<std::size_t>(index), Mechanism::Accuracy::smooth, &moved_);
        values_[index] = value;
        for (const int joint : mechanism.moved_joints(static_cast<std::size_t>(index))) {
            double before[12], after[12];
            mechanism.write_joint(base_, static_cast<std::size_t>(joint), before);
            mechanism.write_joint(moved_, static_cast<std::size_t>(joint), after);
            for (int i = 0; i < 12; ++i) after[i] = (after[i] - before[i]) / step;
            add(joint, after);
        }
    }

private:
    static constexpr double relative_step = 1e-5;

    const Channels& channels_;
    std::vector<double> values_;
    Mechanism::Poses base_;
    Mechanism::Poses moved_;
};

}  // namespace rigcast::rig
