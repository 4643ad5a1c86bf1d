#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/network/dense.h"
#include "rigcast/network/packed.h"

namespace rigcast::baseline {

/// R numbers regressed from a pose x (C):
///   y = W f(z) + b,   z = P (x_S - m),
/// where S are M of the pose columns and f(z) is z (linear features) or z followed by the products z_i z_j, i <= j, row
/// by row (quadratic features).
///
/// Tensors: map.column I32[M], map.mean F32[M], map.project F32[D, M], map.weight F32[R, F], map.bias F32[R], with
/// F = D for linear and F = D + D (D + 1) / 2 for quadratic features.
class FeatureMap {
public:
    /// Throws ArgumentError if a tensor is missing, sizes do not fit, or a column is not below `num_controls`.
    FeatureMap(const TensorFile& tensors, std::int64_t num_controls);

    /// R, and the floats of a row of them that evaluate writes.
    int outputs() const { return weight_.outputs; }
    int padded_outputs() const { return weight_.padded(); }
    /// Floats of working memory that evaluate needs, aligned to a cache line.
    std::size_t memory_size() const;

    /// Writes y (padded_outputs()), aligned to a cache line.
    void evaluate(const float* pose, float* memory, float* y) const;

private:
    struct Memory;

    bool is_quadratic() const { return weight_.inputs > project_.outputs; }
    void expand(const float* z, float* features) const;

    std::vector<std::int32_t> column_;
    std::vector<float> mean_;
    network::Packed packed_;
    network::Dense project_;
    network::Dense weight_;
};

}  // namespace rigcast::baseline
