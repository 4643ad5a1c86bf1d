#include "rigwright/inverse/projection/support_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigwright::inverse {
namespace {

/// One recursive bisection.
class SpectralBisection {
public:
    SpectralBisection(const Supports& supports, std::int64_t vertices_per_tile)
        : supports_(supports),
          vertices_per_tile_(vertices_per_tile),
          order_(supports.num_vertices()),
          score_(supports.num_vertices()),
          direction_(supports.num_columns()) {
        std::iota(order_.begin(), order_.end(), 0);
        halve(order_.begin(), order_.end());
        for (std::int64_t first = 0; first < std::ssize(order_); first += vertices_per_tile) {
            const std::int64_t last = std::min<std::int64_t>(first + vertices_per_tile, std::ssize(order_));
            std::sort(order_.begin() + first, order_.begin() + last);
        }
    }

    std::vector<std::int32_t> order() && { return std::move(order_); }

private:
    using Iterator = std::vector<std::int32_t>::iterator;

    void halve(Iterator begin, Iterator end) {
        const std::int64_t tiles = (end - begin + vertices_per_tile_ - 1) / vertices_per_tile_;
        if (tiles < 2 || direction_.empty()) return;
        score(begin, end);
        const Iterator middle = begin + tiles / 2 * vertices_per_tile_;
        std::nth_element(begin, middle, end, [&](std::int32_t a, std::int32_t b) {
            return score_[a] != score_[b] ? score_[a] < score_[b] : a < b;
        });
        halve(begin, middle);
        halve(middle, end);
    }

    /// Scores the vertices of a set: with the rows of bits S (count, N) and their mean s, two steps
    /// direction <- (S - s)^T score, score <- S direction of the power method. Scores differ from the projections on
    /// the principal direction by a constant, which the next step subtracts and which does not change the halves.
    void score(Iterator begin, Iterator end) {
        // Chosen, not tuned: a bisection needs the sign of a score, not a converged eigenvector.
        constexpr int power_steps = 2;
        double mean = start_at_most_even_column(begin, end);
        for (int step = 0; step < power_steps; ++step) {
            find_direction(begin, end, mean);
            mean = project(begin, end);
        }
    }

    /// The bits of the column that is nearest to moving half of the set become the scores. Returns their mean.
    double start_at_most_even_column(Iterator begin, Iterator end) {
        const double count = static_cast<double>(end - begin);
        std::vector<double> share(direction_.size(), 0.0);
        for (Iterator v = begin; v != end; ++v) {
            supports_.for_columns(*v, [&](std::int64_t n) { share[n] += 1.0 / count; });
        }
        const auto is_more_even = [](double a, double b) { return std::abs(a - 0.5) < std::abs(b - 0.5); };
        const std::int64_t first = std::min_element(share.begin(), share.end(), is_more_even) - share.begin();
        for (Iterator v = begin; v != end; ++v) {
            score_[*v] = 0.0;
            supports_.for_columns(*v, [&](std::int64_t n) { score_[*v] += n == first ? 1.0 : 0.0; });
        }
        return share[first];
    }

    void find_direction(Iterator begin, Iterator end, double mean) {
        std::fill(direction_.begin(), direction_.end(), 0.0);
        for (Iterator v = begin; v != end; ++v) {
            supports_.for_columns(*v, [&](std::int64_t n) { direction_[n] += score_[*v] - mean; });
        }
    }

    /// Scores are scaled by the largest entry of the direction. Returns their mean.
    double project(Iterator begin, Iterator end) {
        double largest = 0.0;
        double sum = 0.0;
        for (const double entry : direction_) largest = std::max(largest, std::abs(entry));
        for (Iterator v = begin; v != end; ++v) {
            double& score = score_[*v] = 0.0;
            supports_.for_columns(*v, [&](std::int64_t n) { score += direction_[n]; });
            score = largest > 0.0 ? score / largest : 0.0;
            sum += score;
        }
        return sum / static_cast<double>(end - begin);
    }

    const Supports& supports_;
    std::int64_t vertices_per_tile_;
    std::vector<std::int32_t> order_;
    std::vector<double> score_;      // (M)
    std::vector<double> direction_;  // (N)
};

}  // namespace

std::vector<std::int32_t> order_by_supports(const Supports& supports, std::int64_t vertices_per_tile) {
    return SpectralBisection(supports, vertices_per_tile).order();
}

}  // namespace rigwright::inverse
