#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/ik/learned/agreement.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::ik {

/// Learned inverse kinematics of a face (Bailey 2020, chapter 4): M control points to N rig parameters. Each region has
/// a network of its points,
///
///     parameters = rest + W3 leaky(W2 leaky(W1 (points - rest points) + b1) + b2) + b3,
///
/// regions agree on parameters that they share (Agreement), and all end inside their bounds. Parameters that no region
/// has are at rest.
///
/// A file of kind "face_ik" has the tensors points.vertex I32[M], points.rest F32[M, 3], parameters.rest F32[N],
/// parameters.bounds F32[N, 2]; per region regions.point I32[...] and regions.parameter I32[...], with the begins
/// regions.point_offset and regions.parameter_offset I32[R + 1]; and region.NNN.layer1.weight ... layer3.bias. Its
/// metadata have "dimensions", 3 or 2: points are (x, y, z) or (x, y), seen along z; and "agreement", "average" (also
/// if it is missing) or "joint", which has further tensors (joint_solve). Other tensors are not read. Immutable and
/// thread-safe.
class FaceIk {
public:
    /// Throws ArgumentError if the file is of another kind, an entry is missing or of another shape, an index is out of
    /// range, or a number is not finite.
    explicit FaceIk(std::shared_ptr<const TensorFile> tensors);

    const TensorFile& tensors() const { return *tensors_; }
    std::int64_t num_points() const { return rest_points_.extent(0); }
    std::int64_t num_parameters() const { return rest_.extent(0); }
    std::int64_t num_regions() const { return static_cast<std::int64_t>(regions_.size()); }
    int dimensions() const { return dimensions_; }

    /// Writes the parameters (T, N) of points (T, M, dimensions). Guarantee: the same bytes for any number of threads.
    /// Throws ArgumentError if a shape is wrong or a number is not finite.
    void solve(View<const float, 3> points, View<float, 2> parameters, int threads) const;

private:
    struct Region {
        std::vector<std::int32_t> points;
        network::Dense layers[3];
    };

    void add_region(std::int64_t index, View<const std::int32_t, 1> points, View<const std::int32_t, 1> parameters);
    void solve_frames(View<const float, 3> points, std::int64_t first, std::int64_t count,
                      View<float, 2> parameters) const;

    std::shared_ptr<const TensorFile> tensors_;
    View<const float, 2> rest_points_;
    View<const float, 1> rest_;
    View<const float, 2> bounds_;
    int dimensions_ = 3;
    network::Packed packed_;
    std::vector<Region> regions_;
    Proposers proposers_;
    std::unique_ptr<const Agreement> agreement_;
    std::int64_t width_ = 0;  // floats of a row of any layer
};

}  // namespace rigcast::ik
