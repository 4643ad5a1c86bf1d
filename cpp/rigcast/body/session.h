#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/core/aligned.h"
#include "rigcast/rig/session.h"

namespace rigcast::body {

/// The session cache of a learned body: coefficients and contributions of all vertex sets. An update runs only networks
/// with changed inputs, and recomputes only sets with changed coefficients or a moved joint. Contributions are summed
/// in the order of BodyModel::evaluate, so that the bytes are the same.
class BodySession final : public rig::SessionState {
public:
    explicit BodySession(const BodyModel& model);
    void update(const float* pose, const float* previous, float* vertices) override;

private:
    /// Several lists of indices in one array.
    class Lists {
    public:
        Lists() = default;
        explicit Lists(const std::vector<std::vector<std::int32_t>>& lists);
        std::span<const std::int32_t> of(std::int64_t i) const {
            return {item_.data() + begin_[i], item_.data() + begin_[i + 1]};
        }

    private:
        std::vector<std::int32_t> begin_{0};
        std::vector<std::int32_t> item_;
    };

    void find_changes(const float* pose, const float* previous);
    void sum_contributions(const VertexSet& set, float* vertices) const;

    const BodyModel& model_;
    Lists sets_of_column_;              // per pose column: the sets with that input
    Lists added_of_vertex_;             // per vertex: indices of its added contributions, in the order of the sets
    std::vector<char> joint_changed_;   // per joint
    std::vector<char> inputs_changed_;  // per set
    std::vector<float> globals_;        // (J, 3, 4)
    std::vector<float> stored_;         // (V, 3) stored contributions
    std::vector<float> added_;          // added contributions
    LineVector<float> coefficients_;
    LineVector<float> work_;
};

}  // namespace rigcast::body
