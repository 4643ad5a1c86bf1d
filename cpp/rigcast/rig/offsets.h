#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/files/tensor_file.h"

namespace rigcast::rig {

/// Reads the offsets of `groups` consecutive groups in a list of `end` elements (compressed sparse rows): groups + 1
/// integers that ascend from 0 to `end`. Throws ArgumentError if the tensor is missing or breaks this rule.
inline View<const std::int32_t, 1> read_offsets(const TensorFile& tensors, const std::string& name, std::int64_t groups,
                                                std::int64_t end) {
    const auto offsets = tensors.get<std::int32_t, 1>(name, {groups + 1});
    if (offsets(0) != 0 || offsets(groups) != end || !std::is_sorted(offsets.begin(), offsets.end())) {
        throw bad_argument("load", name, "not ascending from 0 to " + std::to_string(end), "offsets that are");
    }
    return offsets;
}

}  // namespace rigcast::rig
