#pragma once
#include <algorithm>
#include <string_view>

namespace rigwright {

/// Levels of arrays and objects inside each other in a JSON text, found without a tree, so that hostile nesting is
/// refused before one grows: copies, comparisons and dumps of a tree recurse. If the text is no JSON, at least as many
/// levels as a parser opens before it notices.
constexpr int json_depth(std::string_view text) {
    int depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) {
            if (c == '\\') ++i;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace rigwright
