#pragma once
#include <algorithm>
#include <string_view>

namespace rigcast {

/// The depth of nested arrays and objects in a JSON text, found without parsing. Callers refuse deep texts before they
/// parse, because copies, comparisons and dumps of a parsed tree recurse and could overflow the stack. If the text is
/// not valid JSON, the result is at least the depth at which a parser finds the error.
constexpr int json_depth(std::string_view text) {
    int depth = 0;
    int deepest = 0;
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

}  // namespace rigcast
