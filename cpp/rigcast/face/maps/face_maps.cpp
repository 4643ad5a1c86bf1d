#include "rigcast/face/maps/face_maps.h"

#include <algorithm>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/face/maps/map_segments.h"
#include "rigcast/network/frame_batches.h"
#include "rigcast/network/model_storage.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::face {

FaceMaps::FaceMaps(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), rest_(read_points(character())) {
    segments_ = read_segments(character(), num_points(), packed_, reverse_);
    parts_ = read_rigid_parts(character(), rest());
    const TensorFile& file = *character().tensors;
    if (rig::BaseShapes::are_in(file)) base_.emplace(file, character().num_controls(), num_points(), rest());
    for (MapSegment& segment : segments_) {
        num_refinements_ += segment.refinement >= 0;
        segment.offsets_begin = num_offsets_;
        num_offsets_ += segment.offsets_size();
    }
}

std::shared_ptr<FaceMaps> FaceMaps::stored(const std::string& storage) const {
    return std::make_shared<FaceMaps>(network::with_storage(*character().tensors, storage));
}

float FaceMaps::storage_error() const {
    float largest = 0.0f;
    for (const MapSegment& segment : segments_) {
        for (const network::Dense& layer : segment.network.dense) largest = std::max(largest, layer.storage_error);
    }
    return largest;
}

std::int64_t FaceMaps::multiply_adds(bool all_texels) const {
    std::int64_t sum = 0;
    for (const MapSegment& segment : segments_) sum += segment.multiply_adds(all_texels);
    return base_ ? sum + 3 * base_->rig()->grouped().num_entries() : sum;
}

std::int64_t FaceMaps::num_bytes() const {
    const auto own = static_cast<std::int64_t>(packed_.num_bytes());
    return base_ ? own + base_->rig()->num_bytes() : own;
}

void FaceMaps::start(const char* function, std::int64_t frame, View<const float, 2> poses, float* points,
                     int threads) const {
    if (base_) return base_->evaluate(function, frame, poses, {points, {poses.extent(0), num_points(), 3}}, threads);
    for (std::int64_t t = 0; t < poses.extent(0); ++t) points = std::copy(rest_.begin(), rest_.end(), points);
}

void check_detail(const char* function, View<const float, 2> detail, std::int64_t frames, std::int64_t refinements) {
    if (detail.extent(0) != 1 || detail.extent(1) != refinements) {
        check_shape<const float, 2>(function, "detail", detail, {frames, refinements});
    }
    for (const float& x : detail) {
        if (x >= 0.0f && x <= 1.0f) continue;
        throw bad_argument(function, "detail", std::to_string(x) + " at " + describe_place(detail, &x - detail.begin()),
                           "from 0 (without this refinement) to 1");
    }
}

void FaceMaps::evaluate_detail(View<const float, 2> poses, View<const float, 2> detail, View<float, 3> vertices,
                               int threads) const {
    check_arguments("evaluate_detail", "out", poses, vertices);
    check_detail("evaluate_detail", detail, poses.extent(0), num_refinements_);
    evaluate_frames(poses, detail, vertices, threads);
}

void add_offsets(const MapSegment& segment, const float* offsets, float detail, float* points) {
    for (const std::int32_t v : segment.vertex) {
        for (int axis = 0; axis < 3; ++axis) points[3 * v + axis] += detail * offsets[axis];
        offsets += 4;
    }
}

/// Moves the rigid parts of a frame; its other points must be there. Throws ArgumentError if a point overflows.
void FaceMaps::move_parts(std::int64_t frame, float* points) const {
    rig::check_overflow("evaluate", frame, points, 3 * num_points());
    for (const RigidPart& part : parts_) {
        part.evaluate(points);
        for (const std::int32_t v : part.vertices()) rig::check_overflow("evaluate", frame, points + 3 * v, 3);
    }
}

/// A batch of frames: its arguments, and where its points are computed.
class FaceMaps::Frames {
public:
    Frames(const FaceMaps& model, View<const float, 2> poses, View<const float, 2> detail, View<float, 3> vertices,
           std::int64_t begin, int count)
        : model_(model),
          poses_(poses.row(begin), poses.extent(1)),
          vertices_(vertices.row(begin), 3 * vertices.extent(1)),
          begin_(begin),
          count_(count),
          has_more_points_(model.num_points() > model.character().num_vertices()) {
        if (detail.data() == nullptr) return;
        const bool alike = detail.extent(0) == 1;
        detail_ = {detail.row(alike ? 0 : begin), alike ? 0 : detail.extent(1)};
    }

