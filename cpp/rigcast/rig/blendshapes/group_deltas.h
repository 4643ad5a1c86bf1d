#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::rig {

/// Groups the offsets of N dense columns, each (V, 3), and adds the tensors that GroupedColumns reads, as float32. A
/// vertex is moved by a column if its offset there is not zero (-0 counts as zero). The groups of a window ascend by
/// their words of column bits, compared as signed integers, so that equal input gives equal bytes.
/// Requires: the columns are finite.
void add_grouped(const std::vector<View<const float, 2>>& columns, std::int64_t num_vertices, TensorFile& tensors);

/// The same with offsets stored as int16: x / scale rounded half to even, where the scale of a column is the largest
/// magnitude of its coordinates / 32767. An offset that rounds to zero moves nothing.
void add_grouped_int16(const std::vector<View<const float, 2>>& columns, std::int64_t num_vertices,
                       TensorFile& tensors);

}  // namespace rigcast::rig
