#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace rigwright::optimize {

/// D^T D for second differences D over the inner frames of a shot: entries (t, t + distance), distance 0, 1, 2.
class Bending {
public:
    explicit Bending(std::int64_t frames) : entries_(3 * frames) {
        constexpr double stencil[3] = {1.0, -2.0, 1.0};
        for (std::int64_t t = 0; t < frames; ++t) {
            for (int distance = 0; distance < 3; ++distance) {
                for (std::int64_t d = std::max<std::int64_t>(t + distance - 2, 0); d <= t && d + 2 < frames; ++d) {
                    entries_[3 * t + distance] += stencil[t - d] * stencil[t + distance - d];
                }
            }
        }
    }

    double operator()(std::int64_t t, int distance) const { return entries_[3 * t + distance]; }

private:
    std::vector<double> entries_;
};

}  // namespace rigwright::optimize
