#pragma once
#include <cstdint>
#include <vector>

namespace rigcast::optimize {

/// The variables of a frame that a step may move, ascending, and on which side of its value each may move.
struct FreeVariables {
    std::vector<std::int32_t> variables;
    std::vector<std::int32_t> position;  // (K): index of each of the frame's variables in `variables`, or -1
    std::vector<int> side;               // of each free variable: 1 up, -1 down; which one-sided slopes apply

    std::int64_t size() const { return static_cast<std::int64_t>(variables.size()); }
};

}  // namespace rigcast::optimize
