#include "rigcast/synthesis/player/choices.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "rigcast/synthesis/playing/smooth_noise.h"

namespace rigcast::synthesis {
namespace {

/// Random forces and layers draw from seeds of their own.
constexpr std::uint64_t decisions = 0xa0761d6478bd642fu;

std::int64_t drawn(std::uint64_t seed, std::uint64_t channel, std::uint64_t place, std::int64_t count) {
    const double share = 1.0 - uniform_at(seed ^ decisions, channel, place);  // from 0 to below 1
    return std::min(static_cast<std::int64_t>(share * static_cast<double>(count)), count - 1);
}

}  // namespace

std::int64_t chosen_index(std::uint64_t seed, std::int64_t decision, std::int64_t count) {
    return drawn(seed, static_cast<std::uint64_t>(decision), 0, count);
}

std::int64_t shuffled_index(std::uint64_t seed, std::int64_t decision, std::int64_t round, std::int64_t count,
                            std::int64_t place) {
    const std::uint64_t own = seed + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(decision + 1);
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = 0; i <= place; ++i) {  // entries up to `place` are final
        const std::int64_t other =
            i + drawn(own, static_cast<std::uint64_t>(round) + 1, static_cast<std::uint64_t>(i), count - i);
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
    }
    return order[static_cast<std::size_t>(place)];
}

}  // namespace rigcast::synthesis
