#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/cuda/face/sample_kernels.h"
#include "rigcast/cuda/face/texel_plan.h"
#include "rigcast/cuda/products/product_plan.h"

namespace rigcast::rig {
class BaseShapes;
}

namespace rigcast::face {
class FaceMaps;
class RigidPart;
struct MapSegment;
}  // namespace rigcast::face

namespace rigcast::cuda {

/// The rigid parts of a face in the layout of Parts, on the host.
struct PartsPlan {
    std::int64_t followers = 0;  // F
    std::vector<std::int32_t> follower;
    std::vector<double> follower_arm;
    std::vector<std::int32_t> collinear;
    std::vector<std::int32_t> vertex;
    std::vector<std::int32_t> part;
    std::vector<double> arm;

    /// Adds a part; `rest` (N, 3) are the rest positions of all points.
    void add(const face::RigidPart& part, const std::vector<float>& rest);
};

/// A face on deformation maps (face::FaceMaps) as flat arrays for the device. All segments go through each layer
/// together: the dense layers as grouped products, each convolution in one launch (TexelProduct).
struct FaceMapsPlan {
    explicit FaceMapsPlan(const face::FaceMaps& model);

    std::int64_t num_controls;
    std::int64_t num_vertices;
    std::int64_t num_refinements;
    std::vector<std::int32_t> columns;            // (N) pose columns: the inputs of all segments, segment after segment
    std::vector<ProductPlan> dense;               // all but the last, each reads the one before
    ProductPlan base{network::Activation::none};  // the last dense layer: the needed texels of the base maps
    std::vector<TexelPlan> layers;                // the first reads `base`, the others `maps`; all write `maps`
    std::int64_t maps_width = 0;                  // floats of the needed texels of all maps but the base maps; 0 with a
                                                  // basis: base maps are sampled
    std::vector<float> rest;                      // (N, 3) of the points: see Points
    std::vector<std::int32_t> offset;             // (N + 1) into the entries, which ascend by segment
    std::vector<MapEntry> entries;
    std::vector<LastMap> last_maps;  // of the segments that have networks
    std::vector<float> last_weights;
    PartsPlan parts;
    std::shared_ptr<const rig::BaseShapes> shapes;  // null without a base

private:
    struct Member;

    void add_segment(const face::FaceMaps& model, const face::MapSegment& segment, std::vector<Member>& members);
    void add_last_map(const face::FaceMaps& model, const face::MapSegment& segment, std::int64_t column,
                      const TexelPlaces& places, std::vector<Member>& members);
    void list_entries(const std::vector<Member>& members);
};

}  // namespace rigcast::cuda
