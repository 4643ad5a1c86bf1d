#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::rig {

/// Some rows of a matrix of `width` columns, one after another.
template <class T>
std::vector<T> chosen_rows(const T* rows, std::int64_t width, View<const std::int32_t, 1> indices) {
    std::vector<T> chosen;
    chosen.reserve(static_cast<std::size_t>(width * indices.extent(0)));
    for (const std::int32_t i : indices) chosen.insert(chosen.end(), rows + width * i, rows + width * (i + 1));
    return chosen;
}

}  // namespace rigcast::rig
