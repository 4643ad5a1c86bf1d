#include "rigcast/rig/session.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/face/maps/map_segments.h"

namespace rigcast::face {
namespace {

bool inputs_differ(const MapSegment& segment, const float* a, const float* b) {
    return std::any_of(segment.column.begin(), segment.column.end(), [&](std::int32_t column) {
        return std::memcmp(a + column, b + column, sizeof(float)) != 0;  // bytes: -0 and 0 differ
    });
}

}  // namespace

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
    std::optional<rig::BaseSession> base_;
    std::vector<float> start_;   // (N, 3) what segments add to
    std::vector<float> points_;  // (N, 3) if there are more points than vertices
    LineVector<float> offsets_;  // of all segments
    LineVector<float> work_;
};

FaceMapsSession::FaceMapsSession(const FaceMaps& model)
    : model_(model),
      is_stale_(model.segments_.size(), 1),
      has_changed_(model.segments_.size(), 1),
      detail_(static_cast<std::size_t>(model.num_refinements_), 1.0f),
      start_(model.rest_),
      points_(model.num_points() > model.character().num_vertices() ? model.rest_ : std::vector<float>()),
      offsets_(static_cast<std::size_t>(model.num_offsets_)) {
    if (model.base_) base_.emplace(*model.base_);
    std::size_t size = 0;
    std::vector<std::vector<Contribution>> lists(static_cast<std::size_t>(model.num_points()));
    for (const MapSegment& segment : model.segments_) {
        size = std::max(size, segment_memory(segment, 1));
        if (!segment.has_network()) continue;
        std::int64_t at = segment.offsets_begin;
        for (const std::int32_t v : segment.vertex) {
            lists[v].push_back({at, segment.refinement});
            at += 4;
        }
    }
    work_.resize(size);
    for (const auto& list : lists) {
        contribution_.insert(contribution_.end(), list.begin(), list.end());
        begin_.push_back(static_cast<std::int32_t>(contribution_.size()));
    }
}

void FaceMapsSession::set_detail(View<const float, 1> detail) {
    check_detail("set_detail", {detail.data(), {1, detail.extent(0)}}, 1, model_.num_refinements_);
    for (std::size_t i = 0; i < model_.segments_.size(); ++i) {
        const int place = model_.segments_[i].refinement;
        if (place >= 0 && detail(place) != detail_[place]) has_changed_[i] = 1;
    }
    std::copy(detail.begin(), detail.end(), detail_.begin());
}

void FaceMapsSession::draw(const MapSegment& segment, const float* pose) {
    SegmentOffsets offsets{{offsets_.data() + segment.offsets_begin, 0}, {}};
    run_segment(segment, nullptr, model_.packed_, {pose, 0}, {}, 1, offsets, work_.data());
}

/// Writes the points of a segment: the start, then what each segment adds, in order.
void FaceMapsSession::sum_contributions(const MapSegment& segment, float* points) const {
    for (const std::int32_t v : segment.vertex) {
        float sum[3];
        std::copy_n(start_.data() + 3 * v, 3, sum);
        for (std::int32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
            const float detail = detail_of(contribution_[i].refinement);
            const float* offsets = offsets_.data() + contribution_[i].offsets;
            if (detail == 0.0f) continue;
            for (int axis = 0; axis < 3; ++axis) sum[axis] += detail * offsets[axis];
        }
        std::copy_n(sum, 3, points + 3 * v);
    }
}

void FaceMapsSession::update(const float* pose, const float* previous, float* vertices) {
    float* const points = points_.empty() ? vertices : points_.data();
    if (previous == nullptr) {
        std::fill(is_stale_.begin(), is_stale_.end(), 1);
        std::fill(has_changed_.begin(), has_changed_.end(), 1);
        std::copy(start_.begin(), start_.end(), points);
    }
    if (base_) {
        base_->evaluate({pose, {model_.character().num_controls()}}, {start_.data(), {model_.num_points(), 3}});
        std::copy(start_.begin(), start_.end(), points);
        std::fill(has_changed_.begin(), has_changed_.end(), 1);
    }
    for (std::size_t i = 0; i < model_.segments_.size(); ++i) {
        const MapSegment& segment = model_.segments_[i];
        if (!is_stale_[i]) is_stale_[i] = inputs_differ(segment, pose, previous);
        if (!is_stale_[i] || detail_of(segment.refinement) == 0.0f) continue;
        draw(segment, pose);
        is_stale_[i] = 0;
        has_changed_[i] = 1;
    }
    for (std::size_t i = 0; i < model_.segments_.size(); ++i) {
        if (has_changed_[i]) sum_contributions(model_.segments_[i], points);
        has_changed_[i] = 0;
    }
    model_.move_parts(0, points);
    if (!points_.empty()) std::copy_n(points, 3 * model_.character().num_vertices(), vertices);
}

std::unique_ptr<rig::SessionState> FaceMaps::new_session_state() const {
    return std::make_unique<FaceMapsSession>(*this);
}

}  // namespace rigcast::face
