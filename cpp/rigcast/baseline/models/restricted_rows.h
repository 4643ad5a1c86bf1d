#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigcast/core/tensor_file.h"
#include "rigcast/core/view.h"

namespace rigcast::baseline {

/// Adds the tensor `name` of `source`, one row per vertex, with the rows of the given vertices to a file.
template <class T, int Rank>
void add_vertex_rows(const TensorFile& source, const std::string& name, View<const std::int32_t, 1> vertices,
                     TensorFile* file) {
    const auto all = source.get<T, Rank>(name);
    std::vector<T> chosen;
    for (const std::int32_t v : vertices) chosen.insert(chosen.end(), all.row(v), all.row(v + 1));
    std::vector<std::int64_t> shape(all.extents().begin(), all.extents().end());
    shape[0] = vertices.extent(0);
    file->add(name, shape, chosen.data());
}

}  // namespace rigcast::baseline
