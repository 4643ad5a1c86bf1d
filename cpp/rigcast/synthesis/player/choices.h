#pragma once
#include <cstdint>

namespace rigcast::synthesis {

inline constexpr double close_share = 0.35;  // of the usual radius: the ball before a change of label or a join

/// An index from 0 to count - 1 by a seed and the number of a decision.
std::int64_t chosen_index(std::uint64_t seed, std::int64_t decision, std::int64_t count);

/// Entry `place` of a random order of 0 to count - 1 by a seed, the number of a decision, and how many orders it has
/// made before. Method: Fisher & Yates' shuffle. Cost: O(count).
std::int64_t shuffled_index(std::uint64_t seed, std::int64_t decision, std::int64_t round, std::int64_t count,
                            std::int64_t place);

}  // namespace rigcast::synthesis
