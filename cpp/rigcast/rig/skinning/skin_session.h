#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigcast/rig/session.h"
#include "rigcast/rig/skinning/skin_weights.h"

namespace rigcast::rig {

/// The session cache of skinning models. A vertex depends only on its joints, so an update skins only the blocks of
/// vertices that have a joint with a changed skinning transform.
class SkinSession final : public SessionState {
public:
    /// How a model evaluates a pose, in two steps: prepare writes a state of `size` floats, skin computes vertices from
    /// it. The state begins with the skinning transforms (12 J). A vertex may depend on the transforms of its joints,
    /// on what follows from them, and on the floats from `common` on.
    struct Steps {
        int num_joints;
        std::size_t size;
        std::size_t common;
        std::function<void(const float* pose, float* state)> prepare;
        std::function<void(const float* state, std::int64_t first, std::int64_t last, float* vertices)> skin;
    };
    SkinSession(const SkinWeights& skin, Steps steps);

    void update(const float* pose, const float* before, float* vertices) override;

private:
    void mark_changes();

    Steps steps_;
    std::int64_t num_vertices_;
    std::vector<std::vector<std::int32_t>> blocks_;  // per joint: the blocks of vertices that it moves
    std::vector<char> stale_;                        // per block: needs skinning
    std::vector<float> state_;
    std::vector<float> last_;
};

}  // namespace rigcast::rig
