#include <cmath>
#include <limits>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/cuda/crowd.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/curves.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::cuda {
namespace {

constexpr const char* name = "ResidentCrowd";

void check_clip(const std::string& argument, View<const float, 2> clip, const rig::Deformer& rig) {
    const std::int64_t width = rig.character().num_controls();
    if (clip.extent(0) < 1 || clip.extent(1) != width) {
        throw bad_argument(name, argument.c_str(), describe_shape<2>(clip.extents()),
                           "(frames, " + std::to_string(width) + ") with at least one frame");
    }
    check_finite(name, argument.c_str(), clip);
    for (const float weight : clip) {
        if (std::abs(weight) <= rig.pose_limit()) continue;
        throw bad_argument(name, argument.c_str(), std::to_string(weight) + " somewhere",
                           "at most " + std::to_string(rig.pose_limit()) + " in magnitude");
    }
}

[[noreturn]] void refuse(const char* function, const char* argument, const std::string& value, std::int64_t head,
                         double last) {
    throw bad_argument(function, argument, value + " for head " + std::to_string(head),
                       "from 0 to " + std::to_string(static_cast<std::int64_t>(last)));
}

}  // namespace

/// The curves on the device.
struct ResidentCrowd::State {
    Buffer<float> curves;  // (F, K)
    std::int64_t num_bytes = 0;
};

/// The keys of the heads, on the host.
struct ResidentCrowd::Keys {
    std::vector<std::int32_t> key;
    std::vector<float> part;

    PlayedFrames played(const Buffer<float>& curves) const {
        return {curves.data(), key.data(), part.data(), static_cast<std::int64_t>(key.size())};
    }
};

ResidentCrowd::ResidentCrowd(std::shared_ptr<const ResidentModel> rig, const std::vector<View<const float, 2>>& clips,
                             View<const std::int32_t, 1> order)
    : rig_(std::move(rig)), order_(order.begin(), order.end()), state_(std::make_unique<State>()) {
    const std::string& kind = rig_->character().kind;
    if (kind != "blendshape") throw bad_argument(name, "rig", "of kind '" + kind + "'", "of kind 'blendshape'");
    if (clips.empty()) throw bad_argument(name, "clips", "empty", "at least one clip");
    rig::check_prefix(name, {order, {nullptr, {0}}}, rig_->character().num_controls(), 0);
    std::vector<float> all;
    std::int64_t frames = 0;
    for (std::size_t i = 0; i < clips.size(); ++i) {
        check_clip("clips[" + std::to_string(i) + "]", clips[i], *rig_);
        first_.push_back(static_cast<std::int32_t>(frames));
        frames += clips[i].extent(0);
        if (frames > std::numeric_limits<std::int32_t>::max()) {
            throw bad_argument(name, "clips", "of more than 2^31 - 1 frames", "shorter together");
        }
        num_frames_.push_back(static_cast<std::int32_t>(clips[i].extent(0)));
        all.insert(all.end(), clips[i].begin(), clips[i].end());
    }
    const DeviceScope scope;
    Machine machine;
    machine.upload(all, state_->curves);
    machine.synchronize();
    state_->num_bytes = machine.uploaded_bytes();
}

ResidentCrowd::~ResidentCrowd() = default;

std::int64_t ResidentCrowd::num_bytes() const {
    return state_->num_bytes;
}

ResidentCrowd::Keys ResidentCrowd::keys(const char* function, const Heads& heads) const {
    const std::int64_t count = heads.clip.extent(0);
    check_shape<const double, 1>(function, "frame", heads.frame, {count});
    check_shape<const std::int32_t, 1>(function, "prefix", heads.prefix, {count});
    Keys result;
    result.key.reserve(count);
    result.part.reserve(count);
    for (std::int64_t h = 0; h < count; ++h) {
        const std::int32_t clip = heads.clip(h);
        if (clip < 0 || clip >= static_cast<std::int32_t>(first_.size())) {
            refuse(function, "clip", std::to_string(clip), h, static_cast<double>(first_.size()) - 1.0);
        }
        const double frame = heads.frame(h);
        const double last = num_frames_[clip] - 1.0;
        if (!(frame >= 0.0 && frame <= last)) refuse(function, "frame", std::to_string(frame), h, last);
        if (heads.prefix(h) < 0 || heads.prefix(h) > static_cast<std::int32_t>(order_.size())) {
            refuse(function, "prefix", std::to_string(heads.prefix(h)), h, static_cast<double>(order_.size()));
        }
        const double whole = std::floor(frame);
        result.key.push_back(first_[clip] + static_cast<std::int32_t>(whole));
        result.part.push_back(static_cast<float>(frame - whole));
    }
    return result;
}

DeviceArray ResidentCrowd::evaluate_on_device(const Heads& heads) const {
    DeviceArray vertices = rig_->new_vertices("evaluate_on_device", heads.clip.extent(0));
    evaluate_on_device(heads, vertices);
    return vertices;
}

void ResidentCrowd::evaluate_on_device(const Heads& heads, const DeviceArray& vertices) const {
    const Keys found = keys("evaluate_on_device", heads);
    const rig::Prefix prefix{{order_.data(), {static_cast<std::int64_t>(order_.size())}}, heads.prefix};
    rig_->evaluate_played(found.played(state_->curves), vertices, {&prefix, {}});
}

void ResidentCrowd::evaluate(const Heads& heads, View<float, 3> vertices) const {
    const Keys found = keys("evaluate", heads);
    const rig::Prefix prefix{{order_.data(), {static_cast<std::int64_t>(order_.size())}}, heads.prefix};
    rig_->evaluate_played(found.played(state_->curves), vertices, {&prefix, {}});
}

}  // namespace rigcast::cuda
