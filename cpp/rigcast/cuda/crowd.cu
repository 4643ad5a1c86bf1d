#include <string>

#include "rigcast/core/error.h"
#include "rigcast/cuda/crowd.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/products/curves.h"

namespace rigcast::cuda {

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

ResidentCrowd::ResidentCrowd(std::shared_ptr<const ResidentModel> rig, std::shared_ptr<const crowd::Crowd> crowd)
    : rig_(std::move(rig)), crowd_(std::move(crowd)), state_(std::make_unique<State>()) {
    const rig::Character& character = rig_->character();
    if (character.kind != "blendshape" || character.num_controls() != crowd_->rig().num_shapes()) {
        throw bad_argument(
            "ResidentCrowd", "rig",
            "of kind '" + character.kind + "' with " + std::to_string(character.num_controls()) + " columns",
            "the blendshape rig of the crowd");
    }
    const View<const float, 2> weights = crowd_->clips().weights();
    const std::vector<float> all(weights.begin(), weights.end());
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
    crowd_->clips().check(function, heads);
    Keys result;
    result.key.reserve(heads.size());
    result.part.reserve(heads.size());
    for (std::int64_t h = 0; h < heads.size(); ++h) {
        const auto [row, part] = crowd_->clips().place(heads, h);
        result.key.push_back(row);
        result.part.push_back(part);
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
    const rig::Prefix prefix = crowd_->prefix(heads);
    rig_->evaluate_played(found.played(state_->curves), vertices, {&prefix, {}});
}

void ResidentCrowd::evaluate(const Heads& heads, View<float, 3> vertices) const {
    crowd_->evaluate(heads, vertices, 0, [&](const Heads& some, View<float, 3> out) {
        const Keys found = keys("evaluate", some);
        const rig::Prefix prefix = crowd_->prefix(some);
        rig_->evaluate_played(found.played(state_->curves), out, {&prefix, {}});
    });
}

}  // namespace rigcast::cuda
