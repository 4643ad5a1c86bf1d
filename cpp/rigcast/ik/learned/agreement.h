#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::ik {

/// What regions propose, and the parameters that follow; see FaceIk. Views of a file's tensors, which outlive it.
struct Proposers {
    View<const float, 1> rest;                       // (N)
    View<const float, 2> bounds;                     // (N, 2)
    std::vector<std::vector<std::int32_t>> regions;  // parameters of each region

    /// Numbers that all regions propose together.
    std::int64_t num_proposals() const {
        std::int64_t count = 0;
        for (const auto& region : regions) count += static_cast<std::int64_t>(region.size());
        return count;
    }
};

/// How regions agree on the parameters that they share. Immutable and thread-safe.
class Agreement {
public:
    virtual ~Agreement() = default;

    /// Writes the parameters (T, N), inside their bounds, of offsets from rest (T, S) that the regions propose, one
    /// region after another.
    virtual void settle(View<const float, 2> proposals, View<float, 2> parameters) const = 0;
};

/// Averages of what the regions propose for a parameter (Bailey 2020, section 4.3), clamped to the bounds.
std::unique_ptr<const Agreement> average(const Proposers& proposers);

/// The parameters p that least change what the regions' own proposals p^r do to the regions' control points,
///
///     minimize sum_r |J_r S (z - z^r)|^2 + ridge |z - average z|^2,   p = rest + S z inside the bounds,
///
/// with z^r from proposals clamped to the bounds, S = diag(scale), and S J_r^T J_r S = region.NNN.gram, the mean over
/// the training rows. So a region whose points a parameter hardly moves has hardly a say in it. The ridge is 1e-4 of
/// the largest diagonal entry of the sum: it decides what no region sees. Method: sweeps of coordinate descent inside
/// the bounds, from the average, find most bounds that hold; optimize::BoxQuadratic finishes. Cost: O(N^2) per sweep,
/// and per bound that is reached or left after them. Throws ArgumentError if a tensor region.NNN.gram or
/// parameters.scale is missing, of another shape, not finite, or a scale is not positive.
std::unique_ptr<const Agreement> joint_solve(const Proposers& proposers, const TensorFile& tensors);

}  // namespace rigcast::ik
