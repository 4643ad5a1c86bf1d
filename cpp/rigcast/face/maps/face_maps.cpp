#include "rigcast/face/maps/face_maps.h"

#include <algorithm>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/network/model_storage.h"

namespace rigcast::face {

FaceMaps::FaceMaps(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), rest_(read_points(character())) {
    segments_ = read_segments(character(), num_points(), packed_, reverse_);
    parts_ = read_rigid_parts(character(), rest());
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
    return sum;
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

}  // namespace rigcast::face
