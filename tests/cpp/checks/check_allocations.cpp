// Evaluation and its reverse allocate nothing after the first call, on one thread and on several.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "random_model.h"
#include "rigcast/registry/make_model.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
    ++allocations;
    void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

void* operator new(std::size_t size) {
    return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace {

using namespace rigcast;

/// Allocations of twenty calls with `frames` poses after the first one. Which helpers of the pool take part is the
/// scheduler's choice, and one that joins late sets up its own memory then: with several threads, the first
/// twenty calls that allocate nothing count.
long repeated(const rig::Deformer& model, const std::vector<float>& poses, int frames, int threads) {
    const std::int64_t count = model.character().num_vertices(), controls = model.character().num_controls();
    std::vector<float> vertices(3 * frames * count), gradients(frames * controls);
    const std::vector<float> cotangents(vertices.size(), 1.0f);
    const bool has_derivatives = checks::has_derivatives(model);
    const auto call = [&] {
        model.evaluate({poses.data(), {frames, controls}}, {vertices.data(), {frames, count, 3}}, threads);
        if (!has_derivatives) return;
        model.vjp({poses.data(), {frames, controls}}, {cotangents.data(), {frames, count, 3}},
                  {gradients.data(), {frames, controls}}, threads);
    };
    call();
    long made = 0;
    for (int attempt = 0; attempt < (threads == 1 ? 1 : 100); ++attempt) {
        const long before = allocations;
        for (int i = 0; i < 20; ++i) call();
        made = allocations - before;
        if (made == 0) break;
    }
    return made;
}

}  // namespace

int main() {
    long wrong = 0;
    for (const std::string& kind : rigcast::model_kinds()) {
        const checks::Sizes sizes{.joints = 9, .vertices = 240, .sets = 7};
        const auto model = make_model(std::make_shared<const TensorFile>(checks::random_model(kind, sizes, 1)));
        const std::vector<float> poses = checks::random_poses(sizes, 70, 2);
        for (const int frames : {1, 3, 70}) {
            for (const int threads : {1, 2}) {
                const long count = repeated(*model, poses, frames, threads);
                std::printf("%s, %d poses, %d threads: %ld allocations\n", kind.c_str(), frames, threads, count);
                wrong += count;
            }
        }
    }
    return wrong == 0 ? 0 : 1;
}
