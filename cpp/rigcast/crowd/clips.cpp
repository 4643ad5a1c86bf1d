#include "rigcast/crowd/clips.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rigcast/core/check.h"

namespace rigcast::crowd {
namespace {

constexpr const char* constructor = "Crowd";

[[noreturn]] void refuse(const char* function, const char* argument, const std::string& value, const Heads& heads,
                         std::int64_t head, const std::string& expected) {
    const std::string which = heads.size() > 1 ? " for head " + std::to_string(head) : "";
    throw bad_argument(function, argument, value + which, expected);
}

std::string up_to(std::int64_t last) {
    return "from 0 to " + std::to_string(last);
}

}  // namespace

Clips::Clips(const rig::Deformer& rig, View<const float, 2> weights, View<const std::int64_t, 1> num_frames)
    : num_frames_(num_frames.begin(), num_frames.end()),
      weights_(weights.begin(), weights.end()),
      num_rows_(weights.extent(0)),
      num_shapes_(rig.character().num_controls()) {
    if (num_frames_.empty()) throw bad_argument(constructor, "clips", "empty", "at least one clip");
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < num_frames_.size(); ++i) {
        const std::int64_t count = num_frames_[i];
        if (count < 1 || count > num_rows_ - rows) {
            throw bad_argument(constructor, "clips[" + std::to_string(i) + "]", std::to_string(count) + " frames long",
                               "at least one frame, and all together " + std::to_string(num_rows_));
        }
        first_.push_back(rows);
        rows += count;
    }
    check_shape<const float, 2>(constructor, "clips", weights, {rows, num_shapes_});
    if (rows > std::numeric_limits<std::int32_t>::max()) {
        throw bad_argument(constructor, "clips", "of more than 2^31 - 1 frames", "shorter together");
    }
    rig.check_poses(constructor, weights, "clips");
}

void Clips::check(const char* function, const Heads& heads) const {
    check_shape<const double, 1>(function, "frame", heads.frame, {heads.size()});
    check_shape<const std::int32_t, 1>(function, "prefix", heads.prefix, {heads.size()});
    for (std::int64_t h = 0; h < heads.size(); ++h) {
        const std::int32_t clip = heads.clip(h);
        if (clip < 0 || clip >= size()) {
            refuse(function, "clip", std::to_string(clip), heads, h, up_to(size() - 1));
        }
        const double frame = heads.frame(h);
        const std::int64_t last = num_frames_[static_cast<std::size_t>(clip)] - 1;
        if (!std::isfinite(frame)) refuse(function, "frame", describe_number(frame, 12), heads, h, "finite");
        if (frame < 0.0 || frame > static_cast<double>(last)) {
            refuse(function, "frame", describe_number(frame, 12), heads, h,
                   up_to(last) + ", the last frame of clip " + std::to_string(clip));
        }
        const std::int32_t prefix = heads.prefix(h);
        if (prefix < 0 || prefix > num_shapes_) {
            refuse(function, "prefix", std::to_string(prefix), heads, h, up_to(num_shapes_));
        }
    }
}

Clips::Place Clips::place(const Heads& heads, std::int64_t head) const {
    const double whole = std::floor(heads.frame(head));
    const auto first = first_[static_cast<std::size_t>(heads.clip(head))];
    return {static_cast<std::int32_t>(first + static_cast<std::int64_t>(whole)),
            static_cast<float>(heads.frame(head) - whole)};
}

void Clips::mix(const Place& place, float* weights) const {
    const float* before = weights_.data() + place.row * num_shapes_;
    std::copy_n(before, num_shapes_, weights);
    if (place.part == 0.0f) return;
    const float* after = before + num_shapes_;
    for (std::int64_t k = 0; k < num_shapes_; ++k) weights[k] += place.part * (after[k] - before[k]);
}

}  // namespace rigcast::crowd
