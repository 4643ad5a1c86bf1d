#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::crowd {

/// Clip, frame and prefix of each of H heads.
struct Heads {
    View<const std::int32_t, 1> clip;    // (H) the clip that a head plays
    View<const double, 1> frame;         // (H) from 0 to the last frame of its clip
    View<const std::int32_t, 1> prefix;  // (H) from 0 to K: how many shapes of an order of importance a head uses

    std::int64_t size() const { return clip.extent(0); }
};

/// Weights of clips, one row per frame. Between two frames they are mixed linearly, which is how animation curves of
/// weights are stored (glTF's LINEAR); nothing wraps around. Immutable.
class Clips {
public:
    /// A row of weights, and how much of the next one is mixed in.
    struct Place {
        std::int32_t row;
        float part;
    };

    /// Copies the clips of a rig of K shapes: `weights` (F, K) are the frames of all clips, one clip after another, of
    /// which clip i has num_frames[i]. Throws ArgumentError, as of the function "Crowd", if there is no clip, a clip
    /// has no frame, the frames are not F or are 2^31 and more, the width is wrong, or a weight is not finite or beyond
    /// the rig's pose_limit.
    Clips(const rig::Deformer& rig, View<const float, 2> weights, View<const std::int64_t, 1> num_frames);

    std::int64_t size() const { return static_cast<std::int64_t>(num_frames_.size()); }
    const std::vector<std::int64_t>& num_frames() const { return num_frames_; }
    /// (F, K)
    View<const float, 2> weights() const { return {weights_.data(), {num_rows_, num_shapes_}}; }

    /// Throws ArgumentError, which names `function` and the head, if clip, frame and prefix are not one per head or out
    /// of range.
    void check(const char* function, const Heads& heads) const;
    /// The weights of a head that was checked.
    Place place(const Heads& heads, std::int64_t head) const;
    /// Writes the weights (K) of a place.
    void mix(const Place& place, float* weights) const;

private:
    std::vector<std::int64_t> num_frames_;
    std::vector<std::int64_t> first_;  // row of each clip's first frame
    std::vector<float> weights_;
    std::int64_t num_rows_;
    std::int64_t num_shapes_;
};

}  // namespace rigcast::crowd
