#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/synthesis/model/controls.h"

namespace rigcast::synthesis {

/// The share of the second stretch in frame i, from 0 to count - 1, of a blend: from near 0 to near 1 (Kovar et al.
/// 2002).
double smooth_share(std::int64_t i, std::int64_t count);

/// Controls (N) between two: R_1 exp(share log(R_1^T R_2)) for joints (slerp), linear for all others.
void blend(const Controls& controls, const double* first, const double* second, double share, double* out);
/// What turns the second controls (N) into the first: rotation vectors, in radians, in the columns of joints.
template <class T>
void difference(const Controls& controls, const T* first, const T* second, double* out);
/// Controls (N) with a difference added, the inverse of difference().
void shift(const Controls& controls, const double* base, const double* offset, double* out);

/// A difference that decays to nothing over some frames (inertialization, Bollo 2018): the quintic that has the
/// difference and its rate of change at `begin` and is at rest at 0 after `frames`.
struct Decay {
    std::int64_t begin = 0;      // the frame at which the difference is whole: the last one before the jump
    std::vector<double> offset;  // (N)
    std::vector<double> rate;    // (N) its change per frame
    std::int64_t frames = 1;

    /// Writes the difference (N) at a frame.
    void at(std::int64_t frame, double* out) const;
    /// Of the jump from rows `before` (2, N), the last shown, to `after` (2, N), at `begin` and one later.
    static Decay across(const Controls& controls, std::int64_t begin, const float* before, const float* after,
                        std::int64_t frames);
};

}  // namespace rigcast::synthesis
