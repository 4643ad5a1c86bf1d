#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "rigcast/synthesis/player/mixer.h"
#include "rigcast/synthesis/playing/points.h"

namespace rigcast::synthesis {

/// What a character does next; a command is a list of these.
struct Task {
    enum class Kind { begin, go, hold, wander, enter, change, join, clip };

    Kind kind = Kind::hold;
    std::int64_t command = -1;              // begin: number of the event
    std::vector<double> to{};               // go: point; change: point of the other label
    bool straight = false, meet = false;    // go, wander; go: the ball shrinks until the point is met
    std::int64_t frames = 0;                // hold, wander
    double share = 1.0;                     // hold: of the usual radius
    std::shared_ptr<const Points> poses{};  // wander: null for all training points
    std::int64_t visited = 0, order = 0;    // wander: poses met, and the decision of their order
    std::int64_t label = 0;                 // enter, change
    std::int64_t begin = 0, end = 0;        // join (begin), clip: training rows
};

/// A particle on its path of n + 1 rows, and once it is simulated, where it went.
struct ItemTrack {
    std::int64_t label = 0;
    Points path{};
    std::vector<double> radii{};
    std::vector<double> x{}, v{};  // (D) state at the first row
    std::uint64_t seed = 0;        // of its random force
    Points positions{}, velocities{};
    std::vector<float> controls{};  // (n + 1, N)
};

/// Frames first + 1 to first + count of a character, at most a second or a blend, in which nothing is decided: it holds
/// all that it needs, so that one in the middle of which a state was saved is simulated again to the same bytes.
struct Item {
    /// follow: one track. blend: from the first track to the second. clip: rows of frames as they are. join: from the
    /// track to rows of frames.
    enum class Kind { follow, blend, clip, join };

    Kind kind = Kind::follow;
    std::int64_t label = 0;  // whose space the character is in
    std::int64_t first = 0, count = 0;
    std::int64_t command = -1;  // number of the event
    std::vector<ItemTrack> tracks{};
    std::vector<std::int64_t> rows{};  // (count) training frames of clip and join
    std::vector<Decay> decays{};       // what is left of earlier jumps
    std::int64_t jump = 0;             // frames over which the jump from `previous` decays; 0: there is none
    std::vector<float> previous{};     // (2, N) the frames before, as shown but for layers
    std::vector<float> controls{};     // (count, N) once it is simulated
    std::vector<Decay> after{};        // what is left of jumps after it, once it is simulated
};

/// All that decides what a character does next.
struct CharacterState {
    std::uint64_t seed = 0;
    std::int64_t label = 0;
    bool blends = false;
    std::int64_t frame = 0, decisions = 0;
    std::int64_t used = 0;  // frames of the item that were taken
    std::int64_t jump = 0;
    std::int64_t command = -1;
    std::deque<Task> tasks{};
    std::vector<Decay> decays{};
    std::vector<double> x{}, v{};  // (D)
    Points path{};                 // the rest of it, one point at least
    std::vector<double> radii{};
    std::vector<float> previous{};  // (2, N)
    std::shared_ptr<const Item> item{};
};

}  // namespace rigcast::synthesis
