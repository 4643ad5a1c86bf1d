#pragma once
#include <cstdint>
#include <vector>

namespace rigcast::network {

/// Neighboring texels of a row: columns begin to end - 1.
struct TexelRun {
    std::int32_t row = 0;
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

/// A set of texels of an R x R map.
class TexelMask {
public:
    explicit TexelMask(int resolution) : resolution_(resolution), is_set_(std::int64_t{resolution} * resolution) {}

    int resolution() const { return resolution_; }
    bool operator()(int row, int column) const { return is_set_[index(row, column)]; }
    void set(int row, int column) { is_set_[index(row, column)] = true; }
    std::int64_t count() const;

    /// The texels that a 3 x 3 convolution reads for the texels of this set.
    TexelMask needed_by_convolution() const;
    /// The texels of the map of half the resolution that a 3 x 3 convolution after an upsampling reads for the texels
    /// of this set.
    TexelMask needed_by_upsampling() const;
    /// This set with each texel's neighbor, so that runs begin and end at even columns. R must be even.
    TexelMask with_pairs() const;
    /// This set with the gaps between texels of a row that have at most `longest` columns: a longer run costs less
    /// than two.
    TexelMask without_gaps(int longest) const;
    /// The runs of all rows, row by row.
    std::vector<TexelRun> runs() const;

private:
    std::int64_t index(int row, int column) const { return std::int64_t{row} * resolution_ + column; }

    int resolution_;
    std::vector<bool> is_set_;
};

}  // namespace rigcast::network
