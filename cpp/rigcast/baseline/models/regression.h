#pragma once
#include <memory>

#include "rigcast/baseline/models/feature_map.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::baseline {

/// Regression on a basis of shapes: v = U y(x) + m, where y are the R coefficients that FeatureMap regresses from the
/// pose. Principal components with linear or quadratic regression are of this kind, and key point subspaces whose key
/// points are regressed.
///
/// Tensors: those of FeatureMap, basis F32[3 V, R] (rows x0 y0 z0 x1 ...) and mean F32[3 V].
class Regression final : public rig::Deformer {
public:
    /// Throws ArgumentError if a tensor is missing or sizes do not fit.
    explicit Regression(std::shared_ptr<const TensorFile> tensors);

private:
    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    std::shared_ptr<rig::Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;

    FeatureMap map_;
    network::Packed packed_;
    network::Dense basis_;
};

}  // namespace rigcast::baseline
