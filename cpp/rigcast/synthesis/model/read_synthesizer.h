#pragma once
#include <memory>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/synthesis/model/synthesizer.h"

namespace rigcast::synthesis {

/// The synthesizer of a file of kind `synthesis`, version 1 (docs/reference/file_formats.md). With N controls, J
/// joints, R features, and per label n training frames, D dimensions, P components, M inducing points, S clips:
///
///     limits (N, 2), mean (N), effects (N, R), rotations (J, 3) int32, mean_rotations (J, 3, 3)
///     space.000.: points (n, D), values (n, P), inducing (M, D) or none, frames (n, N), basis (P, N), center (N),
///                 segments (S, 2) int32
///     bridge.000.: from (K, D), to (K, D'), distance (K)
///
/// Entries that only describe (origins, held-out figures, weights) are not read. Throws ArgumentError, which names the
/// tensor or entry that is missing, of another shape, not finite or out of range, and NumericalError if the covariance
/// of a space cannot be factorized. Every size is checked before memory is taken for it: at most 4,000 points of an
/// exact process, 2,000 inducing points, 2^27 covariances, 16 dimensions.
std::shared_ptr<const Synthesizer> read_synthesizer(const TensorFile& file, int threads);

}  // namespace rigcast::synthesis
