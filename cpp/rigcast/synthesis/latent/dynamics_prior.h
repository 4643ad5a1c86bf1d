#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::synthesis {

/// Frames [begin, end) of one clip.
using Segment = std::pair<std::int64_t, std::int64_t>;

/// The dynamics prior of latent points: a Gaussian process over time on each segment, whose hyper-parameters are fixed
/// (Lawrence and Moore 2007; Bailey et al. 2016, equation 5.6),
///   log p(X) = sum over segments and dimensions of log N(x | 0, K_t),
///   K_t(s, t) = exp(-(s - t)^2 / (2 length^2)) + noise [s = t],   times in frames.
/// Immutable and thread-safe. Segments longer than `most_frames` are cut into equal pieces, which are independent.
class DynamicsPrior {
public:
    static constexpr std::int64_t most_frames = 1000;

    /// Throws ArgumentError if segments do not cover frames 0 to `frames` in order, or a number is not positive.
    DynamicsPrior(const std::vector<Segment>& segments, std::int64_t frames, double length, double noise, int threads);

    /// log p(points), for points (N, D). Adds its gradient to (N, D).
    double add(View<const double, 2> points, View<double, 2> gradient, int threads) const;

private:
    struct Precision {
        std::int64_t frames;
        std::int64_t stride;
        LineVector<double> rows;  // (frames, stride) K_t^-1, zero from column `frames` on
        double log_determinant;   // of K_t
    };
    struct Piece {
        Segment segment;
        std::shared_ptr<const Precision> precision;
    };
    static std::shared_ptr<const Precision> precision_of(std::int64_t frames, double length, double noise, int threads);

    std::vector<Piece> pieces_;
};

/// Throws ArgumentError, which names `function`, unless the segments cover frames 0 to `frames` in order without gaps.
void check_segments(const char* function, const std::vector<Segment>& segments, std::int64_t frames);

}  // namespace rigcast::synthesis
