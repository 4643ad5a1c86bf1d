#pragma once
#include <memory>

#include "rigcast/baseline/models/feature_map.h"
#include "rigcast/baseline/models/forward_only.h"

namespace rigcast::baseline {

/// Regression on a basis of shapes: v = U y(x) + m, where y are the R coefficients that FeatureMap regresses from the
/// pose. Principal components with linear or quadratic regression are of this kind, and key point subspaces whose key
/// points are regressed.
///
/// Tensors: those of FeatureMap, basis F32[3 V, R] (rows x0 y0 z0 x1 ...) and mean F32[3 V].
class Regression final : public ForwardOnly {
public:
    /// Throws ArgumentError if a tensor is missing or sizes do not fit.
    explicit Regression(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;

    FeatureMap map_;
    network::Packed packed_;
    network::Dense basis_;
};

}  // namespace rigcast::baseline
