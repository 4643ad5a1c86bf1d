#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace rigcast::optimize {

/// The symmetric band matrix D^T D (T, T) of the second differences (D x)_t = x_{t-1} - 2 x_t + x_{t+1} over the inner
/// frames of a shot: half the Hessian of one variable's temporal term with bending 1.
class Bending {
public:
    explicit Bending(std::int64_t num_frames) : entries_(entries_per_frame * num_frames) {
        constexpr double stencil[entries_per_frame] = {1.0, -2.0, 1.0};
        for (std::int64_t t = 0; t < num_frames; ++t) {
            for (int distance = 0; distance < entries_per_frame; ++distance) {
                // the differences d, over frames d ... d + 2, that contain both t and t + distance
                for (std::int64_t d = std::max<std::int64_t>(t + distance - 2, 0); d <= t && d + 2 < num_frames; ++d) {
                    entries_[entries_per_frame * t + distance] += stencil[t - d] * stencil[t + distance - d];
                }
            }
        }
    }

    /// Entry (t, t + distance) for a distance of 0, 1 or 2.
    double operator()(std::int64_t t, int distance) const { return entries_[entries_per_frame * t + distance]; }

private:
    static constexpr int entries_per_frame = 3;

    std::vector<double> entries_;
};

}  // namespace rigcast::optimize
