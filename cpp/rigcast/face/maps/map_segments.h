#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/face/maps/map_network.h"
#include "rigcast/linalg/polar.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/network/convolution.h"
#include "rigcast/network/packed.h"
#include "rigcast/rig/character.h"

namespace rigcast::face {
using network::Map;
using network::Packed;

/// Where a vertex samples a map bilinearly: four texels by their weights, already multiplied by the share of the
/// segment in the vertex.
struct MapSample {
    std::int32_t offset;  // of the first of the four texels' channels in the map
    float share;
    float weight[4];  // of the texel, the next one, and the two of the next row; sum: share
};

/// The last layer of a segment, a 1 x 1 convolution to three coordinates, together with the samples of its M vertices:
/// the offset of a vertex is share b + W sum_i weight_i texel_i. Sampling before the product needs fewer products,
/// since a map has about as many texels as vertices.
struct MapSamples {
    int count = 0;           // M
    int channels = 0;        // of the map
    std::size_t sample = 0;  // MapSample[M]: offset into the Packed that it was packed into
    std::size_t weight = 0;  // W: three rows of padded channels, then b and a zero
};

/// Compiled for the instruction set in use. Offsets and cotangents are rows of four floats, of which the last is
/// written as 0 and ignored.
/// Guarantee: the result of a vertex does not depend on the other vertices.
/// Requires: all arrays begin at cache lines.
struct SampleKernels {
    /// Writes the offsets (M, 4) that a map gives; `with_bias` false leaves b out, for derivatives.
    void (*evaluate)(const MapSamples& samples, const Packed& packed, Map<const float> map, bool with_bias,
                     float* offsets);
    /// Adds to the map's gradient what cotangents (M, 4) of the offsets ask for, vertex by vertex.
    void (*add_gradient)(const MapSamples& samples, const Packed& packed, const float* cotangents, Map<float> gradient);
};
const SampleKernels& sample_kernels();

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

/// Vertices that move as one rigid body: by the rotation R and the translation that take the rest positions r_k of F
/// followers to their posed ones f_k best in the sense of least squares (Kabsch),
///   v = R (v^0 - r) + f,   R = the rotation nearest to sum_k (f_k - f) (r_k - r)^T,
/// where r and f are the means. The nearest rotation has determinant 1, also if a reflection would fit better.
/// If the followers' rest positions lie on a line, rotations around it fit alike: the part then follows the mean of the
/// followers without turning.
class RigidPart {
public:
    /// A line: the second moment across it is at most this share of the one along it (a thousandth of its length).
    static constexpr double collinear_share = 1e-6;

    /// `rest` (N, 3) are the rest positions of all points; `vertices` and `followers` index them.
    RigidPart(View<const float, 2> rest, View<const std::int32_t, 1> vertices, View<const std::int32_t, 1> followers);

    const std::vector<std::int32_t>& vertices() const { return vertex_; }
    const std::vector<std::int32_t>& followers() const { return follower_; }
    /// Whether the followers lie on a line at rest.
    bool is_collinear() const { return is_collinear_; }

    /// Writes the part's points from those of the followers; points (N, 3).
    void evaluate(float* points) const;
    /// Writes the part's tangents from those of the followers.
    void jvp(const float* points, float* tangents) const;
    /// Adds to the gradients of the followers what those of the part ask for.
    void vjp(const float* points, float* gradients) const;

private:
    linalg::Vec3 mean_of_followers(const float* points) const;
    linalg::Polar fit(const float* points) const;

    std::vector<std::int32_t> vertex_;
    std::vector<std::int32_t> follower_;
    std::vector<linalg::Vec3> vertex_arm_;    // rest positions relative to the followers' mean
    std::vector<linalg::Vec3> follower_arm_;  // likewise; they sum to 0
    bool is_collinear_ = false;
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

/// Frames that share one pass over a segment's dense layers. More reuse their weights, fewer keep offsets cached.
/// Chosen, not tuned.
constexpr int frames_per_batch = 8;

/// Floats of working memory that run_segment needs for `frames` frames.
std::size_t segment_memory(const MapSegment& segment, int frames);

/// The offsets of a segment for some frames.
struct SegmentOffsets {
    Rows<float> row;                         // (frames, 4 M)
    std::array<int, frames_per_batch> of{};  // the row of each frame; unset if it leaves the segment out
};

/// Writes the offsets of a segment for the frames whose `detail` is not 0; a null `detail` stands for 1. Frames whose
/// inputs equal those of the frame before have the same row: its map is drawn once. `memory` is segment_memory floats.
/// `next` (or null) is the segment that is run next: its constants are loaded while maps are drawn.
void run_segment(const MapSegment& segment, const MapSegment* next, const Packed& packed, Rows<const float> poses,
                 Rows<const float> detail, int frames, SegmentOffsets& offsets, float* memory);

}  // namespace rigcast::face