    /// With several threads there must be one frame.
    void run(int threads) const {
        const std::size_t points_size = has_more_points_ ? Scratch::padded(model_.rest_.size() * count_) : 0;
        std::size_t work_size = 0, offsets_size = 0;
        for (const MapSegment& segment : model_.segments_) {
            work_size = std::max(work_size, segment_memory(segment, count_));
            offsets_size = std::max<std::size_t>(offsets_size, segment.offsets_size() * count_);
        }
        if (threads > 1) offsets_size = static_cast<std::size_t>(model_.num_offsets_), work_size = 0;
        const Scratch::Lease<float> memory(points_size + offsets_size + work_size);
        Rows<float> points = vertices_;
        if (has_more_points_) points = {memory.data(), static_cast<std::int64_t>(model_.rest_.size())};
        float* const offsets = memory.data() + points_size;
        model_.start("evaluate", begin_, {poses_.data, {count_, poses_.stride}}, points.data, threads);
        if (threads > 1) {
            add_in_parallel(points, offsets, threads);
        } else {
            add_in_turn(points, offsets, offsets + offsets_size);
        }
        finish(points);
    }

private:
    void add_in_turn(Rows<float> points, float* memory, float* work) const {
        const std::size_t count = model_.segments_.size();
        for (std::size_t i = 0; i < count; ++i) {
            const MapSegment& segment = model_.segments_[i];
            const MapSegment* next = i + 1 < count ? &model_.segments_[i + 1] : nullptr;
            SegmentOffsets offsets{{memory, segment.offsets_size()}, {}};
            run_segment(segment, next, model_.packed_, poses_, detail_, count_, offsets, work);
            add(segment, offsets, points);
        }
    }

    /// Segments run in any order, the last ones, whose maps are larger, first; their offsets are added in order.
    void add_in_parallel(Rows<float> points, float* memory, int threads) const {
        const std::int64_t last = static_cast<std::int64_t>(model_.segments_.size()) - 1;
        parallel_for(last + 1, 1, threads, [&](std::int64_t i, std::int64_t) {
            const MapSegment& segment = model_.segments_[last - i];
            const Scratch::Lease<float> work(segment_memory(segment, 1));
            SegmentOffsets offsets{{memory + segment.offsets_begin, 0}, {}};
            run_segment(segment, nullptr, model_.packed_, poses_, detail_, 1, offsets, work.data());
        });
        for (const MapSegment& segment : model_.segments_) {
            add(segment, {{memory + segment.offsets_begin, 0}, {}}, points);
        }
    }

    void add(const MapSegment& segment, const SegmentOffsets& offsets, Rows<float> points) const {
        if (!segment.has_network()) return;
        const bool fades = detail_.data != nullptr && segment.refinement >= 0;
        for (int t = 0; t < count_; ++t) {
            const float detail = fades ? detail_.row(t)[segment.refinement] : 1.0f;
            if (detail != 0.0f) add_offsets(segment, offsets.row.row(offsets.of[t]), detail, points.row(t));
        }
    }

    void finish(Rows<float> points) const {
        for (int t = 0; t < count_; ++t) {
            model_.move_parts(begin_ + t, points.row(t));
            if (has_more_points_) std::copy_n(points.row(t), vertices_.stride, vertices_.row(t));
        }
    }

    const FaceMaps& model_;
    Rows<const float> poses_;
    Rows<const float> detail_;  // null: 1 everywhere
    Rows<float> vertices_;
    std::int64_t begin_;
    int count_;
    bool has_more_points_;  // followers that are no vertices
};

void FaceMaps::evaluate_frames(View<const float, 2> poses, View<const float, 2> detail, View<float, 3> vertices,
                               int threads) const {
    network::for_frame_batches(poses.extent(0), frames_per_batch, threads,
                               [&](std::int64_t begin, int count, int inner) {
                                   Frames(*this, poses, detail, vertices, begin, count).run(inner);
                               });
}

void FaceMaps::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    evaluate_frames(poses, {}, vertices, threads);
}

}  // namespace rigcast::face
