#pragma once
#include <optional>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/differential/model/differential_model.h"
#include "rigcast/rig/session.h"

namespace rigcast::differential {

/// The session cache of a model in a differential subspace: coefficients, anchors, and points before the linear
/// transforms. An update evaluates only networks with changed inputs, the last step only if a network has another
/// result, and the linear transforms.
class DifferentialSession final : public rig::SessionState {
public:
    explicit DifferentialSession(const DifferentialModel& model);
    void update(const float* pose, const float* previous, float* vertices) override;

private:
    bool update_networks(const float* pose, const float* previous);

    const DifferentialModel& model_;
    LineVector<float> coefficients_;  // (R)
    LineVector<float> anchors_;       // (3 A)
    LineVector<float> before_;        // both, before the update
    std::optional<rig::BaseSession> base_;
    std::vector<float> offsets_;     // (V, 3) of the base
    std::vector<float> points_;      // (V, 3)
    std::vector<float> transforms_;  // (2, J, 3, 4) global and skinning transforms
    LineVector<float> work_;
};

}  // namespace rigcast::differential
