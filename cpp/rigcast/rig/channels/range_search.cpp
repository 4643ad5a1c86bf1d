#include "rigcast/rig/channels/range_search.h"

#include <algorithm>
#include <cmath>

namespace rigcast::rig {
namespace {

constexpr double values_per_range = 32;
constexpr double most_whole_values = 256;  // tried at most: a local minimizer cannot step from one to the next
constexpr double least_share = 1e-3;       // of the sum of squares of a channel's joints: a smaller decrease is ignored

}  // namespace

void RangeSearch::start_at(const double* x) {
    const Mechanism& mechanism = *channels_.mechanism();
    values_ = channels_.rounded(x);
    mechanism.evaluate(values_.data(), Mechanism::Accuracy::as_rigged, &base_);
    squares_.assign(static_cast<std::size_t>(differences_.num_joints()), 0.0);
    for (std::size_t j = 0; j < squares_.size(); ++j) {
        if (!mechanism.poses_joint(j)) continue;
        double transform[12];
        mechanism.write_joint(base_, j, transform);
        squares_[j] = differences_.square_of(static_cast<std::int64_t>(j), transform);
    }
}

/// The sum of squares of the joints that a channel moves.
double RangeSearch::sum_of(std::size_t channel) const {
    double sum = 0.0;
    for (const int joint : channels_.mechanism()->moved_joints(channel)) sum += squares_[joint];
    return sum;
}

/// The same if the channel had a given value; the bones are then in `moved_`.
double RangeSearch::sum_with(std::size_t channel, double value) {
    const Mechanism& mechanism = *channels_.mechanism();
    const double before = values_[channel];
    values_[channel] = value;
    moved_ = base_;
    mechanism.update(values_.data(), channel, Mechanism::Accuracy::as_rigged, &moved_);
    values_[channel] = before;
    double sum = 0.0;
    for (const int joint : mechanism.moved_joints(channel)) {
        double transform[12];
        mechanism.write_joint(moved_, static_cast<std::size_t>(joint), transform);
        sum += differences_.square_of(joint, transform);
    }
    return sum;
}

RangeSearch::Candidate RangeSearch::best_value(std::size_t index) {
    const Channel& channel = channels_.list()[index];
    const double before = sum_of(index);
    Candidate best{index, values_[index], 0.0};
    const double range = channel.high - channel.low;
    const double count = channel.whole ? std::clamp(range + 1.0, 2.0, most_whole_values) : values_per_range;
    for (double i = 0.0; i < count; ++i) {
        double value = channel.low + range * std::min(i / (count - 1.0), 1.0);
        if (channel.whole) value = std::nearbyint(value);
        const double decrease = before - sum_with(index, value);
        if (decrease > best.decrease) best = {index, value, decrease};
    }
    return best;
}

bool RangeSearch::accept(const Candidate& candidate, double negligible) {
    const double before = sum_of(candidate.channel);
    const double after = sum_with(candidate.channel, candidate.value);
    if (!(before - after > std::max(negligible, least_share * before))) return false;
    values_[candidate.channel] = candidate.value;
    base_.swap(moved_);
    const Mechanism& mechanism = *channels_.mechanism();
    for (const int joint : mechanism.moved_joints(candidate.channel)) {
        double transform[12];
        mechanism.write_joint(base_, static_cast<std::size_t>(joint), transform);
        squares_[joint] = differences_.square_of(joint, transform);
    }
    return true;
}

bool RangeSearch::improve(double negligible, double* x) {
    start_at(x);
    std::vector<Candidate> candidates;
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const Channel& channel = channels_.list()[k];
        if (channel.control >= 0 || !(channel.low < channel.high) || sum_of(k) <= negligible) continue;
        candidates.push_back(best_value(k));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.decrease > b.decrease; });
    bool moved = false;
    for (const Candidate& candidate : candidates) {
        if (!accept(candidate, negligible)) continue;
        x[candidate.channel] = candidate.value;
        moved = true;
    }
    return moved;
}

}  // namespace rigcast::rig
