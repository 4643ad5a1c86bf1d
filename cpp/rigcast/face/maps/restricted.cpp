#include "rigcast/rig/restricted.h"

#include <algorithm>
#include <vector>

#include "rigcast/face/maps/face_maps.h"

namespace rigcast::face {
namespace {

/// The points of a restricted model: its vertices, then followers of its parts that are none.
class PointPlaces {
public:
    PointPlaces(View<const std::int32_t, 1> vertices, View<const float, 2> rest)
        : rest_(rest),
          places_(vertices, rest.extent(0)),
          num_vertices_(vertices.extent(0)),
          more_(static_cast<std::size_t>(rest.extent(0)), -1) {}

    /// The places of a point among the vertices.
    std::span<const std::int32_t> vertices_of(std::int64_t point) const { return places_.of(point); }
    /// A place of a follower, which it gets if it has none.
    std::int32_t of_follower(std::int64_t point) {
        if (!places_.of(point).empty()) return places_.of(point).front();
        if (more_[point] < 0) {
            more_[point] =
                static_cast<std::int32_t>(num_vertices_ + static_cast<std::int64_t>(rest_of_more_.size()) / 3);
            rest_of_more_.insert(rest_of_more_.end(), rest_.row(point), rest_.row(point + 1));
            points_of_more_.push_back(static_cast<std::int32_t>(point));
        }
        return more_[point];
    }
    /// All places of a point.
    std::vector<std::int32_t> all_of(std::int64_t point) const {
        std::vector<std::int32_t> all(places_.of(point).begin(), places_.of(point).end());
        if (more_[point] >= 0) all.push_back(more_[point]);
        return all;
    }
    const std::vector<float>& rest_of_more() const { return rest_of_more_; }
    /// The points that they are in the whole model.
    const std::vector<std::int32_t>& points_of_more() const { return points_of_more_; }

private:
    View<const float, 2> rest_;
    rig::RestrictedPlaces places_;
    std::int64_t num_vertices_;
    std::vector<std::int32_t> more_;  // per point: its place behind the vertices, or -1
    std::vector<float> rest_of_more_;
    std::vector<std::int32_t> points_of_more_;
};

template <class T>
void add_list(TensorFile& file, const char* name, const std::vector<T>& list) {
    file.add(name, {static_cast<std::int64_t>(list.size())}, list.data());
}

/// Adds the parts that have vertices, and gives their followers places.
void add_parts(const std::vector<RigidPart>& parts, std::int64_t width, PointPlaces& places, TensorFile& result) {
    std::vector<std::int32_t> offset{0}, vertex, follower;
    for (const RigidPart& part : parts) {
        for (const std::int32_t v : part.vertices()) {
            const auto found = places.vertices_of(v);
            vertex.insert(vertex.end(), found.begin(), found.end());
        }
        if (static_cast<std::int32_t>(vertex.size()) == offset.back()) continue;
        offset.push_back(static_cast<std::int32_t>(vertex.size()));
        for (const std::int32_t v : part.followers()) follower.push_back(places.of_follower(v));
    }
    add_list(result, "parts.offset", offset);
    add_list(result, "parts.vertex", vertex);
    result.add("parts.follower", {static_cast<std::int64_t>(offset.size()) - 1, width}, follower.data());
}

/// Writes the tensors of the restricted model's segments.
class SegmentWriter {
public:
    SegmentWriter(const TensorFile& source, const PointPlaces& places, TensorFile& result)
        : source_(source), places_(places), result_(result) {}

    /// Adds a segment if it has vertices. A refinement segment without them stays, without inputs and layers, so that
    /// the others keep their places in the detail.
    void add(const MapSegment& segment, std::int64_t index) {
        const std::size_t before = vertex_.size();
        const std::string name = segment_name(static_cast<std::int64_t>(level_.size()));
        if (segment.has_network()) add_members(segment, index);
        const bool is_moved = vertex_.size() > before;
        if (!is_moved && segment.refinement < 0) return;
        if (is_moved) {
            column_.insert(column_.end(), segment.column.begin(), segment.column.end());
            copy_layers(segment_name(index), name);
        }
        level_.push_back(segment.refinement >= 0);
        offset_.push_back(static_cast<std::int32_t>(vertex_.size()));
        input_offset_.push_back(static_cast<std::int32_t>(column_.size()));
    }

    void finish() {
        add_list(result_, "segments.level", level_);
        add_list(result_, "segments.offset", offset_);
        add_list(result_, "segments.vertex", vertex_);
        result_.add("segments.uv", {static_cast<std::int64_t>(vertex_.size()), 2}, uv_.data());
        add_list(result_, "segments.weight", weight_);
        add_list(result_, "inputs.offset", input_offset_);
        add_list(result_, "inputs.column", column_);
    }

private:
    void add_members(const MapSegment& segment, std::int64_t index) {
        const auto uv = source_.get<float, 2>("segments.uv");
        const auto weight = source_.get<float, 1>("segments.weight");
        std::int32_t row = source_.get<std::int32_t, 1>("segments.offset")(index);
        std::vector<std::pair<std::int32_t, std::int32_t>> members;  // place and row
        for (const std::int32_t v : segment.vertex) {
            for (const std::int32_t place : places_.all_of(v)) members.emplace_back(place, row);
            ++row;
        }
        std::sort(members.begin(), members.end());
        for (const auto& [place, from] : members) {
            vertex_.push_back(place);
            weight_.push_back(weight(from));
            uv_.insert(uv_.end(), uv.row(from), uv.row(from + 1));
        }
    }

    void copy_layers(const std::string& from, const std::string& to) {
        for (auto entry = source_.entries().lower_bound(from);
             entry != source_.entries().end() && entry->first.starts_with(from); ++entry) {
            result_.add(to + entry->first.substr(from.size()), source_, entry->second);
        }
    }

    const TensorFile& source_;
    const PointPlaces& places_;
    TensorFile& result_;
    std::vector<std::int32_t> level_;
    std::vector<std::int32_t> offset_{0};
    std::vector<std::int32_t> vertex_;
    std::vector<std::int32_t> input_offset_{0};
    std::vector<std::int32_t> column_;
    std::vector<float> uv_;
    std::vector<float> weight_;
};

}  // namespace

std::shared_ptr<rig::Deformer> FaceMaps::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    auto result = std::make_shared<TensorFile>(rig::restricted_tensors(
        character(), vertices, {"segments.", "inputs.", "segment.", "parts.", "followers.", "base."}));
    PointPlaces places(vertices, rest());
    add_parts(parts_, source.get<std::int32_t, 2>("parts.follower").extent(1), places, *result);
    SegmentWriter writer(source, places, *result);
    for (std::size_t i = 0; i < segments_.size(); ++i) writer.add(segments_[i], static_cast<std::int64_t>(i));
    writer.finish();
    const auto& more = places.rest_of_more();
    if (base_) {
        std::vector<std::int32_t> points(vertices.begin(), vertices.end());
        points.insert(points.end(), places.points_of_more().begin(), places.points_of_more().end());
        rig::BaseShapes::add_restricted(source, character().num_controls(),
                                        {points.data(), {static_cast<std::int64_t>(points.size())}}, *result);
    }
    if (!more.empty()) result->add("followers.rest", {static_cast<std::int64_t>(more.size()) / 3, 3}, more.data());
    return std::make_shared<FaceMaps>(std::move(result));
}

}  // namespace rigcast::face
