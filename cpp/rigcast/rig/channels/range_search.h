#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/rig/channels/pose_differences.h"

namespace rigcast::rig {

/// Coordinate search over the ranges of channels, for starts beyond the barriers that stop a local minimizer.
///
/// Where a control passes the head of a bone that stretches to it, the bone flips, and its transform differs more on
/// the way than on either side. Descent then stays on the wrong side; a value from the other side is a better start.
///
/// Method: for each channel alone, the best of 32 values spread over its range, or of the whole numbers in it (at most
/// 256 of them) if the channel is whole. These are then set one after another, the largest decrease first, if they
/// still lower the sum of squares. Numeric controls keep their values, since the pose has them. Not thread-safe: one
/// per thread.
class RangeSearch {
public:
    /// `channels` has a mechanism; both outlive this object.
    RangeSearch(const Channels& channels, const PoseDifferences& differences)
        : channels_(channels), differences_(differences) {}

    /// Moves channels x (N) to better values. Returns true if any moved. `negligible`: a sum of squares that needs no
    /// decrease.
    bool improve(double negligible, double* x);

private:
    struct Candidate {
        std::size_t channel;
        double value;
        double decrease;
    };

    void start_at(const double* x);
    Candidate best_value(std::size_t channel);
    double sum_of(std::size_t channel) const;
    double sum_with(std::size_t channel, double value);
    bool accept(const Candidate& candidate, double negligible);

    const Channels& channels_;
    const PoseDifferences& differences_;
    std::vector<double> values_;   // rounded
    std::vector<double> squares_;  // per joint
    Mechanism::Poses base_;
    Mechanism::Poses moved_;
};

}  // namespace rigcast::rig
