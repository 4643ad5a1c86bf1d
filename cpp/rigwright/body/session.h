#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/body/body_model.h"
#include "rigwright/core/aligned.h"
#include "rigwright/rig/session.h"

namespace rigwright::body {

/// A learned body between two poses: a network whose inputs did not change does not run, a set whose joint did not move
/// either is left as it is. Keeps the contributions of all sets, so that sums over overlapping sets have the order, and
/// the bytes, of BodyModel::evaluate.
class BodySession final : public rig::SessionState {
public:
    explicit BodySession(const BodyModel& model);
    void update(const float* pose, const float* before, float* vertices) override;

private:
    /// Lists of numbers, one after another.
    class Lists {
    public:
        Lists() = default;
        explicit Lists(const std::vector<std::vector<std::int32_t>>& lists);
        std::span<const std::int32_t> of(std::int64_t i) const {
            return {item_.data() + begin_[i], item_.data() + begin_[i + 1]};
        }

    private:
        std::vector<std::int32_t> begin_{0}, item_;
    };

    void find_changes(const float* pose, const float* before);
    void add_up(const VertexSet& set, float* vertices) const;

    const BodyModel& model_;
    Lists sets_of_column_;  // whose networks have the column among their inputs
    Lists late_of_vertex_;  // places among the late contributions
    std::vector<char> joint_changed_, inputs_changed_;
    std::vector<float> globals_, early_, late_;
    LineVector<float> coefficients_, work_;
};

}  // namespace rigwright::body
