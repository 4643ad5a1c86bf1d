#pragma once
#include <cstdint>
#include <string>

#include "rigcast/differential/affine_tail.h"
#include "rigcast/differential/reconstructor.h"

namespace rigcast::differential {

/// The solutions of a Reconstructor for delta = U z + mu, as one dense product per frame (see Folded).
/// Immutable and thread-safe. Guarantee: the bytes of a frame depend neither on threads nor on other frames.
class FoldedReconstructor {
public:
    /// `storage` is "float32" or "16-bit": float16 or bfloat16, whichever has the smaller error for the matrix;
    /// products are in float32. Throws ArgumentError if shapes differ, a value is not finite or the storage is unknown.
    FoldedReconstructor(const Reconstructor& reconstructor, View<const float, 2> basis, View<const float, 1> mean,
                        const std::string& storage, int threads);

    /// Writes the displacements (T, V, 3) of coefficients z (T, R) and anchor positions (T, A, 3). Throws ArgumentError
    /// if shapes differ, or a value is not finite or so large that the result overflows float32.
    void solve(View<const float, 2> coefficients, View<const float, 3> anchor_positions, View<float, 3> displacements,
               int threads) const;

    const AffineTail& tail() const { return tail_; }
    /// Bytes that a solve reads.
    std::int64_t num_bytes() const { return static_cast<std::int64_t>(packed_.num_bytes()); }

private:
    Packed packed_;
    AffineTail tail_;
};

/// Evaluates a tail: tiles in parallel for a single frame, batches of frames in parallel otherwise.
void evaluate_tail(const AffineTail& tail, const Packed& packed, Rows<const float> coefficients,
                   Rows<const float> anchors, Rows<float> points, std::int64_t frames, int threads);

}  // namespace rigcast::differential
