#pragma once
#include <memory>

#include "bindings/c/calls.h"
#include "rigcast/synthesis/player/players.h"

struct rigcast_player {
    rigcast_player(std::shared_ptr<const rigcast::synthesis::Synthesizer> of, rigcast::synthesis::PlayersStart start)
        : players("Player", std::move(of), std::move(start)) {}
    rigcast::synthesis::Players players;
};

namespace rigcast::c {

/// A text of the caller. Throws ArgumentError, which names function and argument, if it is NULL.
inline std::string needed_text(const char* function, const std::string& argument, const char* given) {
    if (given == nullptr) throw bad_argument(function, argument, "NULL", "a text");
    return given;
}

/// Texts of the caller. Throws ArgumentError if the count is negative, or the list or one of them is NULL.
std::vector<std::string> texts_in(const char* function, const char* argument, const char* const* given,
                                  std::int64_t count);

}  // namespace rigcast::c
