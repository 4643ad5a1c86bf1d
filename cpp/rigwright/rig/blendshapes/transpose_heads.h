#pragma once
#include <cstdint>

namespace rigwright::rig {

/// Writes the first `heads` columns of sums (coordinates, stride) as rows, `distance` floats apart, each number plus 0,
/// so that there is no negative zero. Rows begin anywhere that a float may. Columns are read in fours: `stride` is a
/// multiple of four, sums begin on a cache line. With `past_caches` whole lines of a row go to memory without being
/// read first and stay in no cache: right for rows that no cache could keep until somebody wants them.
void write_head_rows(const float* sums, std::int64_t stride, std::int64_t coordinates, std::int64_t heads, float* rows,
                     std::int64_t distance, bool past_caches);

/// Writes `count` numbers, each plus 0, into as many rows.
void write_equal_rows(const float* numbers, std::int64_t count, std::int64_t heads, float* rows, std::int64_t distance,
                      bool past_caches);

}  // namespace rigwright::rig
