#include "rigwright/linalg/sparse/supernodes.h"

#include <algorithm>

namespace rigwright::linalg {
namespace {

constexpr std::int64_t widest = 64;  // columns; a panel's rows of right-hand sides stay in the first cache
constexpr std::int64_t always = 16;  // zeros that are accepted at any size
constexpr std::int64_t one_in = 5;   // of a panel's entries may be zeros

/// The end of the panel that starts at column `first`. The next column can join where it is the first row below: then
/// its own rows contain all others below (a column's rows below its first are rows of that column too).
std::int32_t end_of_panel(const SparseMatrix& lower, std::int32_t first) {
    const auto entries = [&](std::int32_t c) { return static_cast<std::int64_t>(lower.start[c + 1] - lower.start[c]); };
    std::int64_t filled = entries(first);
    std::int32_t end = first + 1;
    for (; end < lower.size && end - first < widest; ++end) {
        const std::int32_t last = lower.start[end - 1];
        if (entries(end - 1) < 2 || lower.row[last + 1] != end) break;
        const std::int64_t columns = end - first + 1;
        const std::int64_t cells = columns * (columns - 1) / 2 + columns * entries(end);
        filled += entries(end);
        if (cells - filled > std::max(always, cells / one_in)) break;
    }
    return end;
}

}  // namespace

Supernodes::Supernodes(const SparseMatrix& lower) : size_(lower.size) {
    row_.reserve(lower.row.size());
    value_.reserve(2 * lower.row.size());
    for (std::int32_t first = 0; first < lower.size;) {
        const std::int32_t end = end_of_panel(lower, first);
        add(lower, first, end);
        first = end;
    }
}

void Supernodes::add(const SparseMatrix& lower, std::int32_t first, std::int32_t end) {
    const std::int32_t width = end - first, last = lower.start[end - 1] + 1;
    const std::int32_t below = lower.start[end] - last;
    panels_.push_back(
        {first, width, below, static_cast<std::int64_t>(row_.size()), static_cast<std::int64_t>(value_.size())});
    row_.insert(row_.end(), lower.row.begin() + last, lower.row.begin() + last + below);
    value_.resize(value_.size() + static_cast<std::size_t>(width) * (width + below), 0.0);
    double* cells = value_.data() + panels_.back().value;
    for (std::int32_t c = first; c < end; ++c) {
        std::int32_t b = 0;
        for (std::int32_t e = lower.start[c]; e < lower.start[c + 1]; ++e) {
            const std::int32_t row = lower.row[e];
            while (row >= end && lower.row[last + b] != row) ++b;
            const std::int64_t place = row < end ? row - first : width + b;
            cells[place * width + c - first] = row == c ? 1.0 / lower.value[e] : lower.value[e];
        }
    }
}

}  // namespace rigwright::linalg
