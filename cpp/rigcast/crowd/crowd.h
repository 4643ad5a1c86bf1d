#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "rigcast/crowd/clips.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::crowd {

/// The states that occur among H heads.
struct States {
    std::vector<std::int32_t> first;    // (U) the first head in each state; ascending by prefix, clip and frame
    std::vector<std::int32_t> of_head;  // (H) the state of each head
};

/// Heads of one blendshape rig that play clips. Heads with one clip, frame and prefix are computed once (Carrigan 2020,
/// section 4.1.1: what a compute shader gains over a vertex shader), those of one prefix next to each other, so that
/// they are multiplied by the same shapes. Immutable and thread-safe.
///
/// Example: 100 heads that play one clip, each a frame later.
/// ```cpp
/// const auto file = std::make_shared<const TensorFile>(TensorFile::read("face.safetensors"));
/// const auto rig = std::make_shared<const rig::BlendshapeRig>(file);
/// const std::vector<float> weights(frames * rig->num_shapes());
/// const std::vector<std::int64_t> lengths{frames};
/// const crowd::Crowd crowd(rig, {weights.data(), {frames, rig->num_shapes()}}, {lengths.data(), {1}}, {});
/// std::vector<std::int32_t> clip(100), prefix(100, static_cast<std::int32_t>(rig->num_shapes()));
/// std::vector<double> frame(100);
/// for (int h = 0; h < 100; ++h) frame[h] = h;
/// std::vector<float> result(100 * vertices * 3);
/// crowd.evaluate({{clip.data(), {100}}, {frame.data(), {100}}, {prefix.data(), {100}}},
///                {result.data(), {100, vertices, 3}}, 0);
/// ```
class Crowd {
public:
    /// `order` (K): shapes, most important first; empty: as they are. Throws ArgumentError as Clips, and if the order
    /// is no permutation of the shapes.
    Crowd(std::shared_ptr<const rig::BlendshapeRig> rig, View<const float, 2> weights,
          View<const std::int64_t, 1> num_frames, View<const std::int32_t, 1> order);

    const rig::BlendshapeRig& rig() const { return *rig_; }
    const Clips& clips() const { return clips_; }
    /// (K)
    const std::vector<std::int32_t>& order() const { return order_; }
    /// The part of the rig that each of some heads uses.
    rig::Prefix prefix(const Heads& heads) const { return {{order_.data(), {rig_->num_shapes()}}, heads.prefix}; }

    /// Writes the weights (H, K) of heads. Throws ArgumentError as Clips::check.
    void weights(const Heads& heads, View<float, 2> weights) const;
    /// The states of at most 2^31 - 1 heads. Throws ArgumentError, which names `function`, as Clips::check.
    States states(const char* function, const Heads& heads) const;
    /// Writes the vertices (H, V, 3) of heads. Throws ArgumentError as Clips::check, or if the shape is wrong.
    void evaluate(const Heads& heads, View<float, 3> vertices, int threads) const;
    /// The same by `each`, which writes the vertices of checked heads on some device: of those in distinct states, or
    /// of all heads where no two are alike.
    void evaluate(const Heads& heads, View<float, 3> vertices, int threads,
                  const std::function<void(const Heads&, View<float, 3>)>& each) const;

private:
    void evaluate_each(const Heads& heads, View<float, 3> vertices, int threads) const;

    std::shared_ptr<const rig::BlendshapeRig> rig_;
    Clips clips_;
    std::vector<std::int32_t> order_;
};

}  // namespace rigcast::crowd
