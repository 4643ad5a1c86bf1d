#include "rigcast/network/texel_runs.h"

#include <algorithm>

namespace rigcast::network {

std::int64_t TexelMask::count() const {
    return std::count(is_set_.begin(), is_set_.end(), true);
}

TexelMask TexelMask::needed_by_convolution() const {
    TexelMask needed(resolution_);
    for (const TexelRun& run : runs()) {
        for (int row = std::max(run.row - 1, 0); row <= std::min(run.row + 1, resolution_ - 1); ++row) {
            for (int k = std::max(run.begin - 1, 0); k < std::min(run.end + 1, resolution_); ++k) needed.set(row, k);
        }
    }
    return needed;
}

TexelMask TexelMask::needed_by_upsampling() const {
    TexelMask needed(resolution_ / 2);
    const TexelMask upsampled = needed_by_convolution();
    for (const TexelRun& run : upsampled.runs()) {
        for (int k = run.begin; k < run.end; ++k) needed.set(run.row / 2, k / 2);
    }
    return needed;
}

TexelMask TexelMask::with_pairs() const {
    TexelMask pairs(resolution_);
    for (const TexelRun& run : runs()) {
        for (int k = run.begin / 2 * 2; k < (run.end + 1) / 2 * 2; ++k) pairs.set(run.row, k);
    }
    return pairs;
}

TexelMask TexelMask::without_gaps(int longest) const {
    TexelMask filled = *this;
    const std::vector<TexelRun> all = runs();
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].row != all[i - 1].row || all[i].begin - all[i - 1].end > longest) continue;
        for (int k = all[i - 1].end; k < all[i].begin; ++k) filled.set(all[i].row, k);
    }
    return filled;
}

std::vector<TexelRun> TexelMask::runs() const {
    std::vector<TexelRun> found;
    for (int row = 0; row < resolution_; ++row) {
        for (int k = 0; k < resolution_; ++k) {
            if (!(*this)(row, k)) continue;
            if (found.empty() || found.back().row != row || found.back().end != k) found.push_back({row, k, k});
            ++found.back().end;
        }
    }
    return found;
}

}  // namespace rigcast::network
