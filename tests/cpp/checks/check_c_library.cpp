// The C library: eight threads on one model get the bytes that one thread gets, each thread reads the sentence of its
// own errors, and damaged files are errors or models. Under ThreadSanitizer this also looks for races, under
// AddressSanitizer for reads outside of arrays and for leaks.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "damage/mutation.h"
#include "random_model.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rigcast_c.h"

namespace {

using namespace rigcast::checks;

constexpr int frames = 6, callers = 8, rounds = 6, damaged_files = 2000;

struct Model {
    explicit Model(const Bytes& bytes) : status(rigcast_parse(bytes.data(), bytes.size(), "a file", &handle)) {
        about.size = sizeof about;
        if (status == RIGCAST_OK) status = rigcast_describe(handle, &about);
    }
    ~Model() { rigcast_model_free(handle); }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    rigcast_model* handle = nullptr;
    rigcast_description about{};
    rigcast_status status;
};

/// Vertices by batches, by a session, and gradients; empty where the model refuses.
std::vector<float> results_of(const Model& model, const std::vector<float>& poses, int threads) {
    const std::int64_t columns = model.about.columns, row = 3 * model.about.vertices;
    std::vector<float> found(static_cast<std::size_t>(2 * frames * row + frames * columns), 0.0f);
    float* session_vertices = found.data() + frames * row;
    float* gradients = session_vertices + frames * row;
    rigcast_evaluate(model.handle, frames, poses.data(), frames * columns, found.data(), frames * row, threads);
    rigcast_session* session = nullptr;
    if (rigcast_session_new(model.handle, &session) == RIGCAST_OK) {
        for (int t = 0; t < frames; ++t) {
            rigcast_session_evaluate(session, poses.data() + t * columns, columns, session_vertices + t * row, row);
        }
        rigcast_session_free(session);
    }
    rigcast_vjp(model.handle, frames, poses.data(), frames * columns, found.data(), frames * row, gradients,
                frames * columns, threads);
    return found;
}

/// A wrong call whose sentence holds the number of the caller.
bool reads_own_sentence(const Model& model, int caller) {
    float confidence = 0.0f;
    const std::int64_t wrong = 1000003 + caller;
    if (rigcast_confidence(model.handle, 1, &confidence, wrong, &confidence, 1) != RIGCAST_BAD_ARGUMENT) return false;
    return std::strstr(rigcast_error(), std::to_string(wrong).c_str()) != nullptr;
}

int check_threads(const std::string& kind) {
    const Sizes sizes{.joints = 5, .vertices = 120, .sets = 4};
    const Model model(random_model(kind, sizes, 1).serialize());
    if (model.status != RIGCAST_OK) return std::puts(rigcast_error()), 1;
    const std::vector<float> given = random_poses(sizes, frames, 2);
    const std::vector<float> poses(given.begin(), given.begin() + frames * model.about.columns);
    const std::vector<float> expected = results_of(model, poses, 1);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&, caller] {
            for (int round = 0; round < rounds; ++round) {
                wrong += !reads_own_sentence(model, caller);
                const std::vector<float> found = results_of(model, poses, 1 + (caller + round) % 4);
                wrong += std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)) != 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("%s: %d of %d differ\n", kind.c_str(), wrong.load(), 2 * callers * rounds);
    return wrong;
}

int check_damaged_files() {
    std::mt19937_64 random(0);
    const Sizes sizes{.joints = 3, .vertices = 12, .sets = 3, .hidden = 4, .components = 2};
    std::vector<Bytes> good;
    for (const std::string& kind : rigcast::model_kinds()) good.push_back(random_model(kind, sizes, 1).serialize());
    int wrong = 0, read = 0;
    for (std::size_t i = 0; i < damaged_files; ++i) {
        Bytes bytes = good[i % good.size()];
        mutate(bytes, random);
        const Model model(bytes);
        const bool refused = model.status == RIGCAST_BAD_FILE || model.status == RIGCAST_NUMERICAL;
        wrong += refused ? model.handle != nullptr || *rigcast_error() == '\0' : model.status != RIGCAST_OK;
        if (model.status != RIGCAST_OK) continue;
        ++read;
        std::vector<float> vertices(static_cast<std::size_t>(3 * model.about.vertices));
        rigcast_evaluate(model.handle, 1, model.about.rest_pose, model.about.columns, vertices.data(),
                         3 * model.about.vertices, 1);
    }
    std::printf("%d damaged files: %d read, %d wrong\n", damaged_files, read, wrong);
    return wrong;
}

}  // namespace

int main() {
    int wrong = check_damaged_files();
    for (const std::string& kind : rigcast::model_kinds()) wrong += check_threads(kind);
    return wrong != 0;
}
