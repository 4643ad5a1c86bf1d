#include "rigcast/face/maps/map_segments.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "rigcast/core/error.h"
#include "rigcast/face/map_floor.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::face {
namespace {

using Indices = View<const std::int32_t, 1>;

constexpr float weight_rounding = 1e-5f;  // of a sum of a few weights

void check_range(const char* name, Indices values, std::int64_t limit, const char* what) {
    for (const std::int32_t value : values) {
        if (value < 0 || value >= limit) {
            throw bad_argument("load", name, "holding " + std::to_string(value),
                               std::string(what) + " below " + std::to_string(limit));
        }
    }
}

void check_unit(const char* name, const float* begin, const float* end) {
    for (const float* x = begin; x != end; ++x) {
        if (!(*x >= 0.0f && *x <= 1.0f)) {
            throw bad_argument("load", name, "holding " + std::to_string(*x), "from 0 to 1");
        }
    }
}

/// The tables that all segments share.
struct Tables {
    Tables(const rig::Character& character, std::int64_t num_points);

    std::int64_t num_segments() const { return level.extent(0); }
    Indices vertices(std::int64_t segment) const { return part(vertex, offset, segment); }
    Indices columns(std::int64_t segment) const { return part(column, input_offset, segment); }

    Indices level, offset, vertex, input_offset, column;
    View<const float, 2> uv;
    View<const float, 1> weight;

private:
    static Indices part(Indices values, Indices offsets, std::int64_t i) {
        return {values.data() + offsets(i), {std::int64_t{offsets(i + 1)} - offsets(i)}};
    }
    void check_order() const;
    void check_coarse(std::int64_t num_points) const;
};

Tables::Tables(const rig::Character& character, std::int64_t num_points) {
    const TensorFile& tensors = *character.tensors;
    level = tensors.get<std::int32_t, 1>("segments.level");
    vertex = tensors.get<std::int32_t, 1>("segments.vertex");
    uv = tensors.get<float, 2>("segments.uv", {vertex.extent(0), 2});
    weight = tensors.get<float, 1>("segments.weight", {vertex.extent(0)});
    column = tensors.get<std::int32_t, 1>("inputs.column");
    offset = rig::read_offsets(tensors, "segments.offset", num_segments(), vertex.extent(0));
    input_offset = rig::read_offsets(tensors, "inputs.offset", num_segments(), column.extent(0));
    check_range("segments.vertex", vertex, num_points, "vertices");
    check_range("inputs.column", column, character.num_controls(), "pose columns");
    check_range("segments.level", level, 2, "levels: 0 (coarse) or 1 (refinement), which is");
    check_unit("segments.uv", uv.begin(), uv.end());
    check_unit("segments.weight", weight.begin(), weight.end());
    if (!std::is_sorted(level.begin(), level.end())) {
        throw bad_argument("load", "segments.level", "not ascending", "0 for the first segments, 1 for the last ones");
    }
    check_order();
    check_coarse(num_points);
}

void Tables::check_order() const {
    for (std::int64_t i = 0; i < num_segments(); ++i) {
        const Indices own = vertices(i);
        if (std::adjacent_find(own.begin(), own.end(), std::greater_equal<>()) != own.end()) {
            throw bad_argument("load", "segments.vertex", "not ascending inside segment " + std::to_string(i),
                               "ascending inside a segment");
        }
        if (own.extent(0) == 0 && columns(i).extent(0) > 0) {
            throw bad_argument("load", segment_name(i), "with inputs, but without vertices", "a segment with both");
        }
    }
}

/// Coarse segments blend at a vertex: with weights of a sum above 1 they would add up to more than its motion.
void Tables::check_coarse(std::int64_t num_points) const {
    std::vector<float> total(static_cast<std::size_t>(num_points));
    for (std::int64_t i = 0; i < num_segments() && level(i) == 0; ++i) {
        for (std::int32_t m = offset(i); m < offset(i + 1); ++m) {
            const std::int32_t v = vertex(m);
            total[v] += weight(m);
            if (total[v] > 1.0f + weight_rounding) {
                throw bad_argument("load", "segments.weight",
                                   "of the coarse segments of vertex " + std::to_string(v) + " with a sum above 1",
                                   "of a sum of at most 1 per vertex");
            }
        }
    }
}

/// The samples of a segment's vertices, and the texels that they read.
struct Sampling {
    Sampling(const Tables& tables, std::int64_t segment, const MapNetworkTensors& tensors)
        : sampled(tensors.final_resolution()) {
        const int side = tensors.final_resolution();
        const std::int64_t channels = tensors.output_weight.extent(1);
        const Map<const float> map(nullptr, side, network::padded_channels(static_cast<int>(channels)));
        for (std::int32_t m = tables.offset(segment); m < tables.offset(segment + 1); ++m) {
            const TexelSample at = texel_sample(tables.uv(m, 0), tables.uv(m, 1), side);
            const int row = static_cast<int>(at.first / side), column = static_cast<int>(at.first % side);
            MapSample sample{static_cast<std::int32_t>(map.offset(row, column)), tables.weight(m), {}};
            for (int i = 0; i < 4; ++i) {
                sample.weight[i] = static_cast<float>(static_cast<double>(tables.weight(m)) * at.weights[i]);
                sampled.set(row + i / 2, column + i % 2);
            }
            samples.push_back(sample);
        }
    }

