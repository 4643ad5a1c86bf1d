#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "rigwright/core/error.h"
#include "rigwright/core/tensor_file.h"

namespace rigwright::rig {

/// Reads where each of `groups` runs of a longer list begins, and where the last one ends: groups + 1 numbers
/// rising from 0 to `end`. Throws ArgumentError on anything else.
inline View<const std::int32_t, 1> read_offsets(const TensorFile& tensors, const std::string& name, std::int64_t groups,
                                                std::int64_t end) {
    const auto offsets = tensors.get<std::int32_t, 1>(name, {groups + 1});
    if (offsets(0) != 0 || offsets(groups) != end || !std::is_sorted(offsets.begin(), offsets.end())) {
        throw bad_argument("load", name, "not a rising list from 0 to " + std::to_string(end), "offsets");
    }
    return offsets;
}

}  // namespace rigwright::rig
