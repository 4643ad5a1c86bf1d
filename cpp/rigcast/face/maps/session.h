#pragma once
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/rig/session.h"

namespace rigcast::face {

/// The session cache of a face on deformation maps: the offsets of all segments. An update draws only the maps of
/// segments whose inputs changed since they were drawn and whose detail is not 0. Offsets are summed in the order of
/// FaceMaps::evaluate, so that the bytes are the same.
class FaceMapsSession final : public rig::SessionState {
public:
    explicit FaceMapsSession(const FaceMaps& model);
    void update(const float* pose, const float* previous, float* vertices) override;
    void set_detail(View<const float, 1> detail) override;

private:
    /// What a segment adds to a point.
    struct Contribution {
        std::int64_t offsets;  // its place in offsets_
        int refinement;
    };

    float detail_of(int refinement) const { return refinement < 0 ? 1.0f : detail_[refinement]; }
    void draw(const MapSegment& segment, const float* pose);
    void sum_contributions(const MapSegment& segment, float* points) const;

    const FaceMaps& model_;
    std::vector<char> is_stale_;          // per segment: inputs changed since its offsets were computed
    std::vector<char> has_changed_;       // per segment: what it adds has changed
    std::vector<float> detail_;           // per refinement segment
    std::vector<std::int32_t> begin_{0};  // per point: its contributions, in the order of the segments
    std::vector<Contribution> contribution_;
    std::vector<float> points_;  // (N, 3) if there are more points than vertices
    LineVector<float> offsets_;  // of all segments
    LineVector<float> work_;
};

}  // namespace rigcast::face