    network::TexelMask sampled;
    std::vector<MapSample> samples;
};

MapSamples pack_samples(const Sampling& sampling, const MapNetworkTensors& tensors, Packed& packed) {
    const auto channels = static_cast<int>(tensors.output_weight.extent(1));
    const int padded = network::padded_channels(channels);
    MapSamples result{static_cast<int>(sampling.samples.size()), channels, 0, 0};
    result.weight = packed.append(static_cast<std::size_t>(3 * padded + 4));
    float* weight = packed.at(result.weight);
    for (int axis = 0; axis < 3; ++axis) {
        std::copy_n(tensors.output_weight.row(axis), channels, weight + axis * padded);
        weight[3 * padded + axis] = tensors.output_bias(axis);
    }
    result.sample = packed.append<MapSample>(sampling.samples.size());
    std::copy(sampling.samples.begin(), sampling.samples.end(), packed.at<MapSample>(result.sample));
    return result;
}

/// All networks of a face have one form: a GPU runs each of their layers together.
void check_alike(const std::vector<MapSegment>& segments, const MapSegment& added, std::int64_t index) {
    for (const MapSegment& other : segments) {
        if (!other.has_network()) continue;
        if (other.network.dense.size() == added.network.dense.size() &&
            other.network.convolution.empty() == added.network.convolution.empty()) {
            return;
        }
        throw bad_argument("load", segment_name(index) + "dense*",
                           "layers of another form than those of segments before",
                           "as many dense layers in all segments, all with a basis or all without");
    }
}

}  // namespace

std::string segment_name(std::int64_t index) {
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), "segment.%03lld.", static_cast<long long>(index));
    return text.data();
}

std::int64_t MapSegment::offsets_size() const {
    return static_cast<std::int64_t>(Scratch::padded(4 * static_cast<std::size_t>(vertex.extent(0))));
}

std::int64_t MapSegment::multiply_adds(bool all_texels) const {
    if (!has_network()) return 0;
    return network.multiply_adds(all_texels) + std::int64_t{7} * samples.count * samples.channels;
}

std::vector<float> read_points(const rig::Character& character) {
    const auto& vertices = character.rest_vertices;
    std::vector<float> points(vertices.begin(), vertices.end());
    if (character.tensors->contains("followers.rest")) {
        const auto followers = character.tensors->get<float, 2>("followers.rest", {-1, 3});
        points.insert(points.end(), followers.begin(), followers.end());
    }
    return points;
}

std::vector<MapSegment> read_segments(const rig::Character& character, std::int64_t num_points, Packed& packed,
                                      Packed& reverse) {
    const Tables tables(character, num_points);
    std::vector<MapSegment> segments;
    int refinements = 0;
    for (std::int64_t i = 0; i < tables.num_segments(); ++i) {
        MapSegment segment;
        segment.vertex = tables.vertices(i);
        segment.column = tables.columns(i);
        if (tables.level(i) == 1) segment.refinement = refinements++;
        if (segment.has_network()) {
            const MapNetworkTensors tensors(*character.tensors, segment_name(i), segment.column.extent(0));
            const Sampling sampling(tables, i, tensors);
            segment.network = pack_map_network(*character.tensors, tensors, sampling.sampled, packed, reverse);
            segment.samples = pack_samples(sampling, tensors, packed);
            check_alike(segments, segment, i);
        }
        segments.push_back(std::move(segment));
    }
    return segments;
}

