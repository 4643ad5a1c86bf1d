#pragma once
#include <array>

/// Names that texts of saved players use, for the files that write and read them.
namespace rigcast::synthesis {

/// In the order of Task::Kind and Item::Kind.
inline constexpr std::array<const char*, 8> task_names{"begin", "go",     "hold", "wander",
                                                       "enter", "switch", "join", "clip"};
inline constexpr std::array<const char*, 4> item_names{"follow", "blend", "clip", "join"};

}  // namespace rigcast::synthesis
