#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rigcast/face/maps/map_segments.h"
#include "rigcast/rig/blendshapes/base_shapes.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::face {

/// A face on deformation maps (Bailey 2020, dissertation ch. 3). Networks of S segments draw maps of offsets, which
/// vertices sample at their texture coordinates; rigid parts follow the vertices beside them:
///   v_k = v_k^0 + o_k(x) + sum_s detail_s weight_sk (W_s bilinear(map_s(x_s), uv_sk) + b_s),
/// where o are the offsets of the base (rig::BaseShapes; 0 without one), x_s are the segment's columns of the pose, and
/// detail_s is 1 for coarse segments and 1 unless it is given for refinement segments. Vertices of no segment and no
/// part have v_k^0 + o_k(x). For parts see RigidPart.
///
/// A map is drawn by D >= 2 dense layers, all but the last with a leaky ReLU (slope 0.2; with a basis the smooth one,
/// see network::Activation), in one of two ways:
///   - The last dense layer gives K coefficients of a basis of maps: map = basis.bias + sum_k c_k basis.weight_k, three
///     axes of R x R texels.
///   - Without a basis (the published network, D = 2), it gives C0 channels of B x B texels; 3 x 3 convolutions with a
///     leaky ReLU and zero padding follow: U after an upsampling to twice the resolution by nearest neighbors, and one
///     more; W and b are `output`, otherwise the identity and 0.
/// Texel (i, j), column and row, has its center at uv (i, j) / (R - 1).
///
/// Tensors ("000" is a segment's index; M members of all segments):
///   segments.level I32[S]: 0 coarse, 1 refinement, coarse ones first; segments.offset I32[S + 1] into segments.vertex
///   I32[M], ascending inside a segment, segments.uv F32[M, 2] in the unit square and segments.weight F32[M] in [0, 1];
///   a vertex's weights in coarse segments have a sum of at most 1; inputs.offset I32[S + 1] into inputs.column I32[N];
///   segment.000.dense1.weight F32[H, n], .bias F32[H], ..., dense{D}; with a basis: basis.weight F32[3 R R, K] (rows:
///   axis, row, column), .bias F32[3 R R]; without: dense{D} has C0 B B rows (channel, row, column), and
///   segment.000.conv1.weight F32[C, C0, 3, 3], .bias F32[C], ..., conv{U + 1}; output.weight F32[3, C], .bias F32[3].
///   A segment without inputs has no layers. parts.offset I32[P + 1] into parts.vertex I32[Q], and
///   parts.follower I32[P, F], F at least 3; vertices of parts are in no segment, and followers in no part.
///   followers.rest F32[H, 3] (optional): the rest positions of followers that are no vertices of a restricted model;
///   indices of vertices in segments.vertex and parts.follower count on from V for them. The base (optional) is one of
///   all points: V + H.
///
/// Metadata: network_storage (optional) is "float32" or "16-bit". The latter stores the dense layers' weights in memory
/// as float16 or bfloat16, whichever has the smaller error for the matrix, and computes in float32.
class FaceMaps final : public rig::Deformer {
public:
    /// Throws ArgumentError that names the tensor that is missing, malformed or out of range.
    explicit FaceMaps(std::shared_ptr<const TensorFile> tensors);

    const std::vector<MapSegment>& segments() const { return segments_; }
    const std::vector<RigidPart>& parts() const { return parts_; }
    const Packed& packed() const { return packed_; }
    const std::optional<rig::BaseShapes>& base() const { return base_; }
    std::int64_t num_refinements() const { return num_refinements_; }

    /// The same as evaluate, with less detail: multiplies the offsets of refinement segment r by detail (T, R) or (1,
    /// R), in [0, 1]. 1 everywhere gives the bytes of evaluate; a segment at 0 is skipped and costs nothing, so a
    /// detail that fades to 0 before it stays there never pops. Throws ArgumentError as evaluate, and if detail has a
    /// wrong shape or a value outside of [0, 1].
    void evaluate_detail(View<const float, 2> poses, View<const float, 2> detail, View<float, 3> vertices,
                         int threads) const;

    /// The same model with another network_storage. Throws ArgumentError unless it is "float32" or "16-bit".
    std::shared_ptr<FaceMaps> stored(const std::string& storage) const;
    /// The largest |w - stored w| over the weights of all dense layers.
    float storage_error() const;
    /// Bytes of the constants that an evaluation reads.
    std::int64_t num_bytes() const;
    /// Products per evaluation, of the texels that vertices need, or of all texels of all maps. An upsampling and its
    /// convolution count as four 2 x 2 convolutions, which is how they are computed.
    std::int64_t multiply_adds(bool all_texels = false) const;

private:
    friend class FaceMapsSession;
    class Frames;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<rig::Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;
    std::unique_ptr<rig::SessionState> new_session_state() const override;

    std::int64_t num_points() const { return static_cast<std::int64_t>(rest_.size()) / 3; }
    View<const float, 2> rest() const { return {rest_.data(), {num_points(), 3}}; }
    void evaluate_frames(View<const float, 2> poses, View<const float, 2> detail, View<float, 3> vertices,
                         int threads) const;
    void move_parts(std::int64_t frame, float* points) const;
    /// Writes the points (t, N, 3) of poses without maps and parts: at rest, or where the base puts them.
    void start(const char* function, std::int64_t frame, View<const float, 2> poses, float* points, int threads) const;

    Packed packed_;            // what evaluations read, in this order
    Packed reverse_;           // what only derivatives read
    std::vector<float> rest_;  // of the points: vertices, then followers that are none
    std::optional<rig::BaseShapes> base_;
    std::vector<MapSegment> segments_;
    std::vector<RigidPart> parts_;
    std::int64_t num_refinements_ = 0;
    std::int64_t num_offsets_ = 0;  // floats of all segments' offsets
};

/// Throws ArgumentError, which names `function`, unless detail is (T, R) or (1, R) with values in [0, 1].
void check_detail(const char* function, View<const float, 2> detail, std::int64_t frames, std::int64_t refinements);

/// points[vertex] += detail offsets for the M vertices of a segment; offsets (M, 4).
void add_offsets(const MapSegment& segment, const float* offsets, float detail, float* points);

}  // namespace rigcast::face
