#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/face/maps/map_network.h"
#include "rigcast/face/maps/map_samples.h"
#include "rigcast/face/maps/rigid_parts.h"
#include "rigcast/rig/character.h"

namespace rigcast::face {

/// A segment of a FaceMaps: a network and the vertices that sample its map. Without pose columns it has no network and
/// moves nothing.
struct MapSegment {
    View<const std::int32_t, 1> vertex;  // (M), of the points
    View<const std::int32_t, 1> column;  // pose columns that are inputs
    int refinement = -1;                 // its place among the refinement segments; -1: a coarse one
    std::int64_t offsets_begin = 0;      // of its offsets among those of all segments
    MapNetwork network;
    MapSamples samples;

    bool has_network() const { return column.extent(0) > 0; }
    /// Floats of a row of its offsets: four per vertex, padded.
    std::int64_t offsets_size() const;
    /// Products per evaluation.
    std::int64_t multiply_adds(bool all_texels = false) const;
};

/// The points of a model: its vertices, then followers of rigid parts that are no vertices of a restricted model.
/// Rest positions (N, 3).
std::vector<float> read_points(const rig::Character& character);

/// The beginning of the names of a segment's tensors: "segment.007.".
std::string segment_name(std::int64_t index);

/// Reads, checks and packs the segments of a face; `num_points` counts what they may move. Throws ArgumentError that
/// names the tensor that is missing, malformed or out of range.
std::vector<MapSegment> read_segments(const rig::Character& character, std::int64_t num_points, Packed& packed,
                                      Packed& reverse);

/// Reads and checks the rigid parts. Throws likewise.
std::vector<RigidPart> read_rigid_parts(const rig::Character& character, View<const float, 2> rest);

}  // namespace rigcast::face
