#include "rigcast/rig/skinning/skin_session.h"

#include <algorithm>
#include <cstring>

#include "rigcast/rig/overflow.h"

namespace rigcast::rig {
namespace {

/// Smaller blocks skin fewer unchanged vertices, larger ones have shorter lists. Chosen, not tuned.
constexpr std::int64_t vertices_per_block = 32;

}  // namespace

SkinSession::SkinSession(const SkinWeights& skin, Steps steps)
    : steps_(std::move(steps)),
      num_vertices_(skin.num_vertices()),
      blocks_(static_cast<std::size_t>(steps_.num_joints)),
      stale_(static_cast<std::size_t>((num_vertices_ + vertices_per_block - 1) / vertices_per_block)),
      state_(steps_.size),
      last_(steps_.size) {
    for (std::int64_t k = 0; k < num_vertices_; ++k) {
        const std::int32_t block = static_cast<std::int32_t>(k / vertices_per_block);
        for (std::int32_t i = skin.begin(k); i < skin.begin(k + 1); ++i) {
            std::vector<std::int32_t>& blocks = blocks_[skin.joint(i)];
            if (blocks.empty() || blocks.back() != block) blocks.push_back(block);
        }
    }
}

/// Compares bytes, not values: the sign of a zero may matter to a model.
void SkinSession::mark_changes() {
    const auto differ = [&](std::size_t first, std::size_t count) {
        return std::memcmp(state_.data() + first, last_.data() + first, count * sizeof(float)) != 0;
    };
    const bool all = differ(steps_.common, steps_.size - steps_.common);
    std::fill(stale_.begin(), stale_.end(), all);
    for (std::size_t j = 0; !all && j < blocks_.size(); ++j) {
        if (!differ(12 * j, 12)) continue;
        for (const std::int32_t block : blocks_[j]) stale_[block] = true;
    }
}

void SkinSession::update(const float* pose, const float* previous, float* vertices) {
    std::swap(state_, last_);
    steps_.prepare(pose, state_.data());
    if (previous) {
        mark_changes();
    } else {
        std::fill(stale_.begin(), stale_.end(), true);
    }
    const auto end = stale_.end();
    for (auto first = std::find(stale_.begin(), end, true); first != end;) {
        const auto last = std::find(first, end, false);
        const std::int64_t begin = vertices_per_block * (first - stale_.begin());
        const std::int64_t stop = std::min(vertices_per_block * (last - stale_.begin()), num_vertices_);
        steps_.skin(state_.data(), begin, stop, vertices);
        check_overflow("evaluate", 0, vertices + 3 * begin, 3 * (stop - begin));
        first = std::find(last, end, true);
    }
}

}  // namespace rigcast::rig
