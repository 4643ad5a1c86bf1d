// Working memory per thread: one lease at a time, memory of their own for the bodies of parallel_for, reused between
// leases, aligned, and given back if it is large.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace {

using namespace rigcast;

bool lease_throws() {
    try {
        const Scratch::Lease<float> memory(1);
    } catch (const std::logic_error& error) {
        return std::string(error.what()).find("leased already") != std::string::npos;
    }
    return false;
}

bool is_exclusive() {
    {
        const Scratch::Lease<float> memory(100);
        if (!lease_throws()) return false;
    }
    return !lease_throws();
}

bool is_reused_and_aligned() {
    const void* first = Scratch::Lease<double>(1000).data();
    const Scratch::Lease<float> again(1500);
    return again.data() == first && reinterpret_cast<std::uintptr_t>(first) % Scratch::alignment == 0;
}

bool moves_with_its_owner() {
    Scratch::Lease<float> memory(10), empty;
    empty = std::move(memory);
    return lease_throws() && empty.data() != nullptr;
}

/// Bodies lease, some on the caller's thread: what they write is not what the caller has written.
bool is_safe_inside_bodies(int threads) {
    const std::int64_t count = 4000;
    const Scratch::Lease<std::int32_t> memory(count);
    for (std::int64_t i = 0; i < count; ++i) memory.data()[i] = static_cast<std::int32_t>(i);
    std::atomic<int> wrong{0};
    parallel_for(40, 1, threads, [&](std::int64_t, std::int64_t) {
        const Scratch::Lease<std::int32_t> own(count);
        for (std::int64_t i = 0; i < count; ++i) own.data()[i] = -1;
        parallel_for(3, 1, threads, [&](std::int64_t, std::int64_t) {
            const Scratch::Lease<std::int32_t> innermost(count);
            for (std::int64_t i = 0; i < count; ++i) innermost.data()[i] = -2;
        });
        for (std::int64_t i = 0; i < count; ++i) wrong += own.data()[i] != -1;
        if (!lease_throws()) ++wrong;
    });
    for (std::int64_t i = 0; i < count; ++i) wrong += memory.data()[i] != i;
    return wrong == 0 && lease_throws();
}

bool is_free_after_an_exception() {
    const Scratch::Lease<float> memory(10);
    try {
        parallel_for(1, 1, 1, [](std::int64_t, std::int64_t) {
            const Scratch::Lease<float> own(10);
            throw 1;
        });
    } catch (int) {
    }
    return lease_throws();
}

bool gives_large_memory_back() {
    { const Scratch::Lease<std::byte> memory(Scratch::max_cached_bytes + 1); }
    const std::size_t after_large = Scratch::allocated_bytes();
    { const Scratch::Lease<std::byte> memory(Scratch::max_cached_bytes / 2); }
    return after_large < Scratch::max_cached_bytes && Scratch::allocated_bytes() >= Scratch::max_cached_bytes / 2;
}

int report(const char* what, bool holds) {
    std::printf("%s: %s\n", what, holds ? "yes" : "NO");
    return holds ? 0 : 1;
}

}  // namespace

int main() {
    int wrong = report("a lease is exclusive", is_exclusive());
    wrong += report("memory is reused and aligned", is_reused_and_aligned());
    wrong += report("a lease moves with its owner", moves_with_its_owner());
    for (const int threads : {1, 4}) wrong += report("bodies have memory of their own", is_safe_inside_bodies(threads));
    wrong += report("an exception ends a lease", is_free_after_an_exception());
    wrong += report("large memory is given back", gives_large_memory_back());
    return wrong == 0 ? 0 : 1;
}
