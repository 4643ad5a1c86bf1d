#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"

namespace rigwright::rig {

/// Adds the tensors that GroupedColumns reads for N dense columns, each (V, 3): windows of vertices, in each the groups
/// that the same columns move, in ascending order of their words of columns (as signed numbers). An offset of zero
/// moves nothing, -0 included. Columns are finite.
void add_grouped(const std::vector<View<const float, 2>>& columns, std::int64_t num_vertices, TensorFile& tensors);

/// The same with offsets rounded to 16 bits: x / scale, rounded half to even, for the scale of the column, its largest
/// magnitude / 32767. An offset that rounds to zero moves nothing.
void add_grouped_int16(const std::vector<View<const float, 2>>& columns, std::int64_t num_vertices,
                       TensorFile& tensors);

}  // namespace rigwright::rig
