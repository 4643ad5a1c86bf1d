#include "rigcast/cuda/face/plan.h"

#include <numeric>

#include "rigcast/face/maps/face_maps.h"

namespace rigcast::cuda {
namespace {

using face::MapNetwork;
using face::MapSample;
using face::MapSegment;
using network::TexelMask;

struct Texel {
    int row;
    int column;
};

/// A sample's first texel.
Texel texel_of(const MapSample& sample, const MapNetwork& network) {
    const int stride = network::padded_channels(network.final_channels());
    const int place = sample.offset / stride, pitch = network.final_resolution() + 2;  // with the border
    return {place / pitch - 1, place % pitch - 1};
}

/// The texels of each map that vertices need. The model's own runs hold more: gaps and pairs that vectors do at once.
std::vector<TexelMask> needed_texels(const MapSegment& segment, const network::Packed& packed) {
    const int maps = segment.network.num_maps();
    TexelMask needed(segment.network.final_resolution());
    const MapSample* samples = packed.at<MapSample>(segment.samples.sample);
    for (int m = 0; m < segment.samples.count; ++m) {
        const Texel texel = texel_of(samples[m], segment.network);
        for (int i = 0; i < 4; ++i) needed.set(texel.row + i / 2, texel.column + i % 2);
    }
    std::vector<TexelMask> masks(maps, needed);
    for (int map = maps - 2; map >= 0; --map) {
        const bool upsamples = segment.network.convolution[map].upsamples;
        masks[map] = upsamples ? masks[map + 1].needed_by_upsampling() : masks[map + 1].needed_by_convolution();
    }
    return masks;
}

/// Adds the last dense layer for the needed texels of the base map.
std::int64_t add_base(const MapNetwork& network, const network::Packed& packed, const TexelPlaces& places,
                      std::int64_t first_input, ProductPlan& plan) {
    const network::Dense& layer = network.dense.back();
    std::vector<float> all(static_cast<std::size_t>(layer.outputs) * layer.inputs);
    network::unpack_weights(layer, packed, {all.data(), {layer.outputs, layer.inputs}});
    const std::int64_t channels = network.base_channels, rows = channels * places.count();
    std::vector<float> weight(static_cast<std::size_t>(rows * layer.inputs)), bias(static_cast<std::size_t>(rows));
    std::int64_t from = 0;
    for (const network::TexelRun& run : network.runs[0]) {
        for (int k = run.begin; k < run.end; ++k, from += channels) {
            const std::int32_t place = places(run.row, k);
            for (std::int64_t c = 0; place >= 0 && c < channels; ++c) {
                const std::int64_t to = place * channels + c;
                std::copy_n(all.data() + (from + c) * layer.inputs, layer.inputs, weight.data() + to * layer.inputs);
                bias[to] = packed.at(layer.bias)[from + c];
            }
        }
    }
    // Rows in another order are in other blocks.
    const network::Storage storage = network::has_blocks(layer.storage) ? network::Storage::float32 : layer.storage;
    return plan.add(first_input, {weight.data(), {rows, layer.inputs}}, {bias.data(), {rows}}, storage);
}

void append_arms(const std::vector<std::int32_t>& points, const std::vector<float>& rest, const double* center,
                 std::vector<double>& arms) {
    for (const std::int32_t k : points) {
        for (int axis = 0; axis < 3; ++axis) arms.push_back(rest[3 * k + axis] - center[axis]);
    }
}

}  // namespace

void PartsPlan::add(const face::RigidPart& added, const std::vector<float>& rest) {
    followers = static_cast<std::int64_t>(added.followers().size());
    double center[3] = {};
    for (const std::int32_t k : added.followers()) {
        for (int axis = 0; axis < 3; ++axis) center[axis] += rest[3 * k + axis];
    }
    for (double& x : center) x /= static_cast<double>(followers);
    append_arms(added.followers(), rest, center, follower_arm);
    append_arms(added.vertices(), rest, center, arm);
    part.insert(part.end(), added.vertices().size(), static_cast<std::int32_t>(collinear.size()));
    follower.insert(follower.end(), added.followers().begin(), added.followers().end());
    vertex.insert(vertex.end(), added.vertices().begin(), added.vertices().end());
    collinear.push_back(added.is_collinear());
}

/// An entry of a point.
struct FaceMapsPlan::Member {
    std::int32_t point;
    MapEntry entry;
};

FaceMapsPlan::FaceMapsPlan(const face::FaceMaps& model)
    : num_controls(model.character().num_controls()),
      num_vertices(model.character().num_vertices()),
      num_refinements(model.num_refinements()),
      rest(face::read_points(model.character())) {
    if (model.base()) shapes = std::make_shared<const rig::BaseShapes>(*model.base());
    std::vector<Member> members;
    for (const MapSegment& segment : model.segments()) {
        if (segment.has_network()) add_segment(model, segment, members);
    }
    list_entries(members);
    for (const face::RigidPart& part : model.parts()) parts.add(part, rest);
}

void FaceMapsPlan::add_segment(const face::FaceMaps& model, const MapSegment& segment, std::vector<Member>& members) {
    const MapNetwork& network = segment.network;
    const std::vector<TexelMask> needed = needed_texels(segment, model.packed());
    auto first = static_cast<std::int64_t>(columns.size());
    columns.insert(columns.end(), segment.column.begin(), segment.column.end());
    for (std::size_t i = 0; i + 1 < network.dense.size(); ++i) {
        if (dense.size() == i) dense.emplace_back(network.dense[i].activation);
        first = dense[i].add(first, network.dense[i], model.packed());
    }
    TexelPlaces places(needed[0]);
    std::int64_t column = add_base(network, model.packed(), places, first, base);
    if (layers.size() < network.convolution.size()) layers.resize(network.convolution.size());
    for (std::size_t i = 0; i < network.convolution.size(); ++i) {
        const network::Convolution& layer = network.convolution[i];
        TexelPlaces next(needed[i + 1]);
        layers[i].add(layer, model.packed(), {places, column}, {next, maps_width}, segment.refinement);
        column = maps_width;
        maps_width += std::int64_t{layer.outputs} * next.count();
        places = std::move(next);
    }
    add_last_map(model, segment, column, places, members);
}

void FaceMapsPlan::add_last_map(const face::FaceMaps& model, const MapSegment& segment, std::int64_t column,
                                const TexelPlaces& places, std::vector<Member>& members) {
    const int channels = segment.samples.channels, padded = network::padded_channels(channels);
    const float* weight = model.packed().at(segment.samples.weight);
    const auto index = static_cast<std::int32_t>(last_maps.size());
    last_weights.resize((last_weights.size() + 3) / 4 * 4);  // so that rows are read four numbers at once
    last_maps.push_back({column, static_cast<std::int64_t>(last_weights.size()), channels,
                         static_cast<std::int32_t>(segment.refinement)});
    for (int axis = 0; axis < 3; ++axis) {
        last_weights.insert(last_weights.end(), weight + axis * padded, weight + axis * padded + channels);
    }
    last_weights.insert(last_weights.end(), weight + 3 * padded, weight + 3 * padded + 3);
    const MapSample* samples = model.packed().at<MapSample>(segment.samples.sample);
    for (int m = 0; m < segment.samples.count; ++m) {
        MapEntry entry{index, {}, {}, samples[m].share};
        const Texel texel = texel_of(samples[m], segment.network);
        for (int i = 0; i < 4; ++i) {
            entry.texel[i] = places(texel.row + i / 2, texel.column + i % 2);
            entry.weight[i] = samples[m].weight[i];
        }
        members.push_back({segment.vertex(m), entry});
    }
}

void FaceMapsPlan::list_entries(const std::vector<Member>& members) {
    offset.assign(rest.size() / 3 + 1, 0);
    for (const Member& member : members) ++offset[member.point + 1];
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    entries.resize(members.size());
    std::vector<std::int32_t> next(offset.begin(), offset.end() - 1);
    for (const Member& member : members) entries[next[member.point]++] = member.entry;
}

}  // namespace rigcast::cuda
