// Players of the C library: eight threads that play one synthesizer get the bytes of one thread, a player that they
// share plays every frame once, and damaged synthesizers are errors or play. Under ThreadSanitizer this also looks for
// races, under AddressSanitizer for reads outside of arrays and for leaks.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "damage/mutation.h"
#include "random_synthesizer.h"
#include "rigcast/rigcast_c.h"

namespace {

using namespace rigcast::checks;

constexpr int characters = 3, controls = 4, frames = 40, callers = 8, damaged_files = 1000;
constexpr std::uint64_t seeds[characters] = {1, 2, 3};

struct Player {
    explicit Player(const rigcast_model* synthesis) {
        rigcast_player_new(synthesis, seeds, characters, nullptr, 0, nullptr, &handle);
    }
    ~Player() { rigcast_player_free(handle); }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Vertices of the next frames; empty if the player refuses.
    std::vector<float> step(int count) {
        std::vector<float> found(static_cast<std::size_t>(characters * count * controls));
        const std::int64_t size = static_cast<std::int64_t>(found.size());
        if (rigcast_player_step(handle, count, nullptr, 0, found.data(), size) != RIGCAST_OK) found.clear();
        return found;
    }

    rigcast_player* handle = nullptr;
};

rigcast_model* open(const Bytes& bytes) {
    rigcast_model* model = nullptr;
    rigcast_parse(bytes.data(), bytes.size(), "a file", &model);
    return model;
}

/// Each thread has a player of its own.
int check_own_players(const rigcast_model* synthesis) {
    const std::vector<float> expected = Player(synthesis).step(frames);
    if (expected.empty()) return std::puts(rigcast_error()), 1;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&] {
            const std::vector<float> found = Player(synthesis).step(frames);
            wrong += found.size() != expected.size() ||
                     std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)) != 0;
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("players of %d threads: %d differ\n", callers, wrong.load());
    return wrong;
}

/// Threads take turns on one player: each frame is played by one of them.
int check_shared_player(const rigcast_model* synthesis) {
    Player player(synthesis);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&] {
            for (int round = 0; round < 5; ++round) wrong += player.step(1).empty();
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::int64_t played = 0;
    rigcast_player_where(player.handle, 0, &played, nullptr, nullptr);
    std::printf("a player of %d threads: %lld frames, %d refused\n", callers, static_cast<long long>(played),
                wrong.load());
    return wrong + (played != 5 * callers);
}

int check_damaged_files() {
    std::mt19937_64 random(0);
    const Bytes good = random_synthesizer(1).serialize();
    int wrong = 0, read = 0;
    for (int i = 0; i < damaged_files; ++i) {
        Bytes bytes = good;
        mutate(bytes, random);
        rigcast_model* synthesis = open(bytes);
        if (synthesis == nullptr) {
            wrong += *rigcast_error() == '\0';
            continue;
        }
        ++read;
        Player(synthesis).step(3);
        rigcast_model_free(synthesis);
    }
    std::printf("%d damaged synthesizers: %d read, %d wrong\n", damaged_files, read, wrong);
    return wrong;
}

}  // namespace

int main() {
    rigcast_model* synthesis = open(random_synthesizer(1).serialize());
    if (synthesis == nullptr) return std::puts(rigcast_error()), 1;
    int wrong = check_damaged_files() + check_own_players(synthesis) + check_shared_player(synthesis);
    rigcast_model_free(synthesis);
    return wrong != 0;
}
