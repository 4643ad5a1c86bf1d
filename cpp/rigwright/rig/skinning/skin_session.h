#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigwright/rig/session.h"
#include "rigwright/rig/skinning/skin_weights.h"

namespace rigwright::rig {

/// The session state of skinning: a vertex depends on the transforms of its own joints alone, so that only blocks of
/// vertices with a joint whose skinning transform changed are skinned again.
class SkinSession final : public SessionState {
public:
    /// What a model does for one pose, in two steps. The floats that a pose becomes begin with the skinning transforms
    /// (12 J); whatever else vertices need of a joint follows from its transform. Vertices depend on all floats from
    /// `common` on, whatever their joints.
    struct Steps {
        int num_joints;
        std::size_t size, common;
        std::function<void(const float* pose, float* state)> prepare;
        std::function<void(const float* state, std::int64_t first, std::int64_t last, float* vertices)> skin;
    };
    SkinSession(const SkinWeights& skin, Steps steps);

    void update(const float* pose, const float* before, float* vertices) override;

private:
    void mark_changes();

    Steps steps_;
    std::int64_t num_vertices_;
    std::vector<std::vector<std::int32_t>> blocks_;  // of vertices that each joint moves
    std::vector<char> stale_;                        // blocks to skin
    std::vector<float> state_, last_;
};

}  // namespace rigwright::rig
