#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/differential/reconstructor.h"

namespace rigcast::differential {

/// Basis and solve in one affine map: for delta = U z + mu, the solution of a Reconstructor is
///   d = B z + M a + m,   B = N^-1 L^T U,   M = N^-1 S^T W^2,   m = N^-1 L^T mu,
/// where M is shared by x, y and z and its rows sum to 1. Computed in float64, rounded once.
struct Folded {
    std::vector<float> basis;     // (3 V, R) B, rows x0 y0 z0 x1 ...
    std::vector<float> anchor;    // (V, A) M
    std::vector<float> constant;  // (3 V) m
};

/// Folds U (3 V, R) and mu (3 V). Throws ArgumentError if shapes differ or a value is not finite.
Folded fold(const Reconstructor& reconstructor, View<const float, 2> basis, View<const float, 1> mean, int threads);

}  // namespace rigcast::differential
