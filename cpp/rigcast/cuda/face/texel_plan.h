#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/cuda/face/texel_product.h"
#include "rigcast/network/convolution.h"
#include "rigcast/network/texel_runs.h"

namespace rigcast::cuda {

/// The needed texels of a map, in the order in which they lie side by side on the device.
class TexelPlaces {
public:
    struct Texel {
        int row;
        int column;
    };

    /// Row by row.
    explicit TexelPlaces(const network::TexelMask& needed);
    /// Those of even rows and columns first, then by the parities of row and column: as TexelGroup after an upsampling.
    static TexelPlaces by_parity(const network::TexelMask& needed);

    /// The place of a texel, -1 if it is not needed or outside of the map.
    std::int32_t operator()(int row, int column) const;
    std::int32_t count() const { return static_cast<std::int32_t>(texels_.size()); }
    const std::vector<Texel>& texels() const { return texels_; }

private:
    explicit TexelPlaces(int resolution);
    void add(int row, int column);

    int resolution_;
    std::vector<Texel> texels_;
    std::vector<std::int32_t> place_;  // (R, R)
};

/// A map on the device: its texels, and the column of the first one.
struct DeviceMap {
    const TexelPlaces& places;
    std::int64_t column;
};

/// One convolution layer of all segments in the layout of TexelProduct, on the host.
struct TexelPlan {
    /// Adds a segment's layer. `to` is by parity if the layer upsamples.
    void add(const network::Convolution& layer, const network::Packed& packed, const DeviceMap& from,
             const DeviceMap& to, std::int32_t refinement);

    std::vector<TexelGroup> groups;
    std::vector<TexelTile> tiles;
    std::vector<std::int32_t> sources;
    std::vector<float> weights;
    std::vector<float> biases;

private:
    void add_group(const network::Convolution& layer, const network::Packed& packed, int row_parity, int column_parity,
                   const TexelGroup& group);
};

}  // namespace rigcast::cuda
