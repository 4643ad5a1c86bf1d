#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/baseline/models/forward_only.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::baseline {

/// Networks that give the vertices of S segments of a mesh directly: the baseline of Bailey 2020. For the
/// vertices k of segment s,
///   v_k = m_k + (W3 tanh(W2 tanh(W1 x_s + b1) + b2))_k,
/// where x_s are some columns of the pose. Vertices of no segment stay at m_k.
///
/// Tensors: mean F32[3 V] m (x0 y0 z0 x1 ...); networks.offset I32[S + 1] into networks.vertex I32[M], in which no
/// vertex occurs twice; inputs.offset I32[S + 1] into inputs.column I32[N]; of each network, with its index in place of
/// 000, network.000.layer1.weight F32[H1, n], .bias F32[H1], layer2.weight F32[H2, H1], .bias F32[H2], and
/// layer3.weight F32[3 M_s, H2].
class DenseNetworks final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, an index is out of range or occurs twice, or a
    /// network has no vertex or no input.
    explicit DenseNetworks(std::shared_ptr<const TensorFile> tensors);

private:
    struct Segment {
        View<const std::int32_t, 1> vertex;
        View<const std::int32_t, 1> column;
        network::Dense layer[3];
    };
    struct Memory;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    void add_segment(std::int64_t index, View<const float, 1> mean);
    std::size_t memory_size(int frames) const;
    void hidden(const Segment& segment, network::Rows<const float> poses, const Memory& memory, int frames) const;

    View<const float, 1> mean_;
    std::vector<Segment> segments_;
    network::Packed packed_;
};

}  // namespace rigcast::baseline
