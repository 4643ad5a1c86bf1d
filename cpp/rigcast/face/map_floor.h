#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/linalg/band_factorization.h"

namespace rigcast::face {

/// Where a vertex samples a map of R x R texels bilinearly: texels first, first + 1, first + R, first + R + 1.
/// Texel (i, j), column and row, has the index j R + i and its center at uv (i, j) / (R - 1).
struct TexelSample {
    std::int64_t first = 0;
    double weights[4] = {};  // of these texels, sum 1
};

/// The sample at uv in the unit square; outside it, at the nearest point of the square.
TexelSample texel_sample(double u, double v, std::int64_t resolution);

/// The best that any deformation map of R x R texels can do at given texture coordinates: the map that minimizes
/// sum_v |w_v sample(map, uv_v) - d_v|^2 (dissertation of Bailey 2020, equation 3.2, with least squares in place of
/// interpolation, so that no map has a smaller sum). The weights w_v are 1 but in refinement segments.
///
/// Texels that no vertex samples are 0. Same bytes with every instruction set and number of threads.
class MapFloor {
public:
    static constexpr std::int64_t smallest_resolution = 2;
    static constexpr std::int64_t largest_resolution = 256;

    /// uvs (V, 2), weights (V), or none for 1. Throws ArgumentError if `resolution` is out of bounds, V is 0, or a
    /// number is not finite.
    MapFloor(View<const double, 2> uvs, std::int64_t resolution, View<const float, 1> weights = {});

    /// Distances (T, V) between offsets (T, V, 3) and what the best map of each frame samples, in the offsets' unit.
    void distances(View<const float, 3> offsets, View<double, 2> distances, int threads) const;
    /// The offsets that the best map of each frame leaves: residuals (T, V, 3).
    void residuals(View<const float, 3> offsets, View<float, 3> residuals, int threads) const;

    std::int64_t num_vertices() const { return static_cast<std::int64_t>(samples_.size()); }

private:
    /// Calls visit(t, v, offset left) for all vertices of frames.
    template <class Visit>
    void solve(View<const float, 3> offsets, std::int64_t begin, std::int64_t end, Visit&& visit) const;

    std::int64_t resolution_;
    std::vector<TexelSample> samples_;  // (V), times the vertex's weight
    linalg::BandFactorization normal_;  // S^T S with a small ridge
};

/// The frames of offsets (T, V, 3) that differ most: each is the one that is farthest from the span of those before it
/// (pivoted Gram-Schmidt), the first one the largest. Stops when what is left of every frame is below 1 % of the
/// largest. Returns at most `count` frames, in this order.
/// Guarantee: the same frames with every instruction set and number of threads.
/// Throws ArgumentError if `count` is below 1 or offsets are not finite.
std::vector<std::int64_t> distinct_frames(View<const float, 3> offsets, std::int64_t count, int threads);

}  // namespace rigcast::face