std::vector<RigidPart> read_rigid_parts(const rig::Character& character, View<const float, 2> rest) {
    const TensorFile& tensors = *character.tensors;
    const auto vertex = tensors.get<std::int32_t, 1>("parts.vertex");
    const auto follower = tensors.get<std::int32_t, 2>("parts.follower");
    const std::int64_t count = follower.extent(0);
    const auto offset = rig::read_offsets(tensors, "parts.offset", count, vertex.extent(0));
    check_range("parts.vertex", vertex, character.num_vertices(), "vertices");
    check_range("parts.follower", {follower.data(), {follower.size()}}, rest.extent(0), "vertices");
    if (count > 0 && follower.extent(1) < 3) {
        throw bad_argument("load", "parts.follower", std::to_string(follower.extent(1)) + " wide",
                           "at least 3 followers per part");
    }
    std::vector<bool> taken(static_cast<std::size_t>(rest.extent(0)));
    for (const std::int32_t v : tensors.get<std::int32_t, 1>("segments.vertex")) taken[v] = true;
    for (const std::int32_t v : vertex) {
        if (taken[v]) {
            throw bad_argument("load", "parts.vertex",
                               "holding " + std::to_string(v) + ", which another part or a segment moves",
                               "vertices of no segment, each once");
        }
        taken[v] = true;
    }
    std::vector<bool> rigid(taken.size());
    for (const std::int32_t v : vertex) rigid[v] = true;
    for (const std::int32_t v : follower) {
        if (rigid[v]) {
            throw bad_argument("load", "parts.follower", "holding " + std::to_string(v) + ", which is in a rigid part",
                               "vertices outside of rigid parts");
        }
    }
    std::vector<RigidPart> parts;
    for (std::int64_t p = 0; p < count; ++p) {
        parts.emplace_back(rest, Indices(vertex.data() + offset(p), {std::int64_t{offset(p + 1)} - offset(p)}),
                           Indices(follower.row(p), {follower.extent(1)}));
    }
    return parts;
}

std::size_t segment_memory(const MapSegment& segment, int frames) {
    if (!segment.has_network()) return 0;
    network::SplitMemory split(nullptr);
    MapMemory(split, segment.network, static_cast<int>(segment.column.extent(0)), frames);
    return split.used();
}

void run_segment(const MapSegment& segment, const MapSegment* next, const Packed& packed, Rows<const float> poses,
                 Rows<const float> detail, int frames, SegmentOffsets& offsets, float* memory) {
    if (!segment.has_network()) return;
    network::SplitMemory split(memory);
    const int inputs = static_cast<int>(segment.column.extent(0));
    const MapMemory space(split, segment.network, inputs, frames);
    const bool fades = detail.data != nullptr && segment.refinement >= 0;
    int rows = 0;
    for (int t = 0; t < frames; ++t) {
        if (fades && detail.row(t)[segment.refinement] == 0.0f) continue;
        for (int i = 0; i < inputs; ++i) space.row[0].row(rows)[i] = poses.row(t)[segment.column(i)];
        const bool repeated =
            rows > 0 && std::memcmp(space.row[0].row(rows), space.row[0].row(rows - 1), inputs * sizeof(float)) == 0;
        offsets.of[t] = repeated ? rows - 1 : rows++;
    }
    run_dense(segment.network, packed, space, rows);
    for (int row = 0; row < rows; ++row) {
        const bool is_last = row + 1 == rows && next != nullptr && next->has_network();
        draw_maps(segment.network, packed, base_rows(segment.network, space).row(row), space,
                  is_last ? dense_constants(next->network, packed) : network::Ahead());
        sample_kernels().evaluate(segment.samples, packed, space.map[segment.network.num_maps() - 1], true,
                                  offsets.row.row(row));
    }
}

}  // namespace rigcast::face
