// Several threads evaluate and differentiate one model at once, with the pool among them; each must get the
// bytes that one thread alone gets. Under ThreadSanitizer this also looks for races.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "random_model.h"
#include "rigcast/core/parallel.h"
#include "rigcast/registry/make_model.h"

namespace {

using namespace rigcast;

constexpr int frames = 12;
constexpr int rounds = 12;

struct Results {
    std::vector<float> vertices, gradients;

    bool operator==(const Results& other) const {
        const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
            return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
        };
        return same(vertices, other.vertices) && same(gradients, other.gradients);
    }
};

Results run(const rig::Deformer& model, const std::vector<float>& poses, int threads) {
    const std::int64_t count = model.character().num_vertices(), controls = model.character().num_controls();
    Results results;
    results.vertices.resize(3 * frames * count);
    results.gradients.resize(frames * controls);
    const std::vector<float> cotangents(results.vertices.size(), 1.0f);
    model.evaluate({poses.data(), {frames, controls}}, {results.vertices.data(), {frames, count, 3}}, threads);
    if (!checks::has_derivatives(model)) return results;
    model.vjp({poses.data(), {frames, controls}}, {cotangents.data(), {frames, count, 3}},
              {results.gradients.data(), {frames, controls}}, threads);
    return results;
}

int check(const std::string& kind) {
    const checks::Sizes sizes{.joints = 9, .vertices = 240, .sets = 7};
    const auto model = make_model(std::make_shared<const TensorFile>(checks::random_model(kind, sizes, 1)));
    const std::vector<float> poses = checks::random_poses(sizes, frames, 2);
    const Results expected = run(*model, poses, 1);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round < rounds; ++round) {
                if (!(run(*model, poses, 1 + (i + round) % 5 * 4) == expected)) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("%s: %d of %d results differ\n", kind.c_str(), wrong.load(), 6 * rounds);
    return wrong;
}

/// Every index once, from several callers at once, and an exception comes back to its caller.
int check_pool() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&wrong, i] {
            for (int round = 0; round < 200; ++round) {
                std::vector<int> seen(100 + i, 0);
                parallel_for(100 + i, 1 + round % 7, 4, [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t k = begin; k < end; ++k) ++seen[k];
                });
                for (const int times : seen) wrong += times != 1;
                try {
                    parallel_for(50, 1, 4, [&](std::int64_t begin, std::int64_t) {
                        if (begin == 30) throw round;
                    });
                    ++wrong;
                } catch (int thrown) {
                    wrong += thrown != round;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("pool: %d faults\n", wrong.load());
    return wrong;
}

}  // namespace

int main() {
    int wrong = check_pool();
    for (const std::string& kind : rigcast::model_kinds()) wrong += check(kind);
    return wrong == 0 ? 0 : 1;
}
