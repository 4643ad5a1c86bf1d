#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

class Deformer;

/// A bound on the error of each vertex at a pose, calibrated on held-out poses to hold for 95 % of them.
/// Groups g of vertices share a small regression of the logarithm of the error on their columns x of the pose:
///   z = clamp((x - mean) scale, -4, 4),   c_g = A z + B z^2 + D tanh(H z + h) + d,
///   bound_v = scale_v exp(clamp(offset_v + loading_v . c_g, lowest_v, highest_v)).
/// Fitted by ridge regression with random features (Rahimi and Recht 2008), calibrated by split conformal prediction
/// (Papadopoulos et al. 2002). Outside the poses of the training the bound is not calibrated: see Confidence.
///
/// Tensors (G groups, N columns of all groups, K components, H hidden values): bound.offset I32[G + 1] into
/// bound.column I32[N], bound.mean F32[N] and bound.inverse F32[N]; bound.hidden.weight F32[N, H] (a row per column),
/// bound.hidden.bias F32[G, H]; bound.linear.weight and bound.square.weight F32[N, K], bound.output.weight
/// F32[G, H, K], bound.output.bias F32[G, K]; bound.vertex.group I32[V] (-1: the bound is scale_v at every pose),
/// bound.vertex.scale, .offset, .lowest and .highest F32[V], bound.vertex.loading F32[V, K].
class ErrorBound {
public:
    /// Views of the tensors, which must outlive it. Throws ArgumentError that names the tensor if one is missing, of
    /// another size, or holds an index out of range or a negative scale.
    ErrorBound(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_controls);
    /// Whether a file states a bound.
    static bool stated(const TensorFile& tensors) { return tensors.contains("bound.vertex.group"); }

    /// Writes the bounds (V) of a pose (C); `work` has the size of work_size().
    void operator()(const float* pose, double* work, float* bounds) const;
    std::size_t work_size() const;

private:
    void coefficients(std::int64_t group, const float* pose, double* work, double* result) const;

    View<const std::int32_t, 1> offset_;
    View<const std::int32_t, 1> column_;
    View<const float, 1> mean_, inverse_;
    View<const float, 2> hidden_weight_, hidden_bias_;
    View<const float, 2> linear_, square_, output_bias_;
    View<const float, 3> output_weight_;
    View<const std::int32_t, 1> group_;
    View<const float, 1> scale_, vertex_offset_, lowest_, highest_;
    View<const float, 2> loading_;
};

/// Writes the bounds (T, V) of poses (T, C), in the unit of the model. Results do not depend on the number of threads.
/// Throws ArgumentError if a shape is wrong, the model refuses a pose, or its file states no bound.
void error_bound(const Deformer& model, View<const float, 2> poses, View<float, 2> bounds, int threads);

}  // namespace rigcast::rig
