#pragma once
#include <cstddef>
#include <cstdint>

#include "rigcast/network/convolution.h"
#include "rigcast/network/packed.h"

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

}  // namespace rigcast::face
