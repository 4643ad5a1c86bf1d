#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rigcast/core/parallel.h"
#include "rigcast/inverse/projection/projection.h"

namespace rigcast::inverse {
namespace {

// Vertices of a set that its direction is found from. More do not make better tiles: packed columns of a face of 26,719
// vertices and 287 columns are 1 % larger than with all vertices and two steps of the power method.
constexpr std::int64_t vertices_per_sample = 32;
// Vertices from which on a table of bytes is worth filling.
constexpr std::int64_t least_for_table = 64;

// Sets that are bisected on their own, each by one thread.
constexpr std::int64_t sets_at_once = 8;

using Iterator = std::vector<std::int32_t>::iterator;

/// Vertices that are bisected together.
struct Set {
    Iterator begin;
    Iterator end;
};

/// Bisects sets of vertices, one after another; has the working memory for that.
class SpectralBisection {
public:
    /// `score` (M) is shared by bisections of different vertices.
    SpectralBisection(const Supports& supports, std::int64_t vertices_per_tile, float* score)
        : supports_(supports),
          vertices_per_tile_(vertices_per_tile),
          score_(score),
          direction_(supports.num_columns()),
          table_(8 * 256 * supports.num_words()) {}

    /// Puts the vertices of a set into two halves of whole tiles, and returns where the second one begins: at the end
    /// for one tile.
    Iterator halve(Set set) {
        const std::int64_t tiles = (set.end - set.begin + vertices_per_tile_ - 1) / vertices_per_tile_;
        if (tiles < 2 || direction_.empty()) return set.end;
        score(set.begin, set.end);
        const Iterator middle = set.begin + tiles / 2 * vertices_per_tile_;
        std::nth_element(set.begin, middle, set.end, [&](std::int32_t a, std::int32_t b) {
            return score_[a] != score_[b] ? score_[a] < score_[b] : a < b;
        });
        return middle;
    }

    /// Halves a set down to single tiles.
    void order(Set set) {
        const Iterator middle = halve(set);
        if (middle == set.end) return;
        order({set.begin, middle});
        order({middle, set.end});
    }

private:
    /// Scores the vertices of a set: with the rows of bits S (count, N) of some of its vertices and their mean s, one
    /// step direction = (S - s)^T bits of the power method from the bits of one column, then all scores are S
    /// direction. They differ from the projections on the direction by a constant, which does not change the halves.
    void score(Iterator begin, Iterator end) {
        const std::int64_t step = (end - begin + vertices_per_sample - 1) / vertices_per_sample;
        sample_.clear();
        for (std::int64_t i = 0; i < end - begin; i += step) sample_.push_back(begin[i]);
        find_direction();
        if (end - begin < least_for_table) {
            for (Iterator v = begin; v != end; ++v) {
                float& score = score_[*v] = 0.0f;
                supports_.for_columns(*v, [&](std::int64_t n) { score += direction_[n]; });
            }
        } else {
            fill_table();
            for (Iterator v = begin; v != end; ++v) score_[*v] = sum_of_bytes(*v);
        }
    }

    /// From the bits of the column that is nearest to moving half of the sample.
    void find_direction() {
        const auto count = static_cast<float>(sample_.size());
        std::fill(direction_.begin(), direction_.end(), 0.0f);
        for (const std::int32_t v : sample_) {
            supports_.for_columns(v, [&](std::int64_t n) { direction_[n] += 1.0f; });
        }
        const auto is_more_even = [&](float a, float b) {
            return std::abs(2.0f * a - count) < std::abs(2.0f * b - count);
        };
        const auto first = std::min_element(direction_.begin(), direction_.end(), is_more_even);
        const std::int64_t column = first - direction_.begin();
        const float mean = *first / count;
        std::fill(direction_.begin(), direction_.end(), 0.0f);
        for (const std::int32_t v : sample_) {
            const float bit = (supports_.has(column, v) ? 1.0f : 0.0f) - mean;
            supports_.for_columns(v, [&](std::int64_t n) { direction_[n] += bit; });
        }
    }

    /// The sums of the direction over the set bits of every byte, for each byte of a row.
    void fill_table() {
        const std::int64_t columns = std::ssize(direction_);
        for (std::int64_t first = 0; first < columns; first += 8) {
            float* sums = table_.data() + first / 8 * 256;
            sums[0] = 0.0f;
            for (std::int64_t bit = 0; bit < 8; ++bit) {
                const float value = first + bit < columns ? direction_[first + bit] : 0.0f;
                const std::int64_t known = std::int64_t{1} << bit;
                for (std::int64_t byte = 0; byte < known; ++byte) sums[known + byte] = sums[byte] + value;
            }
        }
    }

    float sum_of_bytes(std::int32_t vertex) const {
        float even = 0.0f;  // two sums, so that an addition need not wait for the one before
        float odd = 0.0f;
        const float* sums = table_.data();
        for (const std::uint64_t word : supports_.words(vertex)) {
            for (int shift = 0; shift < 64; shift += 16, sums += 512) {
                even += sums[word >> shift & 255];
                odd += sums[256 + (word >> (shift + 8) & 255)];
            }
        }
        return even + odd;
    }

    const Supports& supports_;
    std::int64_t vertices_per_tile_;
    std::vector<std::int32_t> order_;
    float* score_;                  // (M)
    std::vector<float> direction_;  // (N)
    std::vector<float> table_;      // (bytes of a row, 256)
    std::vector<std::int32_t> sample_;
};

}  // namespace

std::vector<std::int32_t> order_by_supports(const Supports& supports, std::int64_t per_tile, int threads) {
    std::vector<std::int32_t> order(supports.num_vertices());
    std::vector<float> score(order.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Set> sets{{order.begin(), order.end()}};
    while (std::ssize(sets) < sets_at_once) {
        std::vector<Set> halves(2 * sets.size());
        parallel_for(std::ssize(sets), 1, threads, [&](std::int64_t i, std::int64_t) {
            const Iterator middle = SpectralBisection(supports, per_tile, score.data()).halve(sets[i]);
            halves[2 * i] = {sets[i].begin, middle};
            halves[2 * i + 1] = {middle, sets[i].end};
        });
        sets = std::move(halves);
    }
    parallel_for(std::ssize(sets), 1, threads, [&](std::int64_t i, std::int64_t) {
        SpectralBisection(supports, per_tile, score.data()).order(sets[i]);
    });
    for (std::int64_t first = 0; first < std::ssize(order); first += per_tile) {
        const std::int64_t last = std::min<std::int64_t>(first + per_tile, std::ssize(order));
        std::sort(order.begin() + first, order.begin() + last);
    }
    return order;
}

}  // namespace rigcast::inverse
