#pragma once
#include "rigcast/body/body_model.h"
#include "rigcast/body/matrix_storage.h"

namespace rigcast::body {

/// The storage "int8", with matrices in int8 and the others in 16 bits, so that the vertices of `poses` (T, C) are
/// on average at most `max_error` from those of the model in float32. As many bytes as this method finds; none if 16
/// bits alone are beyond the bound.
///
/// Method: matrices are taken by ascending price, the squared distance that each alone makes per byte
/// that it saves. Bisection finds how many of them, by evaluating the model with these. The result is one that was
/// evaluated, so the bound holds on these poses. Deterministic. Cost: some ten evaluations of the poses.
MatrixStorage choose_int8(const BodyModel& model, View<const float, 2> poses, double max_error);

}  // namespace rigcast::body
