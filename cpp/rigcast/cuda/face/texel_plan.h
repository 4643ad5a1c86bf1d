#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/face/texel_product.h"
#include "rigcast/network/convolution.h"
#include "rigcast/network/texel_runs.h"

namespace rigcast::cuda {

/// The needed texels of a map, row by row, as they lie side by side on the device.
class TexelPlaces {
public:
    explicit TexelPlaces(const network::TexelMask& needed);

    /// The place of a texel, -1 if it is not needed or outside of the map.
    std::int32_t operator()(int row, int column) const;
    std::int32_t count() const { return count_; }
    int resolution() const { return resolution_; }

private:
    int resolution_;
    std::int32_t count_ = 0;
    std::vector<std::int32_t> place_;  // (R, R)
};

/// A map on the device: its texels, and the column of the first one.
struct DeviceMap {
    const TexelPlaces& places;
    std::int64_t column;
};

/// One convolution layer of all segments in the layout of TexelProduct, on the host.
struct TexelPlan {
    /// Adds a segment's layer.
    void add(const network::Convolution& layer, const network::Packed& packed, const DeviceMap& from,
             const DeviceMap& to, std::int32_t refinement);

    std::vector<TexelGroup> groups;
    std::vector<TexelTile> tiles;
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> targets;
    std::vector<FloatRowTile> weights;
    std::vector<float> biases;

private:
    std::int32_t add_cells(const TexelPlaces& from, const TexelPlaces& to, bool upsamples);
    void add_weights(const network::Convolution& layer, const network::Packed& packed, const TexelGroup& group,
                     std::int32_t first_output);
};

}  // namespace rigcast::cuda
